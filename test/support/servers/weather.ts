import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A network between a client and a server on this machine that can be made bad. */
export interface Weather {
  port: number
  /** Time that each piece of data takes, in ms. */
  delayMs: { there: number; back: number }
  /** How often the client has said something after it was answered: round trips, where answers come later than what is sent. */
  trips: () => number
  /** Holds data back, in one direction or both, until `clear`. */
  stall: (...directions: Direction[]) => void
  /** Lets data pass again, what was held back first. */
  clear: () => void
  /** Ends every connection; what is held back is lost. */
  cut: () => void
  close: () => Promise<void>
}

type Direction = 'there' | 'back'

/** Passes connections on to a port, in good weather at first. */
export async function weather(target: number): Promise<Weather> {
  const pairs = new Set<[Socket, Socket]>()
  const stalled = new Set<Direction>()
  const delayMs = { there: 0, back: 0 }
  const waiting = new Set<() => void>()
  const last = new WeakMap<Socket, Direction>()
  let trips = 0

  /** Data arrives in its order, whatever the weather was when it left. */
  const pipe = (from: Socket, to: Socket, direction: Direction): void => {
    const queue: { chunk: Buffer; dueMs: number }[] = []
    const deliver = (): void => {
      for (let first = queue[0]; first && !stalled.has(direction); first = queue[0]) {
        const leftMs = first.dueMs - performance.now()
        if (leftMs > 0) {
          setTimeout(deliver, leftMs)
          return
        }
        queue.shift()
        if (to.writable) to.write(first.chunk)
      }
    }
    const inside = direction === 'there' ? from : to
    from.on('data', (chunk) => {
      if (direction === 'there' && last.get(inside) !== 'there') trips += 1
      last.set(inside, direction)
      queue.push({ chunk, dueMs: performance.now() + delayMs[direction] })
      deliver()
    })
    waiting.add(deliver)
    from.on('close', () => waiting.delete(deliver))
  }
  const server = createServer((inside) => {
    const outside = connect(target, '127.0.0.1')
    const pair: [Socket, Socket] = [inside, outside]
    pairs.add(pair)
    pipe(inside, outside, 'there')
    pipe(outside, inside, 'back')
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        for (const one of pair) one.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    delayMs,
    trips: () => trips,
    stall: (...directions) => {
      for (const direction of directions) stalled.add(direction)
    },
    clear: () => {
      stalled.clear()
      for (const deliver of waiting) deliver()
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        cut()
      }),
  }
}
