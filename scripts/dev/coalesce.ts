/** Runs `work` once at a time. Requests that arrive during a run are handled together in the next run. */
export function coalesced<T>(work: (requests: T[]) => Promise<void>): (request: T) => void {
  let waiting: T[] = []
  let isRunning = false
  return (request) => {
    waiting.push(request)
    if (!isRunning) void run()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const requests = waiting
      waiting = []
      await work(requests)
    }
    isRunning = false
  }
}
