import { collectDefaultMetrics, Registry, type Histogram } from 'prom-client'
import { seriesOf, type Durations } from './durations.ts'
import type { Series } from './of-workers.ts'

/** A value with its labels. */
export interface Sample {
  labels: object
  value: number
}

/** Metrics whose values are read when they are collected. */
export interface Collected {
  registry: Registry
  counter: (name: string, help: string, samples: () => Sample[]) => void
  gauge: (name: string, help: string, samples: () => Sample[]) => void
  /** A sum and a count, without quantiles. */
  summary: (name: string, help: string, read: () => { sum: number; count: number }) => void
  histogram: (name: string, help: string, all: () => { labels: object; durations: Durations }[]) => void
}

/** Opens a registry with the metrics of the process. */
export function openRegistry(): Collected {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // their names are those of counters, which they are not
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  return {
    registry,
    counter: (name, help, samples) => {
      register(registry, { name, help, type: 'counter' }, samples)
    },
    gauge: (name, help, samples) => {
      register(registry, { name, help, type: 'gauge' }, samples)
    },
    summary: (name, help, read) => {
      register(registry, { name, help, type: 'summary' }, () => {
        const { sum, count } = read()
        return [
          { metricName: `${name}_sum`, labels: {}, value: sum },
          { metricName: `${name}_count`, labels: {}, value: count },
        ]
      })
    },
    histogram: (name, help, all) => {
      register(registry, { name, help, type: 'histogram' }, () =>
        all().flatMap(({ labels, durations }) => seriesOf(name, labels, durations)),
      )
    },
  }
}

/** A series without labels; none while there is no value. */
export function samplesOf(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }]
}

/** A registry of metrics that were collected elsewhere. */
export function registryOf(series: Series): Registry {
  const registry = new Registry()
  for (const metric of series) register(registry, metric, () => metric.values)
  return registry
}

/** prom-client's types allow only metrics of its own classes. */
function register(
  registry: Registry,
  { name, help, type }: Pick<Series[number], 'name' | 'help'> & { type: unknown },
  values: () => object[],
): void {
  const metric = { name, help, type, get: () => Promise.resolve({ name, help, type, values: values() }) }
  registry.registerMetric(metric as unknown as Histogram)
}
