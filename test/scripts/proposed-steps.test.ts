import { describe, expect, test } from '@jest/globals'
import { proposalText, proposedSteps } from '../../scripts/generate/proposed-steps.ts'
import { schemaOf } from '../../src/store/schema.ts'
import { int64, optional, text, type AnyTable } from '../../src/store/table.ts'
import { pets } from '../../src/store/tables/pets.ts'
import { oddTables } from '../support/odd-tables.ts'

/** What is proposed where members are declared otherwise than their steps make them. */
function proposedFor(change: Partial<AnyTable>): ReturnType<typeof proposedSteps> {
  return proposedSteps(schemaOf({ pets, ...oddTables, members: { ...oddTables.members, ...change } }))
}

const { columns } = oddTables.members

describe('the steps of tables', () => {
  test('are proposed for nothing where they make what is declared', () => {
    expect(proposedSteps(schemaOf({ pets, ...oddTables }))).toEqual([])
  })

  test('are proposed for columns that may be absent, and for indexes', () => {
    const proposals = proposedFor({
      columns: { ...columns, note: optional(text), order: optional(int64) } as unknown as AnyTable['columns'],
      filters: ['note', 'name'],
    })
    expect(proposals).toEqual([
      {
        table: 'members',
        sqlite: [
          'ALTER TABLE members ADD COLUMN note TEXT;',
          'ALTER TABLE members ADD COLUMN order_ INTEGER;',
          'CREATE INDEX members_by_note ON members (note);',
          'CREATE INDEX members_by_name ON members (name);',
        ],
        postgres: [
          'ALTER TABLE members ADD COLUMN note text COLLATE "C";',
          'ALTER TABLE members ADD COLUMN order_ bigint;',
          'CREATE INDEX members_by_note ON members (note, number);',
          'CREATE INDEX members_by_name ON members (name, number);',
        ],
        refused: [],
      },
    ])
    expect(proposalText(proposals, schemaOf({ pets, ...oddTables }))).toMatch(
      /Add these steps to its file:\n {2}sqlite 9:\n/,
    )
  })

  test('are proposed for a table that no step makes, and make it', () => {
    const steps = { sqlite: {}, postgres: {} }
    const [proposal] = proposedFor({ steps })
    expect(proposal?.sqlite.join('\n')).toContain('CREATE TABLE members_requests (')
    const made = {
      sqlite: { 9: proposal?.sqlite.join('\n') ?? '' },
      postgres: { 7: proposal?.postgres.join('\n') ?? '' },
    }
    expect(proposedFor({ steps: made })).toEqual([])
  })

  test.each([
    [{ columns: { ...columns, note: text } }, 'members.note is new and never absent'],
    [{ columns: { number: int64, name: text }, unique: [] }, 'members.nickname is not declared any more.'],
    [{ columns: { ...columns, name: int64 } }, 'members.name is int64 in the declaration and text in the steps.'],
    [{ columns: { ...columns, name: optional(text) } }, 'members.name may be absent by the declaration'],
    [{ columns: { ...columns, nickname: text } }, 'members.nickname may not be absent by the declaration'],
    [{ generated: true }, 'The key of members is another one in the steps.'],
    [{ key: 'name' }, 'The key of members is another one in the steps.'],
    [{ unique: [['nickname'], ['name']] }, 'members has no two rows with the same name by the declaration.'],
    [{ unique: [] }, 'The steps let no two rows of members have the same nickname'],
    [{ references: { name: 'shelves' } }, 'members points to other tables in the steps'],
  ] as unknown as [Partial<AnyTable>, string][])('%j is told and not guessed', (change, message) => {
    const [proposal] = proposedFor(change)
    expect(proposal?.sqlite).toEqual([])
    expect(proposal?.postgres).toEqual([])
    expect(proposal?.refused.join('\n')).toContain(message)
  })

  test('that cannot run are told by their number', () => {
    expect(() => proposedFor({ steps: { sqlite: { 8: 'CREATE TABLE (' }, postgres: {} } })).toThrow(
      /^The step 8 of SQLite cannot run: .*syntax error/,
    )
  })
})
