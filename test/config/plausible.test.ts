import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { run, serve, testFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

const folder = testFolder()

function fault(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`${JSON.stringify(env)} was accepted.`)
}

describe('PUBLIC_URL', () => {
  test.each([
    ['https://api.example.com/v1', 'https://api.example.com'],
    ['https://api.example.com/v1/', 'https://api.example.com'],
    ['https://api.example.com/store/v1', 'https://api.example.com/store'],
    ['https://api.example.com/V1', 'https://api.example.com'],
  ])('is refused with the base path at its end, as in %s, with the right one', async (PUBLIC_URL, right) => {
    const given = PUBLIC_URL.replace(/\/$/, '')
    await expect(startService({ PUBLIC_URL })).rejects.toThrow(
      `PUBLIC_URL must be the address without the base path /v1 of the contract: with "${given}" links would lead to ` +
        `${given}/v1. Set it to "${right}".`,
    )
  })

  test.each(['https://v1', 'https://api.example.com/v1/animals', 'https://api.example.com/av1'])(
    'may be %s',
    async (PUBLIC_URL) => {
      const service = await startService({ PUBLIC_URL })
      await service.stop()
    },
  )

  test.each([
    ['https://api.example.com/?x=1', 'it has a query, behind which no path can follow'],
    ['https://api.example.com#x', 'it has a fragment, behind which no path can follow'],
    ['https://u:p@api.example.com', 'it has an @, as credentials have, and links would show these to everybody'],
  ])('%s is refused with the part that is wrong', (PUBLIC_URL, why) => {
    expect(fault({ PUBLIC_URL })).toMatch(new RegExp(`^PUBLIC_URL must be .+; ${why}\\.$`))
  })

  test('without TLS is warned of in production alone', () => {
    const PUBLIC_URL = 'http://api.example.com'
    const warned = ['PUBLIC_URL begins with http:, so keys that clients send there can be read on the way']
    expect(readConfig({ PUBLIC_URL, NODE_ENV: 'production' }).warnings).toEqual(warned)
    expect(readConfig({ PUBLIC_URL }).warnings).toEqual([])
    expect(readConfig({ PUBLIC_URL: 'https://api.example.com', NODE_ENV: 'production' }).warnings).toEqual([])
  })
})

describe('DATABASE_URL', () => {
  test.each([
    ['sqlite:~/x.db', '~'],
    ['sqlite:~', '~'],
    ['sqlite:~animals/x.db', '~'],
    ['sqlite:///~/x.db', '~'],
    ['sqlite:$HOME/x.db', '$'],
    ['sqlite:${HOME}/x.db', '$'],
    ['sqlite:$(pwd)/x.db', '$'],
    ['sqlite:data/`hostname`.db', '`'],
    ['sqlite:%USERPROFILE%/x.db', '%'],
  ])('%s is refused: no shell has replaced anything in it', (DATABASE_URL, mark) => {
    expect(fault({ DATABASE_URL })).toBe(
      `DATABASE_URL must name its file by the whole path; only a shell replaces the ${mark} in it, and none did.`,
    )
  })

  test.each(['sqlite:data/a~b.db', 'sqlite:cost-5$.db', 'sqlite:100%.db'])('%s is a file', (DATABASE_URL) => {
    expect(readConfig({ DATABASE_URL }).database).toEqual({ engine: 'sqlite', file: DATABASE_URL.slice(7) })
  })

  test.each([
    ['production', 40, /^there was no store, so a new and empty one was made; DATABASE_URL says where$/],
    ['development', 30, /^new store made$/],
  ])('a new store is told in %s with the level %i', async (NODE_ENV, level, msg) => {
    const service = await startService({ NODE_ENV })
    const told = service.logged.filter((line) => typeof line.file === 'string' && /store/.test(String(line.msg)))
    expect(told).toEqual([expect.objectContaining({ level, msg: expect.stringMatching(msg) as unknown })])
    expect(told[0]?.file).toBe(`${service.folder}/store.db`)
    await service.stop()
  })
})

describe('a misspelt setting', () => {
  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['LOG_LEVL', 'LOG_LEVEL'],
    ['LOG_LEVELL', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL'],
    ['RDIS_URL', 'REDIS_URL'],
    ['REDSI_URL', 'REDIS_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['TRUSTPROXY', 'TRUST_PROXY'],
    ['SHUTDOWN_GRACE', 'SHUTDOWN_GRACE_MS'],
    ['WORKER', 'WORKERS'],
    ['PROT', 'PORT'],
    ['port', 'PORT'],
    ['NODEENV', 'NODE_ENV'],
  ])('%s is warned of, with %s', (name, meant) => {
    expect(readConfig({ [name]: 'x' }).warnings).toEqual([`${name} is no setting; did you mean ${meant}?`])
    // an empty value is none, and who has set the right one knows it
    expect(readConfig({ [name]: '' }).warnings).toEqual([])
    const right = { DATABASE_URL: 'sqlite:x.db', REDIS_URL: 'redis://x', LOG_LEVEL: 'info', NODE_ENV: 'test' }
    const others = { CORS_ORIGINS: '*', TRUST_PROXY: '1', SHUTDOWN_GRACE_MS: '1', WORKERS: '1', PORT: '1' }
    expect(readConfig({ [name]: 'x', ...right, ...others }).warnings).toEqual([])
  })

  test('is none that another program has', () => {
    const names =
      'PATH HOME HOSTNAME HOSTS POST PORTS PORT1 SPORT GHOST HOST_IP REDIS_HOST REDIS_PORT REDIS_URL_2 REDIS_URLS ' +
      'REDIS_URL2 _REDIS_URL DATABASE_URL_OLD DATABASE_NAME LOG LOG_FILE LOG_LEVELS LOG_LEVEL_ROOT LOG_LABEL NODE ' +
      'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS npm_config_loglevel npm_lifecycle_event PGHOST PGPORT HTTP_PROXY ' +
      'PUBLIC_KEY PUBLIC_IP TRUST CORS BAN WORKER_ID WEB_CONCURRENCY SHUTDOWN KUBERNETES_PORT ANIMAL_STORE_PORT'
    const env = Object.fromEntries(names.split(' ').map((name) => [name, 'x']))
    expect(readConfig(env).warnings).toEqual([])
  })

  test('is told by the start and by commands', async () => {
    const env = { DATABASE_URL: `sqlite:${folder}/x.db`, LOG_LEVL: 'debug' }
    const service = await serve(env)
    expect(service.stdout()).toMatch(/"level":40,.*"msg":"LOG_LEVL is no setting; did you mean LOG_LEVEL\?"/)
    await service.stop()
    const { stderr } = await run(['scripts/migrate.ts'], env)
    expect(stderr).toBe('Warning: LOG_LEVL is no setting; did you mean LOG_LEVEL?\n')
  })
})
