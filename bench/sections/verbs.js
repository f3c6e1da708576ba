import { changedService } from '../harness/changed-service.js'
import { load } from '../harness/load.js'
import { figureNames, figures, ratio, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'

/** More than a server removes in one measurement. */
const perMeasurement = 15_000

const handlers = {
  putPet: `export const putPet = async ({ path, body }, { pets }) => {
  const written = await pets.replace({ ...body, id: path.petId })
  if (!written) throw new Error('There is no such animal.')
  return { status: 200, body: written.row }
}
`,
  deletePet: `export const deletePet = async ({ path }, { pets }) => {
  const removed = await pets.remove(path.petId)
  if (!removed) throw new Error('There is no such animal.')
  return { status: 200, body: removed.row }
}
`,
}

/** A POST, a PUT and a DELETE of an animal, that come in groups, on one server. */
export async function measure({ databaseOf, plan, tell }) {
  // the second half is replaced, and of the first one another part removed in each round
  const animals = 2 * perMeasurement * plan.roundsPerStart
  const database = await databaseOf(animals)
  const contestant = await changedService(addVerbs, handlers)
  let removed = 0
  return inRounds({
    ...{ plan, tell },
    base: () => ({ scenario: 'createPet' }),
    rows: ['createPet', 'putPet', 'putAnyPet', 'deletePet'].map((scenario) => ({ scenario })),
    start: async (add) => {
      removed = 0
      add('service', await startWarm(contestant, { plan, database, scenarios: ['createPet', 'putPet'] }))
    },
    measure: ({ scenario }, servers) => {
      const first = 1 + perMeasurement * (scenario === 'deletePet' ? removed++ : 0)
      return load(servers.get('service'), { scenario, animals, first, keys: database.keys.load, ...plan })
    },
  })
}

export function report({ rows }) {
  return [
    '## PUT and DELETE',
    '`putPet` replaces animals that stand beside one another and share pages of the file, as new ones do. `putAnyPet` ' +
      'replaces animals from anywhere, so that each is written with a page of its own.',
    table(
      ['', 'Ratio', ...figureNames],
      rows.map((row) => [row.scenario, ratio(row), ...figures(row)]),
    ),
  ]
}

function addVerbs({ paths }) {
  const item = paths['/pets/{petId}']
  const { parameters, responses } = item.get
  const success = responses['200']
  const { default: failure } = responses
  const { requestBody } = paths['/pets'].post
  item.put = { operationId: 'putPet', parameters, requestBody, responses: { 200: success, default: failure } }
  // with a body, since the load reads answers by their length
  item.delete = { operationId: 'deletePet', parameters, responses: { 200: success, default: failure } }
  return [
    ['putPet', 'putPet'],
    ['deletePet', 'deletePet'],
  ]
}
