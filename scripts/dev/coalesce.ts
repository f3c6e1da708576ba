/** Runs `work` for one request at a time; what is asked for meanwhile is done in one more run, with all of it. */
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
