import { kept } from '../../../kept.ts'
import type { Automaton } from './automaton.ts'

/** How the work of a backtracking engine may grow with the text. */
export type Growth = 'linear' | 'polynomial' | 'exponential'

const maxPairs = 50_000
const maxTriples = 5000

/**
 * Finds out whether two ways through a pattern can go on beside each other for any length of the same text (Weber and
 * Seidl 1991). If they can, an engine may try all of them; and if they meet again, the ways double each time.
 */
export function growthOf(automaton: Automaton): Growth {
  const pairs = new Pairs(automaton)
  if (pairs.isTooMany) return 'polynomial'
  const circles = circlesOf(pairs.next)
  if (circles.some((circle) => pairs.doubles(circle))) return 'exponential'
  return circles.some((circle) => circle.some((pair) => !pairs.isSame(pair))) ? 'polynomial' : 'linear'
}

/**
 * Whether the number of ways through a text may grow with its length: one that goes on in a state, one that goes from it to
 * another state, and one that goes on in that one read the same text (Weber and Seidl 1991). `growthOf` also takes a fixed
 * number of ways for a growing one.
 */
export function waysGrow(automaton: Automaton): boolean {
  const pairs = new Pairs(automaton)
  if (pairs.isTooMany) return true
  const circles = circlesOf(pairs.next)
  return circles.some((circle) => pairs.doubles(circle) || pairs.multiplies(circle))
}

/** Pairs of states in which two ways through the same text can be at once. */
class Pairs {
  /** The pairs after each pair. */
  readonly next = new Map<number, number[]>()
  /** Pairs of a state and itself, with those after it that can be reached in two ways. */
  readonly #twice = new Map<number, Set<number>>()
  readonly #automaton: Automaton
  readonly #follow: readonly (readonly number[])[]
  readonly #overlaps = new Map<number, boolean>()

  constructor(automaton: Automaton) {
    const { first, follow, last } = (this.#automaton = automaton)
    // the engine stops where a match may end, so it never goes on from there to another such state
    this.#follow = follow.map((after, state) => (last.has(state) ? after.filter((one) => !last.has(one)) : after))
    const open = this.#after(first, first).map(({ pair }) => pair)
    for (let pair = open.pop(); pair !== undefined && !this.isTooMany; pair = open.pop()) {
      if (this.next.has(pair)) continue
      const [one, other] = this.#statesOf(pair)
      const found = this.#after(this.#follow[one] ?? [], this.#follow[other] ?? [], one === other)
      const after = [...new Set(found.map((step) => step.pair))]
      this.next.set(pair, after)
      const twice = found.filter((step) => one === other && step.isTwice).map((step) => step.pair)
      if (twice.length > 0) this.#twice.set(pair, new Set(twice))
      open.push(...after)
    }
  }

  get isTooMany(): boolean {
    return this.next.size > maxPairs
  }

  /** Whether both ways are in the same state. */
  isSame(pair: number): boolean {
    const [one, other] = this.#statesOf(pair)
    return one === other
  }

  /** Whether a circle of pairs parts two ways and brings them together again. */
  doubles(circle: readonly number[]): boolean {
    const same = circle.filter((pair) => this.isSame(pair))
    if (same.length === 0) return false
    return same.length < circle.length || same.some((pair) => circle.some((after) => this.#twice.get(pair)?.has(after)))
  }

  /** Whether a circle of pairs goes on while a third way gets from the one state of a pair to the other. */
  multiplies(circle: readonly number[]): boolean {
    const members = new Set(circle)
    return circle.some((pair) => {
      const [one, other] = this.#statesOf(pair)
      return one !== other && (this.#crosses(one, other, members) || this.#crosses(other, one, members))
    })
  }

  #crosses(from: number, to: number, members: ReadonlySet<number>): boolean {
    const seen = new Set<string>()
    const open: [number, number, number][] = [[from, from, to]]
    for (let states = open.pop(); states; states = open.pop()) {
      if (seen.has(states.join())) continue
      if (seen.size > maxTriples) return true
      seen.add(states.join())
      const [ones, ways, others] = states.map((state) => this.#follow[state] ?? []) as [number[], number[], number[]]
      for (const one of ones) {
        for (const other of others.filter((state) => members.has(this.#pairOf(one, state)))) {
          for (const way of ways) {
            if (!this.#overlap(one, way) || !this.#overlap(way, other)) continue
            if (one === from && way === to && other === to) return true
            open.push([one, way, other])
          }
        }
      }
    }
    return false
  }

  #after(
    ones: readonly number[],
    others: readonly number[],
    isSame = ones === others,
  ): { pair: number; isTwice: boolean }[] {
    return ones.flatMap((one, index) =>
      others.flatMap((other, place) => {
        if ((isSame && place < index) || !this.#overlap(one, other)) return []
        return { pair: this.#pairOf(one, other), isTwice: one === other && place !== index }
      }),
    )
  }

  #overlap(one: number, other: number): boolean {
    const pair = this.#pairOf(one, other)
    const { characters } = this.#automaton
    const overlap = (): boolean => characters[one]?.overlaps(characters[other] ?? characters[one]) ?? false
    return kept(this.#overlaps, pair, overlap)
  }

  #pairOf(one: number, other: number): number {
    const count = this.#automaton.characters.length
    return one < other ? one * count + other : other * count + one
  }

  #statesOf(pair: number): [number, number] {
    const count = this.#automaton.characters.length
    return [Math.floor(pair / count), pair % count]
  }
}

/** The sets of nodes of a graph that lead to each other, by the algorithm of Tarjan; a single one only if it leads to itself. */
function circlesOf(next: ReadonlyMap<number, readonly number[]>): number[][] {
  const order = new Map<number, number>()
  const low = new Map<number, number>()
  const stack: number[] = []
  const isOpen = new Set<number>()
  const circles: number[][] = []
  const lower = (node: number, to: number | undefined): void => {
    low.set(node, Math.min(low.get(node) ?? Infinity, to ?? Infinity))
  }
  const enter = (node: number): { node: number; place: number } => {
    order.set(node, order.size)
    low.set(node, order.size - 1)
    stack.push(node)
    isOpen.add(node)
    return { node, place: 0 }
  }
  const leave = (node: number): void => {
    if (low.get(node) !== order.get(node)) return
    const circle = stack.splice(stack.indexOf(node))
    for (const one of circle) isOpen.delete(one)
    if (circle.length > 1 || next.get(node)?.includes(node)) circles.push(circle)
  }
  for (const start of next.keys()) {
    const path = order.has(start) ? [] : [enter(start)]
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const after = next.get(top.node)?.[top.place]
      top.place += 1
      if (after === undefined) {
        path.pop()
        leave(top.node)
        const before = path.at(-1)
        if (before) lower(before.node, low.get(top.node))
      } else if (!order.has(after)) path.push(enter(after))
      else if (isOpen.has(after)) lower(top.node, order.get(after))
    }
  }
  return circles
}
