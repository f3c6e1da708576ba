import { connect } from 'node:net'

/** What a read may bring. All connections share it: each answer is looked at before the next is read. */
const bytes = Buffer.allocUnsafe(65_536)
/** The longest time that is told apart, in steps of 10 µs. */
const longest = 100_000

/**
 * Opens connections that send `requestOf(n)`, a Buffer, for the n-th request, one at a time on each. Plain sockets,
 * because any HTTP client would cost more than the server it measures; and what a turn of the event loop has read is
 * answered together at its end, so that neither side is woken for each request.
 */
export async function openConnections({ port, count, requestOf, accepts, stuckMs }) {
  let sent = 0
  let run
  const connections = await Promise.all(Array.from({ length: count }, open))
  let ready = []
  let spare = []

  function open() {
    return new Promise((resolve, reject) => {
      const connection = { socket: undefined, sentAt: 0, rest: undefined }
      const onread = { buffer: bytes, callback: (length) => received(connection, length) }
      connection.socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
      connection.socket.once('connect', () => resolve(connection))
      connection.socket.on('error', (error) => {
        reject(error)
        run?.fail(error)
      })
      connection.socket.on('close', () => run?.fail(new Error('The server closed a connection.')))
    })
  }

  function received(connection, length) {
    const { rest } = connection
    const answer = rest === undefined ? bytes : Buffer.concat([rest, bytes.subarray(0, length)])
    const end = rest === undefined ? length : answer.length
    if (isWhole(answer, end)) {
      connection.rest = undefined
      answered(connection, answer, end)
    } else connection.rest = rest === undefined ? Buffer.from(bytes.subarray(0, length)) : answer
    return true
  }

  function answered(connection, answer, end) {
    const now = performance.now()
    const status = answer[9] * 100 + answer[10] * 10 + answer[11] - 5328 // the digits of 000
    run.answered++
    run.histogram[Math.min(longest, (now - connection.sentAt) * 100) | 0]++
    run.statuses[status]++
    if (!accepts.includes(status)) run.sample ??= answer.latin1Slice(0, Math.min(end, 1000))
    if (run.free) run.free.push(connection)
    else if (now < run.endsAt && run.started < run.total) {
      run.started++
      if (ready.push(connection) === 1) setImmediate(sendReady)
    } else if (run.answered === run.started) run.finish()
  }

  /** Sends what is due at a rate on the connections that are free. */
  function pace(perSecond) {
    const began = performance.now()
    const pacing = setInterval(() => {
      const now = performance.now()
      const due = Math.min(run.total, (Math.min(now, run.endsAt) - began) * (perSecond / 1000))
      while (run.started < due && run.free.length > 0) {
        run.started++
        send(run.free.pop())
      }
      if (now >= run.endsAt && run.answered === run.started) run.finish()
    }, 1)
    return () => clearInterval(pacing)
  }

  function sendReady() {
    const sending = ready
    ready = spare
    for (const connection of sending) send(connection)
    sending.length = 0
    spare = sending
  }

  function send(connection) {
    connection.sentAt = performance.now()
    connection.socket.write(requestOf(sent++))
  }

  return {
    /**
     * Keeps every connection busy until the time is over or the total is sent, and waits for the last answers. With
     * `perSecond` it sends so many instead, evenly, or fewer where they are not answered as fast.
     */
    run: async (durationS, total, perSecond) => {
      const began = performance.now()
      run = { total, endsAt: began + durationS * 1000, started: 0, answered: 0 }
      run.histogram = new Uint32Array(longest + 1)
      run.statuses = new Uint32Array(1000)
      const over = new Promise((resolve, reject) => {
        run.finish = resolve
        run.fail = reject
      })
      const watch = watchOver(run, stuckMs)
      let stop
      try {
        if (perSecond !== undefined) {
          run.free = [...connections]
          stop = pace(perSecond)
        } else {
          for (const connection of connections.slice(0, total)) {
            run.started++
            send(connection)
          }
        }
        await over
        return { ...run, seconds: (performance.now() - began) / 1000 }
      } finally {
        clearInterval(watch)
        stop?.()
      }
    },
    close: () => {
      run = undefined
      for (const { socket } of connections) socket.destroy()
    },
  }
}

function watchOver(run, stuckMs) {
  let before = -1
  return setInterval(() => {
    if (run.answered === before) run.fail(new Error('A connection got no answer in time.'))
    before = run.answered
  }, stuckMs)
}

const [carriageReturn, lineFeed, c, upperC] = Buffer.from('\r\ncC')
const lengthName = Buffer.from('ontent-length:')

/** Whether an answer is complete: by its Content-Length, or by the last chunk. */
function isWhole(answer, end) {
  let bodyLength = -1
  for (let at = 15; at < end; at++) {
    if (answer[at - 1] !== lineFeed) continue
    if (answer[at] === carriageReturn) {
      return bodyLength >= 0 ? end >= at + 2 + bodyLength : answer.latin1Slice(end - 5, end) === '0\r\n\r\n'
    }
    if (answer[at] === c || answer[at] === upperC) bodyLength = Math.max(bodyLength, lengthAt(answer, at + 1))
  }
  return false
}

/** The value of a Content-Length whose name goes on at this place; -1 for another header. */
function lengthAt(answer, start) {
  for (let index = 0; index < lengthName.length; index++) {
    // in lower case; the hyphen and the colon have that bit as well
    if ((answer[start + index] | 32) !== lengthName[index]) return -1
  }
  let at = start + lengthName.length
  while (answer[at] === 32) at++
  let length = 0
  for (; answer[at] >= 48 && answer[at] <= 57; at++) length = length * 10 + answer[at] - 48
  return length
}
