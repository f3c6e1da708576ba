/** Every sample by its name and labels, as `/metrics` shows it. */
export type Samples = ReadonlyMap<string, number>

export async function samplesOf({ port }: { port: number }): Promise<Samples> {
  return readSamples(await metricsText(port))
}

export async function metricsText(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (response.status !== 200) throw new Error(`/metrics answers ${response.status}.`)
  return response.text()
}

function readSamples(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

/** How much each sample has grown since. */
export function growthSince(before: Samples, after: Samples): (name: string) => number {
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
}
