import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { parse } from 'yaml'
import { readCursor, writeCursor } from './cursor.js'

/**
 * What all contestants would write alike: the contract, the database that DATABASE_URL names, and API keys. Numbers are
 * plain JavaScript numbers unless `exact` asks for bigint.
 */

/** The service's contract, with its base address reduced to the path that all contestants serve. */
export function readContract() {
  const contract = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'))
  return { ...contract, servers: [{ url: apiRoot }] }
}

export const apiRoot = '/v1'
export const port = Number(process.env.PORT ?? 8080)
export const host = '127.0.0.1'

export function openDatabase({ exact = false } = {}) {
  const db = new Database(process.env.DATABASE_URL.replace(/^sqlite:/, ''))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.defaultSafeIntegers(exact)
  return db
}

const columns = 'id, name, category_id AS categoryId, status'

export const sql = {
  find: `SELECT ${columns} FROM pets WHERE id = ?`,
  list: `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  insert: `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`,
}

/** Animals with prepared statements; every creation is a commit of its own. */
export function petStore(db) {
  const find = db.prepare(sql.find)
  const list = db.prepare(sql.list)
  const listByStatus = db.prepare(sql.listByStatus)
  const insert = db.prepare(sql.insert)

  return {
    find: (id) => find.get(id),
    add: ({ name, categoryId, status = 'available' }) => insert.get(name, categoryId, status),
    /** A page, and the cursor of the next one when there is one; undefined for a cursor that was never given out. */
    list: ({ limit, status, cursor }) => {
      const after = cursor === undefined ? 0 : readCursor(cursor)
      if (after === undefined) return undefined
      const found = status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1)
      if (found.length <= limit) return { pets: found }
      found.pop()
      return { pets: found, next: writeCursor(found.at(-1).id) }
    },
  }
}

const believedMs = 1000
const maxRemembered = 10_000

/** Finds the key that an Authorization header carries. Like the service's own, it believes a record for a second. */
export function keyStore(db, plans) {
  const find = db.prepare('SELECT id, plan, per_minute, per_day, revoked_at FROM keys WHERE digest = ?')
  const remembered = new Map()

  return (authorization) => {
    const token = authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (token === undefined) return undefined
    const now = Date.now()
    const known = remembered.get(token)
    if (known !== undefined && now < known.until) return known.key
    const row = find.get(hash('sha256', token, 'buffer'))
    if (!row || row.revoked_at !== null) return undefined
    const key = { id: row.id, ...limitsOf(row, plans) }
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(token, { key, until: now + believedMs })
    return key
  }
}

function limitsOf({ plan, per_minute: perMinute, per_day: perDay }, plans) {
  return plans[plan] === 'custom' ? { perMinute: Number(perMinute), perDay: Number(perDay) } : plans[plan]
}

/** Limits of a caller without a valid key, who is counted by network address. */
export const anonymous = { perMinute: 60, perDay: 1000 }

/** The `Link` header of a page that is followed by another. */
export function nextLink({ limit, status }, cursor) {
  const filter = status === undefined ? '' : `&status=${status}`
  return `<${apiRoot}/pets?limit=${limit}${filter}&cursor=${cursor}>; rel="next"`
}

/** The contract's Error bodies. */
export const failures = {
  unauthorized: error(401, 'unauthorized', 'A valid API key is needed, sent as "Authorization: Bearer <API_KEY>".'),
  badCursor: error(400, 'invalid_request', 'query.cursor is not one that this service has given out.'),
  noSuchPath: error(404, 'not_found', 'Nothing has this address.'),
  internal: error(500, 'internal_error', 'The service failed to answer.'),
  noSuchPet: (id) => error(404, 'not_found', `No animal has the id ${id}.`),
  invalid: (message, status = 400) => error(status, 'invalid_request', message),
  limited: (limit, window) =>
    error(429, 'rate_limited', `The limit of ${limit} requests per ${window} is used up; try again later.`),
}

function error(status, code, message) {
  return { code, message, status }
}
