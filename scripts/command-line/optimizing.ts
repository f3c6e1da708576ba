import { setFlagsFromString } from 'node:v8'

/** How much bytecode a function runs before V8 looks whether to optimize it. */
const budget = { usual: 132 * 1024, long: 3_000_000 }

/**
 * Lets V8 optimize only what runs for long. A command that ends after a second spends a third of its time on optimizing
 * what it does not run again.
 */
export function optimizeLate(): void {
  setFlagsFromString(`--interrupt-budget=${budget.long}`)
}

/** Lets V8 optimize as usual. */
export function optimizeAsUsual(): void {
  setFlagsFromString(`--interrupt-budget=${budget.usual}`)
}
