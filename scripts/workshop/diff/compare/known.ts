/** Whether something is so; undefined where that is not known. */
export type Known = boolean | undefined

export function some(all: readonly Known[]): Known {
  return all.includes(true) || (all.includes(undefined) ? undefined : false)
}

export function every(all: readonly Known[]): Known {
  return !all.includes(false) && (all.includes(undefined) ? undefined : true)
}

export function not(one: Known): Known {
  return one === undefined ? undefined : !one
}
