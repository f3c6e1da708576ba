import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const require = createRequire(import.meta.url)

/**
 * SQLite's driver. Version 12 is the last that runs on Node.js 20, and aborts on 24.19 and later (nodejs/node#65446).
 * Version 13 does not; it is installed beside the other where it runs.
 */
export const Database = driver()

function driver(): typeof Sqlite {
  try {
    return require('better-sqlite3-napi') as typeof Sqlite
  } catch {
    return require('better-sqlite3') as typeof Sqlite
  }
}
