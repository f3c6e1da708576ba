/**
 * What a set of results, of one Node, keeps when some of its sections are measured anew: nothing when these are all
 * of them. Throws if it is of another machine, since a set is of one.
 */
export function keptOf(set, { machine, isWhole }) {
  if (!set || isWhole) return {}
  for (const what of ['Processor', 'Node.js']) {
    if (set.machine[what] !== machine[what]) throw new Error(`The results are of another ${what}: run all sections.`)
  }
  return set
}

/** JSON with a line for each section of each Node. */
export function linesOf(sets) {
  const block = (values, write) => {
    const lines = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}: ${write(value)}`)
    return `{\n${lines.join(',\n')}\n}`
  }
  return `${block(sets, (values) => block(values, JSON.stringify))}\n`
}
