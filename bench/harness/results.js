/** The name of the set of results that a machine gives: those of one processor and one major version of Node. */
export function nameOf({ Processor, 'Node.js': node }) {
  return `Node.js ${node.split('.')[0]} on ${Processor}`
}

/**
 * What a set of results keeps when some of its sections are measured anew: nothing when these are all of them. Throws if
 * it is of another version of Node.
 */
export function keptOf(set, { machine, isWhole }) {
  if (!set || isWhole) return {}
  if (set.machine['Node.js'] !== machine['Node.js']) {
    throw new Error(`The results are of Node.js ${set.machine['Node.js']}: run all sections.`)
  }
  return set
}

/** JSON with a line for each section of each set. */
export function linesOf(sets) {
  const block = (values, write) => {
    const lines = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}: ${write(value)}`)
    return `{\n${lines.join(',\n')}\n}`
  }
  return `${block(sets, (values) => block(values, JSON.stringify))}\n`
}
