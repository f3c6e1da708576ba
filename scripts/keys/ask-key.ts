import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { isKey } from '../../src/auth/key.ts'
import { interruptedCode } from '../../src/process/signals.ts'

const shape = 'A key is ak_ with 49 letters and digits, and the last 6 of them show typing mistakes.'
const attempts = 3
/** More than a key and what a paste may add, in characters. */
const maxLength = 1000

/**
 * Reads an API key from standard input: its first line, or at a terminal what is typed at a prompt, which shows nothing
 * of it. Throws a sentence, which does not repeat what was read, if that is no key.
 */
export async function askKey(): Promise<string> {
  if (!process.stdin.isTTY) return checked(await firstLine(), 'What came on standard input is no key.')
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    const typed = await prompt()
    if (isKey(typed)) return typed
    console.error(`That is no key. ${shape}`)
  }
  return checked(await prompt(), 'That is no key.')
}

function checked(text: string, fault: string): string {
  if (text === '') throw new Error('No key was given on standard input.')
  if (!isKey(text)) throw new Error(`${fault} ${shape}`)
  return text
}

async function firstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (/\S.*\n/.test(text) || text.length > maxLength) break
  }
  return text.trim().split('\n', 1)[0]?.trim() ?? ''
}

/** The prompt goes to standard error, so that standard output holds the result alone. */
function prompt(): Promise<string> {
  // what readline would show goes nowhere, and the terminal itself shows nothing while readline reads
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  // not before: until readline reads, the terminal shows what is typed
  process.stderr.write('API key (it is not shown): ')
  return new Promise((resolve, reject) => {
    lines.on('SIGINT', () => {
      lines.close()
      process.exit(interruptedCode('SIGINT'))
    })
    lines.on('line', (line) => {
      resolve(line.trim())
      lines.close()
    })
    lines.on('close', () => {
      process.stderr.write('\n')
      reject(new Error('No key was given.'))
    })
  })
}
