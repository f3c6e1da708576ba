import type { ContractDocument } from '../model/files/document.ts'
import type { Kind } from '../model/grammar.ts'
import type { ContractModel } from '../model/model.ts'
import type { Path } from '../model/node.ts'
import type { Body, Operation, Parameter, Response } from '../model/operation.ts'
import type { Schema } from '../model/schema.ts'
import type { Part } from '../model/visit.ts'

/**
 * What a finding is worth:
 * - `refused`: a fault with which the service does not start, and a mock does not serve what needs the part;
 * - `unserved`: OpenAPI allows it, but the service cannot serve it, and treats it as `refused`;
 * - `wrong`: a fault with which the service starts;
 * - `warned`: something to look at;
 * - `noted`: what the service does in a way of its own.
 */
export type Level = 'refused' | 'unserved' | 'wrong' | 'warned' | 'noted'

/** The order of judgement. What an earlier stage refuses, a later one does not look into. */
export const stages = ['structure', 'references', 'schemas', 'values', 'rest'] as const
export type Stage = (typeof stages)[number]

/** What is wrong with a contract, or what the service does in a way of its own. */
export interface Finding {
  /** The id of its rule. */
  rule: string
  /** What it is about, for counting, such as `body`. */
  subject: string
  level: Level
  /** The keys from the root of the contract to the place. */
  at: Path
  /** Other places of the same fault. */
  alsoAt?: readonly Path[]
  /** The place in a file, such as `parts.yaml:12:3`, of what is no value of the contract. */
  place?: string
  /** What is wrong, as a sentence. */
  message: string
  /** What to do about it, as a sentence, where that is more than to write it in another way. */
  fix?: string
}

/** The operations that a finding concerns, as sentences name them. */
export interface Users {
  /** Their operationIds: `getPet`, or `getPet and 2 other operations`. */
  ids: string
  /** Their methods and paths: `GET /pets`, or `GET /pets and 2 other operations`. */
  names: string
}

/** Reports a finding at a place. A message of a part that several operations use is made for all of them. */
export type Report = (at: Path, message: string | ((users: Users) => string), more?: More) => void

export type More = Partial<Pick<Finding, 'alsoAt' | 'fix' | 'level' | 'place'>>

/** What rules look at. */
export interface Parts extends Record<Exclude<Kind, 'document' | 'schema' | 'operation'>, Part> {
  /** The whole contract. */
  document: ContractModel
  /** Each object of the files that is more than data, in the dialect in which it is written. */
  written: Part
  schema: Schema
  operation: Operation
  /** What operations have, behind references; once for each operation. */
  parameterOfOperation: { operation: Operation; parameter: Parameter }
  bodyOfOperation: { operation: Operation; body: Body }
  responseOfOperation: { operation: Operation; status: string; response: Response }
}

export interface Context {
  model: ContractModel
  /** A day in UTC, such as `2026-11-28`. */
  today: string
  /** Whether a stage before has refused something. */
  isRefused: boolean
}

/** One thing that a contract must be. */
export interface RuleOn<K extends keyof Parts> {
  /** The name in findings, which rules of one subject may share. */
  id: string
  on: K
  stage: Stage
  /** The level of its findings, if a report does not say another one; no finding has a higher one. */
  level: Level
  check: (part: Parts[K], report: Report, context: Context) => void
}

export type Rule = { [K in keyof Parts]: RuleOn<K> }[keyof Parts]

/** Declares a rule. One that does not name its stage is of the last one. */
export function rule<K extends keyof Parts>(rule: Omit<RuleOn<K>, 'stage'> & { stage?: Stage }): RuleOn<K> {
  return { stage: 'rest', ...rule }
}

/** What most rules on schemas have in common. */
export const ofSchema = { id: 'schemas', on: 'schema', stage: 'schemas' } as const

/** Whether the service does not start with a finding. */
export function isRefusal({ level }: Pick<Finding, 'level'>): boolean {
  return level === 'refused' || level === 'unserved'
}

/** The first refusal of a rule on the whole contract, in the order of its report, of those that count. */
export function firstRefusal(
  { check, level }: RuleOn<'document'>,
  model: ContractModel,
  counts: (found: { at: Path }) => boolean = () => true,
): Pick<Finding, 'at' | 'message' | 'fix'> | undefined {
  const found: (Pick<Finding, 'at' | 'fix' | 'level'> & { message: string })[] = []
  const report: Report = (at, message, more = {}) => {
    found.push({ level, ...more, at, message: typeof message === 'string' ? message : message({ ids: '', names: '' }) })
  }
  check(model, report, { model, today: '', isRefused: false })
  return found.find((one) => isRefusal(one) && counts(one))
}

/** An error that says a finding, after its place. */
export function fault(
  document: Pick<ContractDocument, 'place'>,
  { at, message, fix }: Pick<Finding, 'at' | 'message' | 'fix'>,
): Error {
  return new Error(`${document.place(at)} ${sentencesOf({ message, fix })}`)
}

/** What is wrong, and what to do about it where that is said. */
export function sentencesOf({ message, fix }: { message: string; fix?: string | undefined }): string {
  return fix === undefined ? message : `${message} ${fix}`
}
