/** How requests are traced. */
export interface Tracing {
  protocol: Protocol
  sampling: Sampling
}

/** Which requests are traced. */
export interface Sampling {
  /** The share of requests without a `traceparent`, 0 to 1. */
  share: number
  /** Whether a client that sends a `traceparent` decides for its own requests. */
  byParent: boolean
}

const protocols = ['http/protobuf', 'http/json'] as const
type Protocol = (typeof protocols)[number]

const samplers = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
]

/** Reads a setting, and keeps what is wrong with it. */
type Read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, allowed: string) => T

/** Undefined unless an endpoint or the exporter is named. The libraries read the other variables of OpenTelemetry. */
export function readTracing(read: Read): Tracing | undefined {
  const address = 'an http or https address, such as http://127.0.0.1:4318'
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', '', httpAddress, address)
  const tracesEndpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '', httpAddress, address)
  const exporter = read('OTEL_TRACES_EXPORTER', '', oneOf(['otlp', 'none']), 'otlp or none')
  const disabled = read('OTEL_SDK_DISABLED', 'false', oneOf(['true', 'false']), 'true or false')
  const general = read('OTEL_EXPORTER_OTLP_PROTOCOL', protocols[0], protocolOf, protocols.join(' or '))
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', general, protocolOf, protocols.join(' or '))
  const sampler = read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', oneOf(samplers), samplers.join(', '))
  const ratio = read('OTEL_TRACES_SAMPLER_ARG', 1, ratioOf, 'a number, 0 to 1')
  const wanted = endpoint + tracesEndpoint !== '' || exporter === 'otlp'
  return wanted && exporter !== 'none' && disabled !== 'true'
    ? { protocol, sampling: samplingOf(sampler, ratio) }
    : undefined
}

function oneOf(all: readonly string[]): (text: string) => string | undefined {
  return (text) => all.find((one) => one === text)
}

function protocolOf(text: string): Protocol | undefined {
  return protocols.find((one) => one === text)
}

function httpAddress(text: string): string | undefined {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined
}

function ratioOf(text: string): number | undefined {
  return /^(0|1|[01]?\.\d+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined
}

function samplingOf(sampler: string, ratio: number): Sampling {
  const share = sampler.endsWith('ratio') ? ratio : sampler.endsWith('on') ? 1 : 0
  return { share, byParent: sampler.startsWith('parentbased') }
}
