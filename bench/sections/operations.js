import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtModule } from '../harness/database.js'
import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { figureNames, figures, median, ratio, table } from '../harness/markdown.js'
import { temporaryFolder } from '../harness/processes.js'
import { inRounds, startWarm } from '../harness/rounds.js'
import { readContract } from '../contestants/store.js'

const resources = 67 // of three operations each
const root = fileURLToPath(new URL('../../', import.meta.url))

const many = `${3 + 3 * resources} operations`

/** The service with its own contract, and with one that has some 200 operations more. */
export async function measure({ databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  const variants = { '3 operations': ours, [many]: await grownService() }
  return inRounds({
    ...{ plan, tell },
    base: () => ({ contract: '3 operations' }),
    rows: Object.keys(variants).map((contract) => ({ contract })),
    start: async (add) => {
      for (const [contract, contestant] of Object.entries(variants)) {
        add(contract, await startWarm(contestant, { plan, database, scenarios: ['getPet'] }))
      }
    },
    measure: ({ contract }, servers) =>
      load(servers.get(contract), { scenario: 'getPet', keys: database.keys.load, ...plan }),
  })
}

export function report({ rows, servers }) {
  return [
    '## 3 and 204 operations',
    table(
      ['getPet', 'Ratio', ...figureNames, 'Ready after, ms'],
      rows.map((row) => [row.contract, ratio(row), ...figures(row), median(servers[row.contract].readyMs, 0)]),
    ),
  ]
}

/** A copy of the built service whose contract has every path many times over, under other names. */
async function grownService() {
  const folder = temporaryFolder()
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))

  const contract = readContract()
  const names = addResources(contract)
  const file = join(folder, 'dist/openapi.yaml')
  // JSON is YAML
  writeFileSync(file, JSON.stringify(contract))
  const { readContract: readByService } = await builtModule('src/contract/model/files/document.js')
  const { writeParsed } = await builtModule('src/contract/model/files/parsed-cache.js')
  const values = readByService(file)
  writeParsed(file, values)
  writeFileSync(join(folder, 'dist/generated/handlers.js'), handlerTable(names, values.digest))
  return { ...ours, script: join(folder, 'dist/src/main.js') }
}

/** Gives the handler of each operation that was added. */
function addResources(contract) {
  const names = new Map()
  for (let number = 1; number <= resources; number++) {
    for (const [path, item] of Object.entries(contract.paths).slice(0, 2)) {
      const copy = structuredClone(item)
      for (const operation of ['get', 'post'].flatMap((method) => copy[method] ?? [])) {
        names.set(`${operation.operationId}${number}`, operation.operationId)
        operation.operationId += number
        delete operation['x-successor']
      }
      contract.paths[path.replace('/pets', `/animals${number}`)] = copy
    }
  }
  return names
}

function handlerTable(names, digest) {
  const handlers = [...new Set(names.values())]
  return [
    ...handlers.map((handler) => `import { ${handler} } from '../src/handlers/${handler}.js'`),
    `export const contractDigest = '${digest}'`,
    `export const handlers = { ${handlers.join(', ')},`,
    ...Array.from(names, ([name, handler]) => `  ${name}: ${handler},`),
    `}\n`,
  ].join('\n')
}
