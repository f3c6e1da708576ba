/** Causes of causes that are logged. */
const maxCauses = 5

/** What an error says. Its shape decides, since an error of a native binding may be of another realm's class. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
}

/** The code of an error of SQLite, of PostgreSQL or of the system; empty when it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** What an error says to whoever starts a program: of what is not installed a sentence, where Node gives paths. */
export function startFault(error: unknown): string {
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(codeOf(error))) return messageOf(error)
  const [, name = ''] = /'([^']+)'/.exec(messageOf(error)) ?? []
  const what = /^(file:)?[./]/.test(name) ? `The file ${name} of the service` : `The package ${name}`
  return `${what} is not there. Run \`npm ci\` in the folder of the service, or install it again.`
}

/** What is logged of an error: not its further fields, in which libraries keep commands, bodies and headers. */
export function loggable(error: unknown): object {
  try {
    return fieldsOf(error, 0)
  } catch {
    // as of an object without a prototype, or whose fields throw
    return { message: 'What was thrown cannot be shown.' }
  }
}

function fieldsOf(error: unknown, depth: number): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  const deeper = cause === undefined || depth >= maxCauses ? undefined : fieldsOf(cause, depth + 1)
  return { type: name, message, stack, code, cause: deeper }
}
