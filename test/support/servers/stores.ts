import { open, type Engine } from './engines.ts'
import { readConfig } from '../../../src/config/config.ts'
import { postgresStores } from '../../../src/store/postgres/stores.ts'
import type { Schema } from '../../../src/store/schema.ts'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import type { Stores } from '../../../src/store/store.ts'

/** Stores with tables that are not those of the service, of which the caller gives the type. */
export async function openWith<T>(url: string, schema: Schema): Promise<T> {
  const { database } = readConfig({ DATABASE_URL: url })
  const stores =
    database.engine === 'sqlite'
      ? sqliteStores(database.file, { schema })
      : await postgresStores(database.url, { schema })
  return stores as unknown as T
}

/** Ways to run a test on new stores of an engine. */
export function storesOf(engine: Engine): {
  onNew: (run: (stores: Stores, url: string) => Promise<void>) => Promise<void>
  /** Runs `check` as well on stores that are opened on what the first ones left. */
  onBoth: (
    fill: (stores: Stores, url: string) => Promise<void>,
    check: (stores: Stores) => Promise<void>,
  ) => Promise<void>
  /** Runs on two processes' stores in one place. */
  onTwo: (run: (one: Stores, other: Stores) => Promise<void>) => Promise<void>
} {
  const onNew = async (run: (stores: Stores, url: string) => Promise<void>): Promise<void> => {
    const url = await engine.newStore()
    const stores = await open(url)
    await run(stores, url)
    await stores.close()
  }
  return {
    onNew,
    onBoth: async (fill, check) => {
      const url = await engine.newStore()
      const stores = await open(url)
      await fill(stores, url)
      await check(stores)
      await stores.close()
      const again = await open(url)
      await check(again)
      await again.close()
    },
    onTwo: (run) =>
      onNew(async (one, url) => {
        const other = await open(url)
        await run(one, other)
        await other.close()
      }),
  }
}
