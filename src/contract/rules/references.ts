import type { ContractDocument } from '../model/files/document.ts'
import { isRemote } from '../model/files/reader.ts'
import { isInformative, placeOf, sections, type Kind } from '../model/grammar.ts'
import { nearestTo } from '../model/nearest.ts'
import { isNode, type Path } from '../model/node.ts'
import { isReference, pathOfReference } from '../model/reference.ts'
import { referencesIn } from '../model/found-references.ts'
import { isOfJsonSchema } from '../model/version.ts'
import { modelOf } from '../model/model.ts'
import { Value } from '../model/value.ts'
import { nesting } from './nesting.ts'
import { fault, firstRefusal, type Level, type Report, rule } from './rule.ts'

/** What is wrong with a reference. */
interface Fault {
  message: string
  fix: string
  level?: Level
  isCircle?: boolean
}

/**
 * Every reference leads to a part of the contract of the kind that belongs there. Each is judged at its first place, and
 * keys beside one are a warning.
 */
export const references = rule({
  id: 'references',
  on: 'document',
  stage: 'references',
  level: 'refused',
  check: ({ document: { root, lost }, isJsonSchema }, report) => {
    for (const { at, alsoAt, message, fix } of lost) report(at, message, { fix, alsoAt })
    const found = new Map<string, { reference: string; at: Path; fault: Fault | undefined; others: Path[] }>()
    for (const { node, reference, at, siblings } of referencesIn(root)) {
      const expected = placeOf({ root, at })?.kind
      const use = `${reference} ${expected ?? ''}`
      const known = found.get(use)
      if (known) known.others.push(at)
      else found.set(use, { reference, at, fault: faultOf(new Value(root, node, at), reference, expected), others: [] })
      // of OpenAPI 3.1, texts may stand beside a reference, and what else does is combined with it
      if (!isJsonSchema && !found.get(use)?.fault) checkSiblings(siblings, at, report)
    }
    const all = [...found.values()]
    const circles = new Set<string>()
    for (const { reference, at, fault, others } of all) {
      if (!fault || circles.has(reference)) continue
      const circle = new Set<string>()
      if (fault.isCircle) addCircle(Value.of(root), reference, circle)
      circle.forEach((one) => circles.add(one))
      const place = fault.isCircle ? pathOfReference(reference) : at
      const message = others.length === 0 ? fault.message : `${fault.message} It is used ${others.length + 1} times.`
      const ofCircle = all.filter((one) => circle.has(one.reference)).flatMap((one) => [one.at, ...one.others])
      const alsoAt = (fault.isCircle ? ofCircle : others).map((one) => [...one, '$ref'])
      const { fix, level = 'refused' } = fault
      report([...place, '$ref'], message, { fix, level, alsoAt })
    }
  },
})

/** A reference is a text. */
export const referenceTexts = rule({
  id: 'references',
  on: 'written',
  stage: 'references',
  level: 'refused',
  check: ({ node, at }, report) => {
    if (!Object.hasOwn(node, '$ref') || typeof node.$ref === 'string') return
    report([...at, '$ref'], 'The $ref is not a text.', { fix: "Write it such as '#/components/schemas/Name'." })
  },
})

/** The references of a contract that cannot be followed to what they stand for. */
export function faultyReferences({ root }: Value): Set<unknown> {
  const faults = new Map<string, Fault | undefined>()
  const nodes = referencesIn(root).filter(({ node, reference, at }) => {
    const expected = placeOf({ root, at })?.kind
    const use = `${reference} ${expected ?? ''}`
    if (!faults.has(use)) faults.set(use, faultOf(new Value(root, node, at), reference, expected))
    // what remains of references to other files leads to nothing
    return faults.get(use) !== undefined || !reference.startsWith('#')
  })
  return new Set(nodes.map(({ node }) => node))
}

/**
 * Throws an error that begins with the place for a reference that leads to no part of the contract, or to more schemas in
 * each other than can be followed.
 */
export function requireReferences(document: ContractDocument): void {
  const model = modelOf(document)
  const isOfPart = ({ at }: { at: Path }): boolean => !isOfText({ root: document.root, at: at.slice(0, -1) })
  const found = firstRefusal(references, model, isOfPart) ?? firstRefusal(nesting, model)
  if (found) throw fault(document, found)
}

/** Whether a place is in a text for people, such as the description of a tag, and has no part of a contract. */
function isOfText(place: Pick<Value, 'root' | 'at'>): boolean {
  return placeOf(place) === undefined && isInformative(place)
}

/**
 * A replacer for JSON that tools read which follow every `$ref`: in what only looks like a reference the key is left out.
 */
