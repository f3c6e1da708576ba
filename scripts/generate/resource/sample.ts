import { stringify } from 'lossless-json'
import type { CompiledOperation, Contract } from '../../../src/contract/compiled.ts'
import type { Media } from '../../../src/contract/model/media.ts'
import type { Operation } from '../../../src/contract/model/operation.ts'
import { messageOf } from '../../../src/failure.ts'
import { samplers } from '../../../src/mock/sample.ts'

/** A valid body of an operation as JSON: its first example that is one, or a value made up from the schema. */
export function sample(contract: Contract, operation: Operation): string | undefined {
  const compiled = contract.operations.get(operation.operationId)
  const media = operation.body?.content.find(({ kind }) => kind === 'json')
  if (!compiled || !media) return undefined
  for (const make of [
    ...media.examples.map(
      ({ value }) =>
        () =>
          value,
    ),
    () => media.schema?.get('example'),
    ...(media.schema ? samplers(media.schema) : []),
  ]) {
    const body = attempt(make)
    if (body !== undefined && isValid(compiled, media, body)) return stringify(body)
  }
  return undefined
}

function attempt(make: () => unknown): unknown {
  try {
    return make()
  } catch {
    return undefined
  }
}

function isValid(compiled: CompiledOperation, { type }: Media, body: unknown): boolean {
  try {
    compiled.read({
      values: compiled.operationId.split('').map(() => '1'),
      query: '',
      headers: {},
      body: structuredClone(body),
      type,
    })
    return true
  } catch (error) {
    return !/(?:^|; )body\b/.test(messageOf(error))
  }
}
