import { writeCursor } from './cursor.js'
import { sql } from './store.js'

/** Animals as JSON texts, straight from the columns. `db` gives integers as bigint. */
export function animals(db) {
  const find = db.prepare(sql.find).raw()
  const list = db.prepare(sql.list).raw()
  const listByStatus = db.prepare(sql.listByStatus).raw()
  const insert = db.prepare(sql.insert).raw()
  const insertAll = db.transaction((batch) =>
    batch.map(({ pet }) => jsonOf(insert.get(pet.name, pet.categoryId, pet.status))),
  )
  let waiting = []

  /** Stores all that arrived in this turn of the event loop with one commit. */
  function commit() {
    const batch = waiting
    waiting = []
    let bodies
    try {
      bodies = insertAll.immediate(batch)
    } catch (error) {
      for (const { done } of batch) done(error)
      return
    }
    for (let index = 0; index < batch.length; index++) batch[index].done(undefined, bodies[index])
  }

  return {
    find: (id) => {
      const row = find.get(id)
      return row === undefined ? undefined : jsonOf(row)
    },
    list: (limit, status, after) => {
      const rows = status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1)
      const more = rows.length > limit
      if (more) rows.pop()
      let body = '['
      for (let index = 0; index < rows.length; index++) body += (index === 0 ? '' : ',') + jsonOf(rows[index])
      return { body: `${body}]`, next: more ? writeCursor(rows.at(-1)[0]) : undefined }
    },
    /** Calls `done(error, body)` once the animal is on disk. */
    add: (pet, done) => {
      waiting.push({ pet, done })
      if (waiting.length === 1) setImmediate(commit)
    },
  }
}

function jsonOf([id, name, categoryId, status]) {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
}
