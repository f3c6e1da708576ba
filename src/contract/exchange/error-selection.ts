import type { ErrorObject } from 'ajv'
import { exactText } from '../../integers.ts'
import { kept } from '../../kept.ts'

/** Gives the faults of a value by a schema; `at` is the path that they get in front. */
export type FaultsBy = (schema: unknown, value: unknown, at: string) => readonly ErrorObject[]

/** The parameters of the fault that a value has in one way or another, each of which a `oneOf` or `anyOf` allows. */
export interface EitherParams {
  either: readonly ErrorObject[]
}

/** Alternatives in alternatives up to this depth are looked into: each level costs another check of what is in it. */
const maxDepth = 4

/**
 * The faults that tell what is wrong, in their order. Of alternatives those of the one that is meant are told: of the
 * type of the value, and with the fewest faults. Which one a property names is part of the schema already.
 */
export function relevantFaults(errors: readonly ErrorObject[], faultsBy: FaultsBy): ErrorObject[] {
  return withoutEffects(chosen(errors, faultsBy, 0))
}

/** The faults, with those of the nearest alternatives instead of that of a `oneOf` or `anyOf`. */
function chosen(errors: readonly ErrorObject[], faultsBy: FaultsBy, depth: number): ErrorObject[] {
  return errors.flatMap((error) => {
    const { keyword, params, instancePath, data } = error
    const isChoice = keyword === 'oneOf' || keyword === 'anyOf'
    const passing = (params as { passingSchemas?: unknown }).passingSchemas
    if (!isChoice || Array.isArray(passing) || depth === maxDepth) return [error]
    const all = (error.schema as unknown[]).map((schema) => faultsBy(schema, data, instancePath))
    return nearest(
      error,
      all.map((faults) => chosen(faults, faultsBy, depth + 1)),
    )
  })
}

/** The faults of the alternative that is meant, or what can be said of several that may be. */
function nearest(error: ErrorObject, all: readonly ErrorObject[][]): ErrorObject[] {
  const ofType = all.filter((faults) => !faults.some((one) => isTypeFault(one, error.instancePath)))
  const likely = (ofType.length > 0 ? ofType : all).map(withoutEffects)
  const fewest = Math.min(...likely.map(({ length }) => length))
  const [first = [], ...others] = likely.filter(({ length }) => length === fewest)
  if (others.length === 0 && first.length > 0) return first
  if (fewest === 1) return [{ ...error, params: { either: [...first, ...others.flat()] } satisfies EitherParams }]
  const shared = others.map((faults) => new Set(faults.map(keyOf)))
  return [...first.filter((one) => shared.every((keys) => keys.has(keyOf(one)))), error]
}

/** Whether a fault says that the value at a place is of another type than those that are allowed. */
function isTypeFault({ keyword, instancePath, params, data }: ErrorObject, at: string): boolean {
  const { either, allowedValues } = params as Partial<EitherParams> & { allowedValues?: unknown[] }
  if (either) return either.every((one) => isTypeFault(one, at))
  if (instancePath !== at) return false
  const isObject = typeof data === 'object' && data !== null
  return keyword === 'type' || (isObject && allowedValues?.every((one) => typeof one !== 'object') === true)
}

/** Without the faults that say nothing beside others of the same value. */
function withoutEffects(errors: readonly ErrorObject[]): ErrorObject[] {
  const keywords = new Map<string, Set<string>>()
  const ofValue = (error: ErrorObject): Set<string> => {
    return kept(keywords, `${error.instancePath} ${error.propertyName ?? ''}`, () => new Set())
  }
  for (const error of errors) if (error.keyword !== 'if') ofValue(error).add(error.keyword)
  return errors.filter((error) => {
    const { keyword } = error
    // a condition fails only with what depends on it, and names with a name
    if (keyword === 'if' || keyword === 'propertyNames') return false
    const others = ofValue(error)
    return keyword === 'pattern' ? others.size === 1 : keyword !== 'type' || !others.has('enum')
  })
}

function keyOf({ instancePath, keyword, params }: ErrorObject): string {
  return `${instancePath} ${keyword} ${exactText(params)}`
}
