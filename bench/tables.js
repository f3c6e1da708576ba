/*
 * node bench/tables.js            prints the tables of README.md and docs/operating.md that bench/results.json gives
 * node bench/tables.js --write    writes them there, and bench/results.md and bench/chart.svg, all anew
 */
import { readFileSync } from 'node:fs'
import { tables } from './harness/tables.js'

const results = JSON.parse(readFileSync(new URL('results.json', import.meta.url), 'utf8'))

// the sections load what only the bench needs
if (process.argv[2] === '--write') (await import('./harness/documents.js')).writeDocuments(results)
else console.log(Object.values(tables(results)).join('\n\n'))
