import { afterAll, beforeAll } from '@jest/globals'
import type { Settings } from '../../../src/app.ts'
import { testFolder } from '../process.ts'
import { startService, type TestService } from '../service.ts'
import { engines } from './engines.ts'

/** A store engine as tests of handlers see it. */
export interface HandlerEngine {
  name: string
  /** A DATABASE_URL of a store that does not exist yet. */
  newStore: () => Promise<string>
  /** Runs a statement that both engines understand behind the service's back. */
  sql: (url: string, text: string) => Promise<void>
  /** A service on a new store, or on the one that `env` names as DATABASE_URL. */
  startService: (env?: Record<string, string>, settings?: Settings) => Promise<TestService>
}

/**
 * Defines the same tests for every engine. Each engine's server starts once for the file of tests; where it is not
 * installed, its tests are skipped by name.
 */
export function onEachEngine(define: (engine: HandlerEngine) => void): void {
  const folder = testFolder()
  for (const engine of engines(folder)) {
    engine.describe(`on ${engine.name}`, () => {
      beforeAll(engine.start)
      define({
        name: engine.name,
        newStore: engine.newStore,
        sql: engine.sql,
        startService: async (env = {}, settings = {}) =>
          startService({ DATABASE_URL: env.DATABASE_URL ?? (await engine.newStore()), ...env }, settings),
      })
      // hooks run in the order of their definition: the services have stopped by now
      afterAll(engine.stop)
    })
  }
}
