import { changedService } from '../harness/changed-service.js'
import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { figureNames, figures, median, ratio, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'

const resources = 67 // of three operations each

const many = `${3 + 3 * resources} operations`

/** The service with its own contract, and with one that has some 200 operations more. */
export async function measure({ databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  const variants = { '3 operations': ours, [many]: await changedService(addResources) }
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

/** Gives every path many times over, under other names, and the handler of each operation that was added. */
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
