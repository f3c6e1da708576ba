import { messageOf } from '../../failure.ts'
import { documentOrder } from '../model/document-order.ts'
import { isInformative, type Kind } from '../model/grammar.ts'
import { kept } from '../../kept.ts'
import type { ContractModel } from '../model/model.ts'
import { pointerOf, type Node, type Path } from '../model/node.ts'
import type { Operation } from '../model/operation.ts'
import { isReference } from '../model/reference.ts'
import { Value } from '../model/value.ts'
import { inside, neededBy, reached, visit, type Part } from '../model/visit.ts'
import { faultyReferences } from './references.ts'
import {
  isRefusal,
  stages,
  type Context,
  type Finding,
  type Level,
  type Parts,
  type Report,
  type Rule,
  type Stage,
  type Users,
} from './rule.ts'

/** Rules by what they are about. */
export type RuleBook = Readonly<Record<string, readonly Rule[]>>

/** The findings of a contract in its order, each once. A rule that fails throws a `RuleFailure`. */
export function judge(model: ContractModel, book: RuleBook, { today = '' } = {}): Finding[] {
  const judgement = new Judgement({ model, today, isRefused: false })
  const rules = Object.entries(book).flatMap(([subject, all]) => all.map((rule) => ({ subject, rule })))
  for (const stage of stages) {
    for (const { subject, rule } of rules) if (rule.stage === stage) judgement.apply(rule, subject)
    judgement.close(stage)
  }
  return judgement.findings()
}

/** A rule that failed. It is a bug of this program, and no fault of the contract. */
export class RuleFailure extends Error {
  constructor(rule: string, place: string, cause: unknown) {
    const what = `${place} The rule ${rule} failed here: ${messageOf(cause).replace(/\.?$/, '.')}`
    super(`${what} That is a bug of this program and no fault of the contract; please report it with this part.`, {
      cause,
    })
  }
}

/** A part as rules get it, with its place, and the operation that has it, for rules that ask by operation. */
interface Judged {
  part: Parts[keyof Parts]
  kind: Kind
  node: Node
  at: Path
  operation?: Operation
}

/** A finding, whose operations are collected until the end. */
interface Found extends Omit<Finding, 'message'> {
  message: string | ((users: Users) => string)
  operations: Operation[]
  /** The place of the part in which it was found. */
  owner: string
  /** Whether later stages do not look into its place. */
  isBlocking: boolean
}

/** The faults of the stages before: their places, and the places of the parts that have them. */
interface Faults {
  places: Set<string>
  owners: Set<string>
}

class Judgement {
  #context: Context
  readonly #found = new Map<string, Found>()
  readonly #parts = new Map<keyof Parts, readonly Judged[]>()
  /** Faults after which no rule looks at a part, and those after which no rule looks at its values. */
  readonly #refused: Faults = { places: new Set(), owners: new Set() }
  readonly #wrong: Faults = { places: new Set(), owners: new Set() }
  readonly #misplaced = new Set<string>()
  #faultyReferences: ReadonlySet<unknown> = new Set()
  #reported: Found[] = []

  constructor(context: Context) {
    this.#context = context
  }

