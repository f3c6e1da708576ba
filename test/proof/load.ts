import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { newPet, type Sent } from '../faults/client.ts'
import { ask, isRefusal, type Answer, type Question } from './ask.ts'

/** What a client waits after a refusal, in ms: far less than the service asks for, so that a recovery is seen at once. */
const againMs = 25

/** Where a reader of the list stands. It goes on from there in the next load. */
export interface Reader {
  page: string
  /** Every animal that it has seen, as `{…}` texts in their order. */
  seen: string[]
}

/** What a load has found. */
export interface Load {
  sent: Sent[]
  /** When each animal was acknowledged, in ms of `performance.now()`. */
  acknowledgedAt: number[]
  requestMs: number[]
  /** A sentence for each wrong answer. */
  wrong: string[]
  /** Lets the clients come to an end: what has an Idempotency-Key is sent until it is acknowledged. */
  stop: () => Promise<void>
}

export interface LoadOptions {
  address: string
  key: string
  /** What the names of its animals begin with. */
  name: string
  clients: number
  readers: readonly Reader[]
  /** Animals that may be asked for besides those of this load. */
  known: readonly Sent[]
  /** Whether 503 is a right answer. */
  mayRefuse: boolean
  random: () => number
}

/** Clients that add animals, with an Idempotency-Key and without, and ask for single ones, and readers of the list. */
export function startLoad(options: LoadOptions): Load {
  const { address, key, name, clients, readers, known, mayRefuse, random } = options
  const agent = new Agent({ keepAlive: true })
  const acknowledged: Sent[] = known.filter(({ id }) => id !== undefined)
  let isOver = false
  let areAdded = false
  const load: Load = {
    sent: [],
    acknowledgedAt: [],
    requestMs: [],
    wrong: [],
    stop: async () => {
      isOver = true
      await Promise.all(adding)
      areAdded = true
      await Promise.all(reading)
      agent.destroy()
    },
  }
  const adding = Array.from({ length: clients }, (_, client) => work(client))
  const reading = readers.map(read)
  return load

  async function work(client: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const dice = random()
      const other = acknowledged[Math.floor(random() * acknowledged.length)]
      if (dice < 0.3 && other) await get(other)
      else await add(newPet(`${name}-${client}-${count}`, random), dice > 0.65)
    }
  }

  async function add(one: Sent, once: boolean): Promise<void> {
    load.sent.push(one)
    do {
      const answer = await counted('/v1/pets', { add: one, once })
      if (answer?.status === 201) {
        if (!answer.body.endsWith(tailOf(one))) load.wrong.push(`The answer to ${one.name} is ${answer.body}.`)
        one.id = BigInt(/^\{"id":(\d+),/.exec(answer.body)?.[1] ?? -1)
        acknowledged.push(one)
        load.acknowledgedAt.push(performance.now())
      } else if (answer) await sleep(againMs)
      else return
    } while (once && one.id === undefined)
  }

  async function get(one: Sent): Promise<void> {
    const answer = await counted(`/v1/pets/${one.id ?? 0n}`, {})
    if (answer?.status === 503) await sleep(againMs)
    else if (answer && answer.body !== textOf(one)) load.wrong.push(`${one.name} reads as ${answer.body}.`)
  }

  /** Reads the list to its end, and its last page again and again, until all is added and read. */
  async function read(reader: Reader): Promise<void> {
    for (;;) {
      const isLast = areAdded
      const answer = await counted(reader.page, {})
      if (!answer) return
      const next = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link))?.[1]
      if (answer.status === 200) take(reader, answer)
      else await sleep(againMs)
      reader.page = next ?? reader.page
      if (next === undefined && answer.status === 200) {
        if (isLast) return
        await sleep(againMs)
      }
    }
  }

  /** What was on the page before must be there still, and what is new must come behind all that was seen. */
  function take(reader: Reader, { body }: Answer): void {
    const pets = body.match(/\{[^}]*\}/g) ?? []
    const first = pets[0] === undefined ? -1 : reader.seen.lastIndexOf(pets[0])
    const before = first < 0 ? [] : reader.seen.slice(first)
    const places = before.filter((pet, place) => pets[place] !== pet)
    if (places.length > 0) load.wrong.push(`A page that was read before has other animals now, as ${places[0] ?? ''}.`)
    reader.seen.push(...pets.slice(before.length))
  }

  /** The answer, if it is one that may be; else it is noted, and the client goes on to something else. */
  async function counted(path: string, question: Pick<Question, 'add' | 'once'>): Promise<Answer | undefined> {
    const beganMs = performance.now()
    try {
      const answer = await ask(address, path, { key, agent, ...question })
      load.requestMs.push(performance.now() - beganMs)
      if (answer.status === (question.add ? 201 : 200)) return answer
      if (mayRefuse && isRefusal(answer, 503, 'unavailable')) return answer
      load.wrong.push(`The answer to ${question.add?.name ?? path} is ${answer.status}: ${answer.body}`)
    } catch (error) {
      load.requestMs.push(performance.now() - beganMs)
      load.wrong.push(`${question.add?.name ?? path} has no answer: ${String(error)}`)
    }
    // not at once, so that a fault that stays does not fill the memory
    await sleep(againMs)
    return undefined
  }
}

/** An animal as the service writes it. */
export function textOf(one: Sent): string {
  return `{"id":${one.id ?? 'none'},${tailOf(one)}`
}

function tailOf({ name, categoryId, status }: Sent): string {
  return `"name":"${name}","categoryId":${categoryId},"status":"${status}"}`
}
