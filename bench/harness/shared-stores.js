import { startPostgres } from './postgres.js'
import { startRedis } from './redis.js'

/**
 * Runs something with a PostgreSQL, which has the animals and keys of a database, and a Redis, and stops both at the end.
 * `run` gets the programs, and the settings that lead a service to them. Undefined where one of them is not installed.
 */
export async function withSharedStores(database, run) {
  const programs = []
  try {
    for (const startProgram of [() => startPostgres(database), startRedis]) {
      const program = await startProgram()
      if (program === undefined) return undefined
      programs.push(program)
    }
    return await run(programs, Object.assign({}, ...programs.map(({ env }) => env)))
  } finally {
    for (const program of programs) await program.stop()
  }
}
