import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { answerWithTurn, atEndOfTurn, countConnection, gatherTurn } from '../src/event-loop.ts'

/** Writes down what happens, in its order. */
function record(): { events: string[]; note: (event: string) => () => void } {
  const events: string[] = []
  return { events, note: (event) => () => void events.push(event) }
}

describe('the end of a turn', () => {
  test('answers leave together, before the work of the turn', async () => {
    const { events, note } = record()
    atEndOfTurn(note('work'))
    answerWithTurn(note('first answer'))
    answerWithTurn(note('second answer'))
    await Promise.resolve()
    expect(events).toEqual([])
    await nextTurn()
    expect(events).toEqual(['first answer', 'second answer', 'work'])
  })

  test('what follows from the work leaves in the same turn, and together', async () => {
    const { events, note } = record()
    const stored = new Promise<void>(atEndOfTurn)
    const answer = async (name: string): Promise<void> => {
      await stored
      await Promise.resolve()
      events.push(`${name} is ready`)
      answerWithTurn(note(name))
    }
    const both = [answer('first'), answer('second')]
    // asked for at the same time as the work, and so due right behind it
    await nextTurn()
    expect(events).toEqual(['first is ready', 'second is ready', 'first', 'second'])
    await Promise.all(both)
  })

  test('a turn with many answers lets others in between', async () => {
    const { events, note } = record()
    for (let index = 0; index < 300; index += 1) answerWithTurn(note('answer'))
    await nextTurn()
    expect(events).toHaveLength(256)
    await nextTurn()
    expect(events).toHaveLength(300)
  })
})

describe('gatherTurn', () => {
  test('hands over what one turn asked for, once and in order', async () => {
    const batches: number[][] = []
    const add = gatherTurn<number>((items) => batches.push(items))
    add(1)
    add(2)
    await nextTurn()
    add(3)
    await nextTurn()
    expect(batches).toEqual([[1, 2], [3]])
  })
})

describe('a lone connection', () => {
  beforeAll(() => {
    countConnection(1)
  })
  afterAll(() => {
    countConnection(-1)
  })

  test('waits for nothing', () => {
    const { events, note } = record()
    const add = gatherTurn<number>((items) => events.push(`${items.length} gathered`))
    answerWithTurn(note('answer'))
    atEndOfTurn(note('work'))
    add(1)
    add(2)
    expect(events).toEqual(['answer', 'work', '1 gathered', '1 gathered'])
  })

  test('waits again beside a second one', async () => {
    countConnection(1)
    const { events, note } = record()
    answerWithTurn(note('answer'))
    expect(events).toEqual([])
    await nextTurn()
    expect(events).toEqual(['answer'])
    countConnection(-1)
  })
})
