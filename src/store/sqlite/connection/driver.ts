import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'

const require = createRequire(import.meta.url)

/**
 * SQLite's driver. Version 12 is the last that runs on Node.js 20, and aborts on 24.19 and later (nodejs/node#65446).
 * Version 13 does not; it is installed beside the other where it runs.
 */
const [driver, Driver] = load()
export const Database = Driver

let isBuilt = false

/** Throws a fragment of a sentence when the driver's native part cannot be loaded. To be called before any file is made. */
export function requireDriver(): void {
  if (isBuilt) return
  try {
    // it is loaded with the first database
    new Database(':memory:').close()
    isBuilt = true
  } catch (error) {
    const folder = dirname(dirname(dirname(require.resolve(`${driver}/package.json`))))
    const runtime = `Node.js ${process.version} on ${process.platform}-${process.arch}`
    const fault = `SQLite's driver is not built for ${runtime}. Run \`npm rebuild ${driver}\` in ${folder}`
    throw new Error(fault, { cause: error })
  }
}

function load(): [name: string, Driver: typeof Sqlite] {
  try {
    return ['better-sqlite3-napi', require('better-sqlite3-napi') as typeof Sqlite]
  } catch {
    return ['better-sqlite3', require('better-sqlite3') as typeof Sqlite]
  }
}
