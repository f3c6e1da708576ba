import { newDurations, observe, type Durations } from './durations.ts'

export interface Answered {
  /** Undefined when the request matched no operation. */
  operationId: string | undefined
  status: number
  /** The error code of a failure. */
  code: string | undefined
  /** Why the store could not answer. */
  reason?: string | undefined
  durationS: number
}

/** The counts of answers. */
export interface Answers {
  operations: ReadonlyMap<string, OperationTally>
  /** By error code. */
  failures: ReadonlyMap<string, number>
  /** Failures of the store, by their reason. */
  reasons: ReadonlyMap<string, number>
  add: (answer: Answered) => void
}

/**
 * The counts of one operation. prom-client would look up the series by its labels at every request, which took 1.5 µs;
 * so its metrics are made from these counts when they are collected.
 */
interface OperationTally {
  statuses: Map<number, number>
  durations: Durations
}

/** The status of each error code may be that of every operation. */
export function openAnswers(
  declared: readonly { operationId: string; statuses: readonly number[] }[],
  errorStatuses: Readonly<Record<string, number>>,
  known: readonly string[],
): Answers {
  const errors = Object.values(errorStatuses)
  // an OPTIONS request is 204
  const all = [...declared, { operationId: 'none', statuses: [204] }]
  const operations = new Map(
    all.map(({ operationId, statuses }) => [operationId, newTally([...statuses, ...errors])] as const),
  )
  const failures = new Map(Object.keys(errorStatuses).map((code) => [code, 0]))
  const reasons = new Map(known.map((reason) => [reason, 0]))
  return {
    operations,
    failures,
    reasons,
    add: ({ operationId = 'none', status, code, reason, durationS }) => {
      let tally = operations.get(operationId)
      if (!tally) operations.set(operationId, (tally = newTally([])))
      const { statuses, durations } = tally
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (code !== undefined) failures.set(code, (failures.get(code) ?? 0) + 1)
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      observe(durations, durationS)
    },
  }
}

function newTally(statuses: readonly number[]): OperationTally {
  const inOrder = statuses.toSorted((a, b) => a - b)
  return { statuses: new Map(inOrder.map((status) => [status, 0])), durations: newDurations() }
}
