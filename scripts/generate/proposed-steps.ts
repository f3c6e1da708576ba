import { messageOf } from '../../src/failure.ts'
import type { Schema } from '../../src/store/schema.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'
import type { RememberingTable } from '../../src/store/table.ts'
import { sqliteTables, type FoundTable } from './found-tables.ts'
import { columnText, indexTexts, newTable } from './resource/steps.ts'

/** What a declared table lacks in its steps. */
export interface Proposal {
  table: string
  /** The statements of a new step of each engine. */
  sqlite: string[]
  postgres: string[]
  /** Sentences on what no step is proposed for, since it could lose data. */
  refused: string[]
}

/** Compares each declaration with what its steps make. Throws a sentence when a step cannot run. */
export function proposedSteps(schema: Schema): Proposal[] {
  const found = new Map(tablesOf(schema.sqliteSteps).map((table) => [table.name, table]))
  return schema.stored.flatMap((table) => {
    const proposal = proposalFor(table, found.get(table.name))
    const { sqlite, postgres, refused } = proposal
    return sqlite.length + postgres.length + refused.length > 0 ? [proposal] : []
  })
}

/** The tables that steps make in a new file. */
function tablesOf(steps: readonly string[]): FoundTable[] {
  const db = new Database(':memory:')
  try {
    for (const [index, step] of steps.entries()) {
      try {
        db.exec(step)
      } catch (error) {
        throw new Error(`The step ${index + 1} of SQLite cannot run: ${messageOf(error)}.`, { cause: error })
      }
    }
    return sqliteTables(db)
  } finally {
    db.close()
  }
}

function proposalFor(table: RememberingTable, found: FoundTable | undefined): Proposal {
  const { name } = table
  if (!found)
    return { table: name, sqlite: newTable('sqlite', table), postgres: newTable('postgres', table), refused: [] }
  const added = Object.keys(table.columns).filter((column) => !Object.hasOwn(found.columns, column))
  const safe = added.filter((column) => table.nullable.includes(column))
  const lacking = table.indexes.filter(
    (columns) => !found.indexes.some((index) => `${index.columns.join()},`.startsWith(`${columns.join()},`)),
  )
  // an index of a column that cannot be added cannot be made either
  const indexed = lacking.filter((columns) => columns.every((one) => safe.includes(one) || !added.includes(one)))
  const step = (engine: 'sqlite' | 'postgres'): string[] => [
    ...safe.map((column) => `ALTER TABLE ${name} ADD COLUMN ${columnText(engine, table, column)};`),
    ...indexTexts(engine, { ...table, indexes: indexed }),
  ]
  return { table: name, sqlite: step('sqlite'), postgres: step('postgres'), refused: refusalsOf(table, found) }
}

/** What a step by hand has to decide. */
function refusalsOf(table: RememberingTable, found: FoundTable): string[] {
  const { name, columns, nullable, key, generated, unique, references } = table
  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
  const both = Object.keys(columns).filter((column) => Object.hasOwn(found.columns, column))
  const apart = found.indexes.filter((index) => index.unique).map((index) => index.columns.join())
  return [
    ...Object.keys(columns)
      .filter((column) => !both.includes(column) && !nullable.includes(column))
      .map(
        (column) =>
          `${name}.${column} is new and never absent, and rows that are there have no value for it. Declare it optional, or write a step that gives them one.`,
      ),
    ...Object.keys(found.columns)
      .filter((column) => !Object.hasOwn(columns, column))
      .map(
        (column) =>
          `${name}.${column} is not declared any more. A step that drops it loses its values, and a program of the version before needs it. Write it by hand.`,
      ),
    ...both.flatMap((column) =>
      found.columns[column] === columns[column]
        ? []
        : `${name}.${column} is ${columns[column]} in the declaration and ${found.columns[column]} in the steps. Write by hand how its values change.`,
    ),
    ...both.flatMap((column) =>
      nullable.includes(column) === found.nullable.includes(column)
        ? []
        : `${name}.${column} may ${nullable.includes(column) ? '' : 'not '}be absent by the declaration, and the steps say otherwise. Write by hand how that changes.`,
    ),
    ...(same(key, found.key) && generated === found.generated
      ? []
      : [`The key of ${name} is another one in the steps. Write by hand how it changes.`]),
    ...unique
      .map((one) => one.join())
      .filter((one) => !apart.includes(one))
      .map(
        (one) =>
          `${name} has no two rows with the same ${one} by the declaration. Rows that are there may have. Write the step by hand.`,
      ),
    ...apart
      .filter((one) => !unique.some((columns) => columns.join() === one))
      .map((one) => `The steps let no two rows of ${name} have the same ${one}, and the declaration does not say so.`),
    ...(same(Object.entries(references).sort(), Object.entries(found.references).sort())
      ? []
      : [`${name} points to other tables in the steps than in the declaration. Write the step by hand.`]),
  ]
}

/** What `generate` prints of proposals. */
export function proposalText(proposals: readonly Proposal[], schema: Schema): string {
  return proposals
    .flatMap(({ table, sqlite, postgres, refused }) => [
      `The table ${table} is declared otherwise than its steps make it.`,
      ...(sqlite.length > 0
        ? [
            'Add these steps to its file:',
            `  sqlite ${schema.sqliteSteps.length + 1}:`,
            ...sqlite.map((line) => `    ${line}`),
            `  postgres ${schema.postgresSteps.length + 1}:`,
            ...postgres.map((line) => `    ${line}`),
          ]
        : []),
      ...refused,
    ])
    .join('\n')
}
