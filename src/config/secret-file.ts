import { readFileSync, statSync } from 'node:fs'
import { quoted, Wrong } from './setting.ts'

/** The text of a setting with a password. */
export interface Secret {
  /** What messages call it. */
  name: string
  text: string
  /** The file that it comes from. */
  file: string | undefined
}

/** More than any URL needs, in bytes. */
const maxBytes = 65_536

/** Reads a secret from a file, without the line breaks at its end. What is wrong is the end of a sentence about the file. */
export function readSecretFile(file: string): string | Wrong {
  const name = quoted(file)
  try {
    // a pipe would be waited for
    const state = statSync(file)
    if (!state.isFile()) return new Wrong(`names ${name}, which is no regular file`)
    if (state.size > maxBytes) return new Wrong(`names ${name}, which is larger than ${maxBytes} bytes`)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file))
    const secret = text.replace(/[\r\n]+$/, '')
    return secret === '' ? new Wrong(`names ${name}, which is empty`) : secret
  } catch (error) {
    return new Wrong(`names ${name}, ${whyNot((error as NodeJS.ErrnoException).code)}`)
  }
}

function whyNot(code = ''): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'and there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'which this user may not read'
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'which is no text in UTF-8'
  return `which cannot be read (${code})`
}

/**
 * Gives what the file of a secret has at each call, and what it had before while it cannot be read or used. Undefined
 * without a file.
 */
export function current<T>({ text, file }: Secret, parse: (text: string) => T | undefined): (() => T) | undefined {
  let last = parse(text)
  if (file === undefined || last === undefined) return undefined
  return () => {
    const content = readSecretFile(file)
    last = (content instanceof Wrong ? undefined : parse(content)) ?? last
    return last as T
  }
}
