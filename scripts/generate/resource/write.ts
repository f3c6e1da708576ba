import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import prettier from 'prettier'
import type { Contract } from '../../../src/contract/compiled.ts'
import { compileContract } from '../../../src/contract/contract.ts'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { handlerFile, type WrittenFile } from './handlers.ts'
import { planOf, type ResourcePlan, type Verb } from './plan.ts'
import { namesOf, tableText, type Free } from './table-text.ts'
import { testFiles } from './tests.ts'

/** The files that were written, and what a person still has to write: sentences that begin with a place. */
export interface WrittenResources {
  files: string[]
  left: string[]
}

/**
 * Writes the tables, the handlers and the tests of paths of the contract. They are the developer's own from then on, so a
 * file that is there already is refused, and then nothing is written. The other tables must be in generated/tables.ts.
 */
export async function writeResources(
  root: string,
  contract: ContractDocument,
  paths: readonly string[],
): Promise<WrittenResources> {
  const plans = paths.map((path) => planOf(modelOf(contract), path))
  const free = await freeOf(plans)
  const compiled = await compileContract(contract, { checked: true, checkResponses: true, publicUrl: '' })
  const all = plans.map((plan, index) => filesOf(plan, free[index] as Free, { contract, compiled }))
  const files = all.flatMap((one) => one.files)
  refuseThere(root, files)
  const left = all.flatMap((one) => one.notes)
  for (const file of files) left.push(...(await write(root, file)))
  return { files: files.map(({ name }) => name), left }
}

function filesOf(
  plan: ResourcePlan,
  free: Free,
  { contract, compiled }: { contract: ContractDocument; compiled: Contract },
): { files: WrittenFile[]; notes: string[] } {
  const notes: string[] = []
  const verbs = (Object.keys(plan.verbs) as Verb[]).filter((verb) => plan.verbs[verb] !== undefined)
  const handlers = verbs.flatMap((verb) => {
    const operation = plan.verbs[verb]
    const file = operation && handlerFile(plan, verb, operation)
    if (operation && !file) {
      const place = contract.place(operation.at)
      notes.push(
        `${place} ${operation.operationId}: its body or answer is no ${plan.one}, so it has no handler yet. --stub writes one.`,
      )
    }
    return file ? [{ verb, file }] : []
  })
  const made = handlers.map(({ verb }) => verb)
  return {
    files: [
      { name: `src/store/tables/${plan.name}.ts`, text: tableText(plan, free), left: [] },
      ...handlers.map(({ file }) => file),
      ...testFiles(plan, compiled, made),
    ],
    notes: [...notes, ...storedAsJson(plan)],
  }
}

/** What the tables of the project leave free, for each new one. */
async function freeOf(plans: readonly ResourcePlan[]): Promise<Free[]> {
  // loaded only now, when generated/ lists the tables that there are
  const { schema } = await import('../../../src/store/schema.ts')
  const locks = Object.values(schema.declared).map(({ lock }) => lock)
  const taken = new Set(['keys', 'readings', 'installation', 'ping', 'close', ...schema.all.map(({ name }) => name)])
  return plans.map((plan, index) => {
    const free = {
      lock: Math.max(1, ...locks) + 1 + index,
      sqliteStep: schema.sqliteSteps.length + 1 + index,
      postgresStep: schema.postgresSteps.length + 1 + index,
    }
    for (const name of new Set([plan.name, ...namesOf(plan, free)])) {
      if (taken.has(name)) throw new Error(`The store has ${name} already. Nothing is written.`)
      taken.add(name)
    }
    return free
  })
}

function refuseThere(root: string, files: readonly WrittenFile[]): void {
  const there = files.map(({ name }) => name).filter((name) => existsSync(join(root, name)))
  if (there.length === 0) return
  throw new Error(
    `${there.join(', ')} ${there.length === 1 ? 'is' : 'are'} there already, and would be replaced. Nothing is written.`,
  )
}

function storedAsJson({ name, columns }: ResourcePlan): string[] {
  const nested = columns.filter(({ kind }) => kind === 'json').map(({ property }) => property)
  if (nested.length === 0) return []
  return [
    `src/store/tables/${name}.ts stores ${nested.join(', ')} as JSON: lists cannot be filtered by ${nested.length === 1 ? 'it' : 'them'}.`,
  ]
}

/** Writes a file as Prettier lays it out. Returns what is left to write in it. */
async function write(root: string, { name, text, left }: WrittenFile): Promise<string[]> {
  const file = join(root, name)
  const options = await prettier.resolveConfig(file, { editorconfig: true })
  const laidOut = await prettier.format(text, {
    ...{ semi: false, singleQuote: true, printWidth: 120 },
    ...options,
    parser: 'typescript',
  })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, laidOut, { flag: 'wx' })
  const lines = laidOut.split('\n')
  return left.map(({ marker, text: what }) => {
    const line = lines.findIndex((one) => one.includes(marker)) + 1
    return `${name}:${Math.max(line, 1)} Left to write: ${what}.`
  })
}
