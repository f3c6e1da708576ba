import { cellsTable } from '../sections/side-by-side.js'
import { contestants, doesTheJob } from './contestants.js'
import { ratioOrRange } from './markdown.js'
import { together } from './runs.js'
import { sizing } from './sizing.js'

/** The tables of README.md and docs/operating.md, by the names of their places: what the first set gave. */
export function tables(results) {
  const [first] = Object.values(results)
  const of = (name) => first[name] && together(first[name].runs)
  return { speed: cellsTable(contestants.filter(doesTheJob), of('side-by-side').rows, ratioOrRange), ...sizing(of) }
}