  apply(rule: Rule, subject: string): void {
    for (const judged of this.#partsOf(rule.on)) {
      if (this.#isHidden(rule, judged)) continue
      const check = rule.check as (part: unknown, report: Report, context: Context) => void
      try {
        check(judged.part, this.#reporter(rule, subject, judged), this.#context)
      } catch (error) {
        throw new RuleFailure(rule.id, this.#context.model.place(judged.at), error)
      }
    }
  }

  #reporter({ id, stage, level: usual }: Rule, subject: string, { at: owner, operation }: Judged): Report {
    const { root } = this.#context.model
    return (at, message, { level: said = usual, ...more } = {}) => {
      if (stage !== 'structure' && isInside(at, this.#refused.places)) return
      const text = typeof message === 'string' ? message : message({ ids: '', names: '' })
      const key = `${id} ${more.place ?? pointerOf(at)} ${text}`
      const known = this.#found.get(key)
      if (known) {
        if (operation && !known.operations.includes(operation)) known.operations.push(operation)
        return
      }
      const operations = operation ? [operation] : []
      const isBlocking = isRefusal({ level: said })
      const isNeeded = isBlocking && ![at, ...(more.alsoAt ?? [])].every((place) => isInformative({ root, at: place }))
      const level = isNeeded ? said : withoutEffect[said]
      const found: Found = {
        ...{ rule: id, subject, level, at, message, ...more },
        ...{ operations, owner: pointerOf(owner), isBlocking },
      }
      this.#found.set(key, found)
      if (stage === 'structure') this.#misplaced.add(pointerOf(at))
      this.#reported.push(found)
    }
  }

  /** Ends a stage: later ones do not look into what it found. */
  close(stage: Stage): void {
    for (const found of this.#reported) {
      const isRefused = found.isBlocking && (stage === 'structure' || stage === 'references')
      if (isRefused) add(this.#refused, found)
      if (found.isBlocking || found.level === 'wrong') add(this.#wrong, found)
    }
    if (stage === 'references' && this.#reported.some(({ isBlocking }) => isBlocking)) {
      this.#faultyReferences = faultyReferences(Value.of(this.#context.model.root))
    }
    this.#context = { ...this.#context, isRefused: this.#refused.owners.size > 0 }
    this.#reported = []
  }

  #isHidden({ stage, on }: Rule, { part, kind, node, at, operation }: Judged): boolean {
    const { owners, places } = this.#refused
    if (on === 'document') return false
    // the kind of what stands at a wrong place is not known
    if (stage === 'structure') return isInside(at, this.#misplaced)
    if ((owners.size > 0 && owners.has(pointerOf(at))) || isInside(at, places)) return true
    if (stage === 'values') return !this.#isSound(this.#wrong, { kind, node, at }, inside)
    if (operation === undefined) return false
    const parameters = part === operation ? operation.parameters : []
    const all = [{ kind, node, at }, ...parameters.map((one) => ({ kind: 'parameter' as const, ...placed(one) }))]
    return !all.every((one) => this.#isSound(this.#refused, one, neededBy))
  }

  /** Whether no fault is in a part, nor in what it refers to. */
  #isSound({ owners }: Faults, start: Part, held: (part: Part) => Part[]): boolean {
    if (owners.size === 0) return true
    const { resolve } = this.#context.model
    for (const { node, at } of reached(start, { resolve, held })) {
      if (isReference(node) ? this.#faultyReferences.has(node) : owners.has(pointerOf(at))) return false
    }
    return true
  }

  #partsOf(on: keyof Parts): readonly Judged[] {
    if (this.#parts.size === 0) this.#collect()
    return kept(this.#parts, on, () => partsOf(this.#context.model, on))
  }

  /** Collects the parts of each kind that are no references. */
  #collect(): void {
    const { model } = this.#context
    const byKind = new Map<Kind, Judged[]>()
    model.visit((part) => {
      const { kind, node, at } = part
      if (isReference(node)) return
      const all = kept(byKind, kind, () => [])
      all.push({ part: kind === 'schema' ? model.schema(node, at) : part, kind, node, at })
    })
    for (const [kind, all] of byKind) if (kind !== 'document' && kind !== 'operation') this.#parts.set(kind, all)
  }

  findings(): Finding[] {
    const order = documentOrder(this.#context.model.root)
    return [...this.#found.values()]
      .sort((a, b) => order(a.at, b.at))
      .map(({ operations, message, owner: _, isBlocking: __, ...finding }) => {
        const ids = listed(operations.map(({ operationId }) => operationId))
        const names = listed(operations.map(({ name }) => name))
        return { ...finding, message: typeof message === 'string' ? message : message({ ids, names }) }
      })
  }
}

/** What a refusal is worth where no request and no answer depends on it. */
const withoutEffect: Readonly<Record<Level, Level>> = {
  refused: 'wrong',
  unserved: 'noted',
  wrong: 'wrong',
  warned: 'warned',
  noted: 'noted',
}

function add({ places, owners }: Faults, { at, alsoAt = [], owner, level, isBlocking }: Found): void {
  const place = pointerOf(at)
  // the rest of a part does not depend on its texts
  const isOfText = isBlocking && !isRefusal({ level }) && place !== owner
  if (!isOfText) owners.add(owner)
  // a fault of the part itself, such as a missing key, says nothing of what is in it
  if (place !== owner) places.add(place)
  for (const other of alsoAt) places.add(pointerOf(other))
}

function isInside(at: Path, places: ReadonlySet<string>): boolean {
  if (places.size === 0) return false
  return at.some((_, index) => places.has(pointerOf(at.slice(0, index + 1))))
}

function partsOf(model: ContractModel, on: keyof Parts): Judged[] {
  const { operations, root } = model
  switch (on) {
    case 'document':
      return [{ part: model, kind: 'document', node: root, at: [] }]
    case 'written':
      return written(model)
    case 'operation':
      return operations.map((operation) => ({ part: operation, kind: 'operation', ...placed(operation), operation }))
    case 'parameterOfOperation':
      return operations.flatMap((operation) =>
        operation.parameters.map((parameter): Judged => {
          return { part: { operation, parameter }, kind: 'parameter', ...placed(parameter), operation }
        }),
      )
    case 'bodyOfOperation':
      return operations.flatMap((operation) => {
        const { body } = operation
        return body ? { part: { operation, body }, kind: 'requestBody', ...placed(body), operation } : []
      })
    case 'responseOfOperation':
      return operations.flatMap((operation) =>
        Array.from(operation.responses, ([status, response]): Judged => {
          return { part: { operation, status, response }, kind: 'response', ...placed(response), operation }
        }),
      )
    default:
      return []
  }
}

function placed({ node, at }: { node: Node; at: Path }): { node: Node; at: Path } {
  return { node, at }
}

/** The parts of the files as they are written. */
function written({ document }: ContractModel): Judged[] {
  const found: Judged[] = []
  visit(document.source, (part) => {
    found.push({ part, ...part })
  })
  return found
}

function listed([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first
  return `${first} and ${others.length} other operation${others.length === 1 ? '' : 's'}`
}
