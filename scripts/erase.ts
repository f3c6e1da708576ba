/*
 * npm run -s erase -- TABLE KEY [--json]
 *
 * Erases a row of the store that DATABASE_URL names, with what is remembered of the requests that wrote it, also while
 * servers use the store. Exit codes: 0 it is erased, or nothing was there; 1 it is not, 2 wrong use.
 */
import { existsSync } from 'node:fs'
import { Argument } from 'commander'
import { nearest } from '../src/contract/model/nearest.ts'
import { escaped } from '../src/log/escaped.ts'
import { Referenced } from '../src/store/copy.ts'
import { openArchive } from '../src/store/open.ts'
import { schema } from '../src/store/schema.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { environment } from './command-line/environment.ts'
import { counted } from './command-line/wording.ts'

type Table = (typeof schema.stored)[number]

const names = Object.keys(schema.declared)
const [example = 'TABLE'] = names
const program = command('erase', 'Erase a row of the store, and what is remembered of the requests that wrote it', [
  `${example} 42`,
])
  .addArgument(new Argument('<table>', `the table: ${names.join(', ')}`))
  .argument('<key>', 'the key of the row, as its address has it')
  .option('--json', 'print JSON')
  .action((name: string, key: string, { json }: { json?: boolean }) => erase(tableOf(name), key, json))

await runCommand(program)

function tableOf(name: string): Table {
  const found = schema.stored[names.indexOf(name)]
  if (found) return found
  const near = nearest(name, names)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return program.error(`No table is called ${escaped(name)}.${hint} Tables: ${names.join(', ')}.`)
}

async function erase(table: Table, text: string, json = false): Promise<void> {
  const { database } = environment()
  const key = keyOf(table, text)
  if (database.engine === 'sqlite' && !existsSync(database.file)) {
    throw new Error(`There is no store at ${database.file}. DATABASE_URL says where it is.`)
  }
  const store = await openArchive(database, 'target')
  const name = `${table.name} ${escaped(text)}`
  try {
    const { rows, requests } = await store.erase(table, key)
    const found = rows + requests === 0 ? `Nothing is stored of ${name}.` : `Erased ${name}:`
    const what = rows + requests === 0 ? '' : ` ${counted(rows, 'row')}, ${counted(requests, 'remembered request')}.`
    await print(json ? JSON.stringify({ table: table.name, key: text, rows, requests }) : found + what)
  } catch (error) {
    if (!(error instanceof Referenced)) throw error
    throw new Error(`Another row points to ${name}, so nothing is erased. Erase that one first.`, { cause: error })
  } finally {
    await store.close()
  }
}

/** A key as it is stored. */
function keyOf({ columns, key: [column = ''] }: Table, text: string): bigint | string {
  if (columns[column] !== 'int64') return text
  if (/^-?\d{1,18}$|^-?[1-8]\d{18}$/.test(text)) return BigInt(text)
  return program.error(`The key ${escaped(text)} is no integer, as ${column} is.`)
}
