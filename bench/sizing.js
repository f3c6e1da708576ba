/*
 * node bench/sizing.js [--write]    prints what docs/operating.md says of sizes, from bench/results.json, or writes it there
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { sizing, withSizing } from './harness/sizing.js'

const page = new URL('../docs/operating.md', import.meta.url)
const results = JSON.parse(readFileSync(new URL('results.json', import.meta.url), 'utf8'))

if (process.argv[2] === '--write') writeFileSync(page, withSizing(readFileSync(page, 'utf8'), results))
else console.log(Object.values(sizing(results)).join('\n\n'))
