import { Presets, SingleBar } from 'cli-progress'

/** What takes less long shows no bar, in ms. */
const patienceMs = 1000

export interface ProgressBar {
  update: (done: number, total: number) => void
  /** Clears the line. */
  stop: () => void
}

/** How much is copied, on a terminal and from the second second on; nothing elsewhere. `now` is a clock in ms. */
export function progressBar(stream: NodeJS.WriteStream, now: () => number = () => performance.now()): ProgressBar {
  const bar = new SingleBar(
    { stream, format: '{bar} {percentage} % {step}', clearOnComplete: true, hideCursor: true, fps: 10 },
    Presets.shades_classic,
  )
  const start = now()
  return {
    update: (done, total) => {
      if (!stream.isTTY || now() - start < patienceMs) return
      const step = done < total ? 'copied' : 'copied, verifying'
      if (!bar.isActive) bar.start(total, done, { step })
      bar.setTotal(total)
      bar.update(done, { step })
    },
    stop: () => {
      bar.stop()
    },
  }
}
