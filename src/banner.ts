import { styleText } from 'node:util'
import type { Config } from './config/config.ts'

export interface Start {
  /** The name and version of the contract. */
  title: string
  /** The address of the server, without a path. */
  address: string
  /** The path of the operations, such as `/v1`. */
  apiRoot: string
  config: Pick<Config, 'database' | 'redisUrl'>
  /** Undefined when the store cannot be read now. */
  activeKeys: number | undefined
  /** The plan of the key that this start made. */
  newKeyPlan: string | undefined
}

const narrowest = 40
const widest = 80

/** What a start tells people at a terminal: where everything is, and nothing secret. */
export function banner({ title, address, apiRoot, config, activeKeys, newKeyPlan }: Start, columns: number): string {
  // a terminal that does not know its width says 0
  const width = (columns === 0 ? widest : Math.min(Math.max(columns, narrowest), widest)) - 1
  const rows = [
    ['API', address + apiRoot],
    ['Docs', `${address}/docs`],
    ['Home', `${address}/`],
    ['Store', shortened(storeOf(config.database), width - indent)],
    ['Redis', shortened(redisOf(config.redisUrl), width - indent)],
    [
      'Keys',
      `${activeKeys ?? 'not known how many'} active${newKeyPlan === undefined ? '' : ` (new, ${newKeyPlan} plan)`}`,
    ],
  ] as const
  return [
    '',
    `  ${styleText('bold', shortened(title, width - 2))}`,
    '',
    ...rows.map(([label, value]) => `  ${styleText('dim', label.padEnd(indent - 2))}${value}`),
    '',
    `  ${styleText('dim', 'Ctrl-C stops it.')}`,
    '',
  ].join('\n')
}

/** The column in which values begin. */
const indent = 9

function storeOf(database: Config['database']): string {
  if (database.engine === 'sqlite') return database.file
  const { hosts, database: name } = database.url
  const servers = hosts.map(({ host, port }) => `${host}${port && `:${port}`}`)
  return `PostgreSQL ${servers.join(',')}${name && `, ${name}`}`
}

function redisOf(url: string | undefined): string {
  return url === undefined ? 'none' : url.replace(/^[^:]+:\/\/(?:.*@)?([^/?]*).*$/, '$1')
}

/** The end of a text is kept: it names the file. */
function shortened(text: string, length: number): string {
  const characters = Array.from(text)
  return characters.length <= length ? text : `…${characters.slice(1 - length).join('')}`
}
