/** The most answers that are written in one go: new requests are read in between. */
const maxAnswers = 256

const answers: (() => void)[] = []
const work: (() => void)[] = []
let scheduled = false
let connections = 0
/** Whether the turn ends: its answers leave, its work is done, and what follows from that. */
let ending = false

/**
 * To be told of each connection that opens or closes. A connection has one request at a time, so as long as there is
 * only one, nothing can be shared, and nothing waits: the end of a turn would cost it 10 µs of 100.
 */
export function countConnection(change: 1 | -1): void {
  connections += change
}

/**
 * Writes an answer together with the others of this turn of the event loop. Each write wakes a client, which costs a
 * third of a lone answer; several in a row cost much less.
 */
export function answerWithTurn(write: () => void): void {
  if (connections === 1) {
    write()
    return
  }
  answers.push(write)
  schedule()
}

/** Does work at the end of this turn of the event loop, once for all the requests that the turn brings. */
export function atEndOfTurn(run: () => void): void {
  if (connections === 1) {
    run()
    return
  }
  work.push(run)
  schedule()
}

/** Gathers what the requests of one turn ask for, and hands it over at the end of the turn. */
export function gatherTurn<Item>(handOver: (items: Item[]) => void): (item: Item) => void {
  let items: Item[] = []
  return (item) => {
    if (items.push(item) > 1) return
    atEndOfTurn(() => {
      const gathered = items
      items = []
      handOver(gathered)
    })
  }
}

function schedule(): void {
  if (scheduled) return
  scheduled = true
  // what follows from the end of a turn does not wait for the end of the next one
  if (ending) process.nextTick(endTurn)
  else setImmediate(endTurn)
}

/** The answers leave first, since work may wait for a disk. */
function endTurn(): void {
  scheduled = false
  ending = false
  for (const write of answers.splice(0, maxAnswers)) write()
  if (answers.length > 0) schedule()
  ending = true
  for (const run of work.splice(0)) run()
  // behind all promises that settle because of it
  queueMicrotask(() => {
    process.nextTick(() => {
      ending = false
    })
  })
}
