import { Presets, SingleBar } from 'cli-progress'

/** No bar is shown before this time, in ms. */
const delayMs = 1000

export interface ProgressBar {
  update: (done: number, total: number) => void
  /** Clears the line. */
  stop: () => void
}

/** Shows the progress of a copy on a terminal, after `delayMs`. Shows nothing elsewhere. `now` is a clock in ms. */
export function progressBar(stream: NodeJS.WriteStream, now: () => number = () => performance.now()): ProgressBar {
  const bar = new SingleBar(
    { stream, format: '{bar} {percentage} % {step}', clearOnComplete: true, hideCursor: true, fps: 10 },
    Presets.shades_classic,
  )
  const start = now()
  return {
    update: (done, total) => {
      if (!stream.isTTY || now() - start < delayMs) return
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
