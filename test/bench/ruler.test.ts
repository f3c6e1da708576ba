import { describe, expect, test } from '@jest/globals'

interface Summary {
  median: number
  q1: number
  q3: number
  min: number
  max: number
}
type Figures = Record<string, number>
interface Ratio extends Summary {
  runs: number[]
  agree: boolean
}
type Times = Record<string, Ratio>
interface Row extends Record<string, unknown> {
  times: Record<string, Summary | undefined>
}
interface Run {
  quiet?: { isQuiet: boolean; spread: number; others?: number }
}
type Set = Record<string, unknown> & { machine: Record<string, string> }

async function from<T>(file: string): Promise<T> {
  return (await import(`../../bench/harness/${file}.js`)) as T
}

const { summary, ratios } = await from<{
  summary: (values: number[]) => Summary | undefined
  ratios: (results: Figures[], bases: Figures[]) => Record<string, Summary | undefined>
}>('statistics')
const { together } = await from<{
  together: (runs: { rows: Row[] }[]) => { rows: { times: Times }[] }
}>('runs')
const { repeated } = await from<{
  repeated: (
    name: string,
    options: {
      runs: number
      writes: boolean
      tell: (line: string) => void
      measure: (tell: (message: string) => void) => Promise<Run | undefined>
    },
  ) => Promise<Run[] | undefined>
}>('repeated')
const { keptOf, linesOf, nameOf } = await from<{
  keptOf: (set: Set | undefined, of: { machine: Set['machine']; isWhole: boolean }) => object
  linesOf: (sets: Record<string, object>) => string
  nameOf: (machine: Set['machine']) => string
}>('results')
const { wholeNumber } = await from<{ wholeNumber: (name: string, text: string, most: number) => number }>('options')
const { verdict } = await from<{
  verdict: (goal: { share: number } | { shares: number[] }) => string
}>('goals')

describe('figures', () => {
  test('a summary has the median and the quartiles, between two values in proportion', () => {
    expect(summary([4, 1, 3, 2])).toEqual({ median: 2.5, q1: 1.75, q3: 3.25, min: 1, max: 4 })
  })

  test.each([[[]], [[1, Infinity]], [[1, NaN]]])('of %p there is none', (values) => {
    expect(summary(values)).toBeUndefined()
  })

  test('a ratio is formed within a round, so that rounds in which the machine is slower change none', () => {
    const bases = [{ costUs: 10 }, { costUs: 40 }, { costUs: 20 }]
    const others = [{ costUs: 15 }, { costUs: 60 }, { costUs: 60 }]
    // those of the median rounds are 60 and 20
    expect(ratios(others, bases).costUs).toEqual({ median: 1.5, q1: 1.5, q3: 2.25, min: 1.5, max: 3 })
  })
})

describe('several runs', () => {
  const run = (median: number): { rows: Row[] } => ({
    rows: [{ contestant: 'other', times: { costUs: { median, q1: median - 0.1, q3: median + 0.1, min: 0, max: 9 } } }],
  })
  const said = (...medians: number[]): Ratio | undefined => together(medians.map(run)).rows[0]?.times.costUs

  test('agree when their ratios are within 5 % of the median', () => {
    expect(said(1.98, 2, 2.07)).toEqual({
      ...{ median: 2, q1: 1.9, q3: 2.1, min: 0, max: 9 },
      ...{ runs: [1.98, 2, 2.07], agree: true },
    })
    expect(said(1.97, 2, 2.08)).toMatchObject({ runs: [1.97, 2, 2.08], agree: false })
  })

  test('a ratio that a run has not is that of none', () => {
    const without = { rows: [{ contestant: 'other', times: { costUs: undefined } }] }
    expect(together([run(2), without, run(2)]).rows[0]?.times).toEqual({ costUs: undefined })
  })

  test.each([
    [{ share: 1 }, 'met'],
    [{ share: 0.999 }, 'missed by 1 %'],
    [{ share: 0.7 }, 'missed by 30 %'],
    [{ shares: [1.1, 1, 1.3] }, 'met by each run'],
    [{ shares: [0.9, 0.99, 0.7] }, 'missed by each run'],
    [{ shares: [0.9, 1.1, 1.2] }, 'not shown: the runs differ'],
  ])('of a goal with %p it is said: %s', (goal, expected) => {
    expect(verdict(goal)).toBe(expected)
  })
})

