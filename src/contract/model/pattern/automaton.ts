import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp'
import { kept } from '../../../kept.ts'
import { Characters } from './characters.ts'

/**
 * The states that the match of a pattern passes, one for each character that the pattern names (Glushkov 1961). A text
 * is read with a mark before it and one behind it, for which `^` and `$` stand.
 */
export interface Automaton {
  /** The characters that lead into each state. */
  characters: readonly Characters[]
  /** The states that a match begins with. */
  first: readonly number[]
  /** The states after each state; one that can be reached in several ways stands there as often. */
  follow: readonly (readonly number[])[]
  /** The states with which a match may end. */
  last: ReadonlySet<number>
  /** Whether the pattern matches every text, because it matches the empty one anywhere. */
  isEmpty: boolean
  /** Whether the states say all that the pattern says: it has no look-around, back reference or word boundary. */
  isWhole: boolean
}

/** A part of a pattern: the states that it begins and ends with, and whether it may be left out. */
interface Fragment {
  first: readonly number[]
  last: readonly number[]
  isOptional: boolean
}

interface Options {
  /** Whether all numbers of repetitions are kept; large ones make little difference to how the work for a match grows. */
  counted: boolean
}

/** Repetitions of up to so many times are written out where larger ones are taken for any number of times. */
const fewTimes = 8
const maxStates = 5000
const maxSteps = 50_000

/** The automaton of a pattern; undefined if it has too many states, or is one that only the engine knows. */
export function automatonOf({ source, unicode }: RegExp, options: Options): Automaton | undefined {
  try {
    const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode })
    return new Builder(pattern, unicode, options).build(pattern)
  } catch (error) {
    if (error instanceof TooLarge || error instanceof SyntaxError) return undefined
    throw error
  }
}

class TooLarge extends Error {}

const nothing: Fragment = { first: [], last: [], isOptional: true }

class Builder {
  readonly #unicode: boolean
  readonly #counted: boolean
  readonly #characters: Characters[] = []
  readonly #follow: number[][] = []
  readonly #known = new Map<string, Characters>()
  /** Characters that tell the sets of the pattern apart. */
  readonly #samples: number[]
  #steps = 0
  #isWhole = true

  constructor(pattern: AST.Pattern, unicode: boolean, { counted }: Options) {
    this.#unicode = unicode
    this.#counted = counted
    const named = new Set<number>()
    visitRegExpAST(pattern, {
      onCharacterEnter: ({ value }) => {
        for (const code of [value - 1, value, value + 1]) named.add(code)
      },
    })
    this.#samples = [...named].filter((code) => code >= 0 && code <= 0x10ffff)
  }

  build(pattern: AST.Pattern): Automaton {
    const { first, last, isOptional } = this.#choice(pattern.alternatives)
    const { start } = this
    const later = first.filter((state) => this.#characters[state] !== start)
    const before = later.length > 0 ? [this.#state(Characters.any())] : []
    for (const state of before) this.#connect([state], [...before, ...later])
    return {
      characters: this.#characters,
      first: [...before, ...first],
      follow: this.#follow.map((states) => states.filter((state) => this.#characters[state] !== start)),
      last: new Set(last),
      isEmpty: isOptional,
      isWhole: this.#isWhole,
    }
  }

  get start(): Characters {
    return this.#set('^', () => Characters.start())
  }

  #choice(alternatives: readonly AST.Alternative[]): Fragment {
    const parts = alternatives.map(({ elements }) =>
      elements.reduce<Fragment>((before, element) => this.#sequence(before, this.#element(element)), nothing),
    )
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      isOptional: parts.some((part) => part.isOptional),
    }
  }

  #sequence(before: Fragment, after: Fragment): Fragment {
    this.#connect(before.last, after.first)
    return {
      first: before.isOptional ? [...before.first, ...after.first] : before.first,
      last: after.isOptional ? [...before.last, ...after.last] : after.last,
      isOptional: before.isOptional && after.isOptional,
    }
  }

  #element(element: AST.Element): Fragment {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        if (element.type === 'Group' && element.modifiers) this.#isWhole = false
        return this.#choice(element.alternatives)
      case 'Quantifier':
        return this.#repeated(element)
      case 'Assertion':
        return this.#assertion(element)
      case 'Backreference':
        this.#isWhole = false
        return nothing
      case 'Character':
        return this.#one(this.#set(element.raw, () => Characters.one(element.value)))
      default: {
        const { raw } = element
        return this.#one(this.#set(raw, () => Characters.matching(raw, this.#unicode, this.#samples)))
      }
    }
  }

  #assertion(assertion: AST.Assertion): Fragment {
    const { kind } = assertion
    if (kind === 'start') return this.#one(this.start)
    if (kind === 'end') return this.#one(this.#set('$', () => Characters.end()))
    this.#isWhole = false
    if (!('alternatives' in assertion)) return nothing
    // what it looks for is matched beside what follows it
    return { ...this.#choice(assertion.alternatives), last: [], isOptional: true }
  }

  #repeated({ element, min, max }: AST.Quantifier): Fragment {
    if (max === 0) return nothing
    let first: Fragment | undefined = this.#element(element)
    const copy = (): Fragment => {
      const made = first ?? this.#element(element)
      first = undefined
      return made
    }
    const optional = (part: Fragment): Fragment => ({ ...part, isOptional: true })
    const looped = (part: Fragment): Fragment => {
      this.#connect(part.last, part.first)
      return part
    }
    // of several copies of what may be empty, any may be the empty one
    const isLoose = first.isOptional && max > 1 && max < Infinity
    if (!this.#counted && (isLoose || Math.max(min, max === Infinity ? 0 : max) > fewTimes)) {
      const loop = looped(copy())
      const all = isLoose ? looped(loop) : loop
      return min === 0 ? optional(all) : all
    }
    let needed = nothing
    for (let count = max === Infinity ? 1 : 0; count < min; count += 1) needed = this.#sequence(needed, copy())
    if (max === Infinity) {
      const loop = looped(copy())
      return this.#sequence(needed, min === 0 ? optional(loop) : loop)
    }
    let rest = nothing
    // the later ones stand within the ones before, so that each is followed by few others
    for (let count = min; count < max; count += 1) rest = optional(this.#sequence(copy(), rest))
    return this.#sequence(needed, rest)
  }

  #one(characters: Characters): Fragment {
    const state = this.#state(characters)
    return { first: [state], last: [state], isOptional: false }
  }

  #state(characters: Characters): number {
    if (this.#characters.length >= maxStates) throw new TooLarge()
    this.#follow.push([])
    return this.#characters.push(characters) - 1
  }

  #connect(before: readonly number[], after: readonly number[]): void {
    this.#steps += before.length * after.length
    if (this.#steps > maxSteps) throw new TooLarge()
    for (const state of before) {
      this.#follow[state]?.push(...after)
      // a text has each mark once, and a pattern may ask for one twice
      if (this.#characters[state]?.isMark && after.some((next) => !this.#isOrdered(state, next))) this.#isWhole = false
    }
  }

  #isOrdered(state: number, next: number): boolean {
    const [before, after] = [this.#characters[state], this.#characters[next]]
    return after?.isMark !== true || (before === this.start && after !== this.start)
  }

  /** The set that a text of the pattern names, once for each. */
  #set(raw: string, make: () => Characters): Characters {
    return kept(this.#known, raw, make)
  }
}