export function withoutOtherRefs({ root }: Pick<ContractDocument, 'root'>): (key: string, value: unknown) => unknown {
  const references = new Set(referencesIn(root).flatMap(({ node, at }) => (isOfText({ root, at }) ? [] : node)))
  return (_, value) => {
    if (!isReference(value) || references.has(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== '$ref'))
  }
}

/** A path item may have keys beside its `$ref` (OpenAPI 3.0.3, Path Item Object). */
function checkSiblings(siblings: readonly string[], at: Path, report: Report): void {
  const others = siblings.filter((key) => !key.startsWith('x-'))
  const [first] = others
  if (first === undefined || at.length === 2) return
  const message = `${others.join(', ')} beside $ref ${others.length === 1 ? 'has' : 'have'} no effect.`
  const fix = 'Take it away, or put the $ref alone into an allOf.'
  report([...at, first], message, { fix, level: 'warned' })
}

/** Adds all references of a circle, which is one fault. */
function addCircle(document: Value, reference: string, circle: Set<string>): void {
  let next: unknown = { $ref: reference }
  while (isReference(next) && !circle.has(next.$ref)) {
    circle.add(next.$ref)
    next = document.find(pathOfReference(next.$ref), [next.$ref]).value
  }
}

function faultOf(value: Value, reference: string, expected: Kind | undefined): Fault | undefined {
  const which = `The $ref ${JSON.stringify(reference)}`
  if (!isAllowed(value, expected)) {
    return { message: `${which} stands where OpenAPI allows no reference.`, fix: 'Write the part itself there.' }
  }
  if (isRemote(reference)) {
    const message = `${which} leads to an address of the network, and nothing is fetched.`
    return { message, fix: 'Save that part in a file, and refer to the file.', level: 'unserved' }
  }
  if (reference === '') return { message: 'The $ref is empty.', fix: "Write it such as '#/components/schemas/Name'." }
  // judged when the files were read
  if (!reference.startsWith('#')) return undefined
  try {
    if (value.target.isThere) {
      const wrong = expected === undefined ? undefined : wrongKind(value.find(pathOfReference(reference)), expected)
      return wrong === undefined ? undefined : { message: `${which} ${wrong}`, fix: fixOf(expected) }
    }
  } catch {
    const message = `${which} leads back to itself, so it stands for nothing.`
    return { message, fix: 'Write the part itself at one of the references.', isCircle: true }
  }
  const near = nearestTo(value, pathOfReference(reference))
  const fix = near === undefined ? 'Add that part, or correct the name.' : `Did you mean "${near}"?`
  return { message: `${which} leads to nothing.`, fix }
}

function isAllowed({ root, at }: Value, expected: Kind | undefined): boolean {
  if (expected === undefined) return !unlike.has(at[0] ?? '')
  return expected in sections || expected === 'pathItem' || (expected === 'media' && isOfJsonSchema(root))
}

const words: Readonly<Record<Kind, string>> = {
  document: 'the whole contract',
  components: 'the components',
  pathItem: 'a path',
  operation: 'an operation',
  parameter: 'a parameter',
  requestBody: 'a request body',
  media: 'a media type',
  encoding: 'an encoding',
  response: 'a response',
  callback: 'a callback',
  header: 'a header',
  example: 'an example',
  link: 'a link',
  schema: 'a schema',
  securityScheme: 'a security scheme',
}

/** Keys of a contract with nothing that a reference may stand for. */
const unlike = new Set(['info', 'servers', 'security', 'tags', 'externalDocs'])

/** Why what a reference leads to cannot stand where the reference does, as the end of a sentence. */
function wrongKind(target: Value, expected: Kind): string | undefined {
  const { root, at, value } = target
  const isData = at.some((key) => key.startsWith('x-') || key === 'example' || key === 'examples')
  const placed = isData ? undefined : placeOf(target)
  if (placed?.isPart === true && placed.kind === expected) return undefined
  const isSchema = expected === 'schema' && typeof value === 'boolean' && isOfJsonSchema(root)
  // what an extension or an example has is not known
  if (!placed && !unlike.has(at[0] ?? '') && (isNode(value) || isSchema)) return undefined
  const what = placed?.isPart === true ? words[placed.kind] : describe(value)
  return `leads to ${what}, where ${words[expected]} belongs.`
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return isNode(value) ? 'a mapping' : 'a single value'
}

function fixOf(expected: Kind | undefined): string {
  const section = expected && sections[expected]
  return section === undefined ? 'Correct the reference.' : `Refer to a part of components.${section}.`
}