describe('a section', () => {
  const quiet: Run = { quiet: { isQuiet: true, spread: 0.01, others: 0 } }
  const noisy: Run = { quiet: { isQuiet: false, spread: 0.081, others: 0.5 } }

  /** Measures a section whose runs are these. */
  async function measured(
    all: readonly (Run | undefined)[],
    writes: boolean,
  ): Promise<{ runs: Run[] | undefined; asked: number; lines: string[] }> {
    const lines: string[] = []
    let asked = 0
    const measure = (): Promise<Run | undefined> => Promise.resolve(all[asked++])
    const runs = await repeated('mixed', { runs: 3, writes, tell: (line) => lines.push(line), measure })
    return { runs, asked, lines }
  }

  test('is measured three times', async () => {
    const { runs, lines } = await measured([quiet, quiet, quiet], true)
    expect(runs).toEqual([quiet, quiet, quiet])
    expect(lines).toEqual(['mixed', 'mixed, run 2', 'mixed, run 3'])
  })

  test('repeats a run in which the machine was not quiet, and tells of it', async () => {
    const { runs, asked, lines } = await measured([quiet, noisy, quiet, quiet], true)
    expect({ runs, asked }).toEqual({ runs: [quiet, quiet, quiet], asked: 4 })
    expect(lines[2]).toBe(
      'mixed, run 2: the machine was not quiet: a loop that only computes varied by 8.1 % (at most 5.0 %), ' +
        'and other programs took 50.0 % of the cores (at most 5.0 %)',
    )
  })

  test('has no result when too few runs were quiet', async () => {
    const all = [quiet, noisy, noisy, quiet, noisy, noisy, quiet]
    expect(await measured(all, true)).toMatchObject({ runs: [], asked: 6 })
  })

  test('shows each run when it is not written', async () => {
    expect(await measured([noisy, quiet, noisy], false)).toMatchObject({ runs: [noisy, quiet, noisy], asked: 3 })
  })

  test('is measured once when it has no rounds, or cannot be measured here', async () => {
    expect(await measured([{}, quiet], true)).toMatchObject({ runs: [{}], asked: 1 })
    expect(await measured([undefined, quiet], true)).toMatchObject({ runs: undefined, asked: 1 })
  })
})

describe('stored results', () => {
  const machine = { Processor: 'one, 2 cores', 'Node.js': '20.20.2' }
  const set = { mixed: 1, machine }

  test('keep the sections that are not measured anew', () => {
    expect(keptOf(set, { machine, isWhole: false })).toBe(set)
    expect(keptOf(set, { machine, isWhole: true })).toEqual({})
    expect(keptOf(undefined, { machine, isWhole: false })).toEqual({})
  })

  test('are of one processor and one version of Node', () => {
    expect(nameOf(machine)).toBe('Node.js 20 on one, 2 cores')
    const other = { ...machine, 'Node.js': '20.21.0' }
    expect(nameOf(other)).toBe(nameOf(machine))
    expect(() => keptOf(set, { machine: other, isWhole: false })).toThrow(
      'The results are of Node.js 20.20.2: run all sections.',
    )
    expect(keptOf(set, { machine: other, isWhole: true })).toEqual({})
  })

  test('have a line for each section, and say the same when they are read again', () => {
    const sets = { [nameOf(machine)]: set, other: { verbs: { runs: [1, 2] }, machine } }
    const text = linesOf(sets)
    expect(JSON.parse(text)).toEqual(sets)
    expect(text.split('\n')).toHaveLength(10 + 1)
  })
})

describe('a number on the command line', () => {
  test('is a whole one within its bounds', () => {
    expect(['1', '40', '100'].map((text) => wholeNumber('rounds', text, 100))).toEqual([1, 40, 100])
  })

  test.each(['0', '101', '1.5', 'x', '', '-1'])('is not %p', (text) => {
    expect(() => wholeNumber('rounds', text, 100)).toThrow('--rounds must be a whole number from 1 to 100.')
  })
})
