import { follow, listOf, nodeOf } from '../../../../src/contract/document/tree.ts'
import { removal } from '../life-cycle.ts'
import { changeWording } from '../wording.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import { compareContent, compareValues } from './messages.ts'
import { compareDefaults } from './properties.ts'
import type { PairedOperation } from './sides.ts'
import { behind, inside, spotAt, type Part, type Spot } from './spot.ts'
import { compareLife, compareTexts } from './texts.ts'

/** Compares the parameters of an operation, by their names. */
export function compareParameters(here: Here, before: PairedOperation, after: PairedOperation): void {
  const { base, head } = here.all
  const isRenamed = before.path !== after.path
  const old = parametersOf(base.document.root, before, isRenamed)
  const now = parametersOf(head.document.root, after, isRenamed)
  const parent = spotAt(head.document.root, [...after.at, 'parameters'])
  for (const [key, spot] of now) {
    if (old.has(key)) continue
    const isRequired = behind(here.all, spot, spot)[1].node.required === true
    const [level, what] = isRequired
      ? (['breaking', 'added, and required'] as const)
      : (['compatible', 'added'] as const)
    tell(here, { rule: 'parameter-added', level, what }, { parent, after: spot })
  }
  for (const [key, spot] of old) {
    const other = now.get(key)
    if (other) compareParameter(here, ...behind(here.all, spot, other))
    else {
      const [parameter] = behind(here.all, spot, parent)
      const { level, what } = removal(parameter.node, here.all.today)
      // the service refuses a query that it does not know, and ignores such a header
      const isIgnored = level === 'breaking' && /^(header|cookie)/.test(key)
      const judgement = isIgnored ? { level: 'risky' as const, what: 'removed, so it has no effect' } : { level, what }
      tell(here, { rule: 'parameter-removed', ...judgement }, { parent, before: spot })
    }
  }
}

/** Headers that other parts of a contract declare (OpenAPI 3.0.3, parameter object). */
const ignored = ['header:accept', 'header:content-type', 'header:authorization']

/** The parameters of an operation by keys such as `query:limit`. Those of the path may have other names in both. */
function parametersOf(
  root: unknown,
  { at, path, operation, item }: PairedOperation,
  isRenamed: boolean,
): Map<string, Spot> {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const parameters = new Map<string, Spot>()
  for (const owner of [at.slice(0, -1), at]) {
    for (const index of listOf((owner === at ? operation : item).parameters).keys()) {
      const spot = spotAt(root, [...owner, 'parameters', String(index)])
      const node = nodeOf(follow(root, spot).value)
      const [place, name] = [String(node.in), String(node.name)]
      const position = place === 'path' && isRenamed ? names.indexOf(name) : -1
      const key = `${place}:${position >= 0 ? String(position) : place === 'header' ? name.toLowerCase() : name}`
      // a parameter of the operation overrides one of the path
      if (!ignored.includes(key)) parameters.set(key, spot)
    }
  }
  return parameters
}

function compareParameter(here: Here, old: Part, now: Part): void {
  const spots = { parent: now, before: old, after: now }
  compareTexts(here, [old], [now])
  compareLife(here, spots, old.node, now.node)
  const [was, is] = [old.node.required === true, now.node.required === true]
  if (was !== is) {
    const judgement = { rule: 'parameter-became-required', level: levelOf('request', is ? narrower : wider) }
    tell(here, { ...judgement, what: is ? 'became required' : 'became optional' }, { ...spots, property: 'required' })
  }
  const [form, formNow] = [serialization(old), serialization(now)]
  for (const [property, value] of Object.entries(formNow)) {
    if (form[property] === value) continue
    const isWider = property === 'allowEmptyValue' && value === true
    const judgement = { rule: 'parameter-serialization-changed', level: levelOf('request', isWider ? wider : narrower) }
    tell(here, { ...judgement, what: changeWording(property, form[property], value) }, { ...spots, property })
  }
  if (form.content !== formNow.content) return
  if (old.node.content !== undefined) compareContent(here, old, now)
  else compareValues({ ...here, isText: true }, old, now)
  const [schema, schemaNow] = [inside(old, 'schema'), inside(now, 'schema')]
  if (!was && schema.value !== undefined && schemaNow.value !== undefined) compareDefaults(here, [schema], [schemaNow])
}

/** How a parameter is written, with the defaults of OpenAPI. */
function serialization({ node }: Part): Record<string, unknown> {
  const isForm = node.in === 'query' || node.in === 'cookie'
  const style = node.style ?? (isForm ? 'form' : 'simple')
  return {
    content: node.content === undefined ? 'none' : Object.keys(nodeOf(node.content)).join(', '),
    style,
    explode: node.explode ?? style === 'form',
    allowReserved: node.allowReserved === true,
    allowEmptyValue: node.allowEmptyValue === true,
  }
}
