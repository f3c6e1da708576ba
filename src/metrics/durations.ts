/** Upper bounds of the buckets, in seconds. */
const bucketsS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A histogram of durations. prom-client's own would look up the series by its labels at every observation. */
export interface Durations {
  /** Durations in each bucket and above the last, not cumulative. */
  buckets: number[]
  count: number
  sumS: number
}

export function newDurations(): Durations {
  return { buckets: Array.from({ length: bucketsS.length + 1 }, () => 0), count: 0, sumS: 0 }
}

export function observe(durations: Durations, durationS: number): void {
  let bucket = 0
  while (durationS > (bucketsS[bucket] ?? Infinity)) bucket++
  durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1
  durations.count++
  durations.sumS += durationS
}

/** The series of a histogram, as a registry of prom-client holds them. */
export function seriesOf(name: string, labels: object, { buckets, count, sumS }: Durations): object[] {
  let below = 0
  return [
    ...buckets.map((fell, index) => ({
      metricName: `${name}_bucket`,
      labels: { le: bucketsS[index] ?? '+Inf', ...labels },
      value: (below += fell),
    })),
    { metricName: `${name}_sum`, labels, value: sumS },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
