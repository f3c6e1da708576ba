import { _, type Ajv, type CodeGen, type CodeKeywordDefinition, type Name } from 'ajv'
import names from 'ajv/dist/compile/names.js'

/** After this many faults of the items of a list, or of the properties of an object, no more of them are looked for. */
export const maxFaults = 20

/** Keywords whose check goes through the items or properties of a value, which may be many. */
const loops = [
  ...['items', 'additionalItems', 'additionalProperties', 'patternProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
]

/** Longer enums are looked up instead of being compared value by value. */
const comparedValues = 20

/**
 * Bounds what the check of a wrong value costs. Lists of faults stay short: a loop over a value ends after some faults,
 * and alternatives that all fail have one fault together instead of those of each. Enums of many values are looked up.
 */
export function boundChecks(ajv: Pick<Ajv, 'RULES'>): void {
  for (const keyword of loops) change(ajv, keyword, endedLoop)
  for (const keyword of ['anyOf', 'oneOf']) change(ajv, keyword, oneFault)
  change(ajv, 'enum', lookedUp)
}

type MakeCode = CodeKeywordDefinition['code']

/** Changes how the code of a keyword is made. Its place among the others stays, on which unevaluated properties depend. */
function change(ajv: Pick<Ajv, 'RULES'>, keyword: string, make: (code: MakeCode) => MakeCode): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object') return
  const definition = rule.definition as CodeKeywordDefinition
  definition.code = make(definition.code)
}

/** Ends each loop over a value after `maxFaults` faults in it. */
function endedLoop(code: MakeCode): MakeCode {
  return (cxt, ruleType) => {
    const { gen, it } = cxt
    // otherwise the first fault ends it
    if (it.allErrors !== true) {
      code(cxt, ruleType)
      return
    }
    const [forRange, forIn] = [gen.forRange.bind(gen), gen.forIn.bind(gen)]
    const restore = (): void => {
      Reflect.deleteProperty(gen, 'forRange')
      Reflect.deleteProperty(gen, 'forIn')
    }
    /** Makes a loop; loops inside it are not of this keyword. */
    const bounded = (loop: (body: (name: Name) => void) => CodeGen, body: (name: Name) => void): CodeGen => {
      const start = gen.const('_start', names.default.errors)
      restore()
      const made = loop((name) => {
        body(name)
        gen.if(_`${names.default.errors} - ${start} >= ${maxFaults}`, () => gen.break())
      })
      bind()
      return made
    }
    const bind = (): void => {
      gen.forRange = (name, from, to, body, kind) => bounded((inner) => forRange(name, from, to, inner, kind), body)
      gen.forIn = (name, object, body, kind) => bounded((inner) => forIn(name, object, inner, kind), body)
    }
    bind()
    code(cxt, ruleType)
    restore()
  }
}

/** Leaves the faults of alternatives out. Those of the one that is meant are found when a message is made. */
function oneFault(code: MakeCode): MakeCode {
  return (cxt, ruleType) => {
    const error = cxt.error.bind(cxt)
    cxt.error = (...args) => {
      cxt.reset()
      error(...args)
    }
    code(cxt, ruleType)
  }
}

function lookedUp(code: MakeCode): MakeCode {
  return (cxt, ruleType) => {
    const values = cxt.schema as readonly unknown[]
    const isPlain = values.every((value) => typeof value !== 'object' || value === null)
    if (values.length <= comparedValues || !isPlain) code(cxt, ruleType)
    else cxt.pass(_`${cxt.gen.scopeValue('obj', { ref: new Set(values) })}.has(${cxt.data})`)
  }
}
