import type { CompiledOperation } from '../../../src/contract/compiled.ts'

/** A value whose reads are counted, in all of its parts. */
export function counted(value: unknown): { value: unknown; reads: () => number } {
  let reads = 0
  const known = new Map<object, unknown>()
  const watched = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
    const before = known.get(value)
    if (before) return before
    const proxy = new Proxy(value, {
      get: (target, key): unknown => {
        reads += 1
        return watched(Reflect.get(target, key))
      },
      has: (target, key) => {
        reads += 1
        return Reflect.has(target, key)
      },
    })
    known.set(value, proxy)
    return proxy
  }
  return { value: watched(value), reads: () => reads }
}

/** What the check of a body reads of it, and what it says. */
export function work(
  operation: CompiledOperation,
  body: unknown,
  type = 'application/json',
): { reads: number; fault: string | undefined } {
  const { value, reads } = counted(body)
  try {
    operation.read({ values: [], query: '', headers: {}, body: value, type })
    return { reads: reads(), fault: undefined }
  } catch (error) {
    return { reads: reads(), fault: (error as Error).message }
  }
}
