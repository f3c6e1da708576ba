/** The marks before and behind a text, as characters of it. */
export const marks = { start: -1, end: -2 } as const

/** Characters of several scripts, as samples that tell classes such as `\w` and `\p{L}` apart. */
const ofScripts = Array.from('\u00aaßéΩЖאا٣²Ⅷ中かカ가\u0301\u00a0\u2028\u3000\ufeff\u200d€\ue000😀\u{10ffff}', (one) =>
  Number(one.codePointAt(0)),
)
const ofAscii = Array.from({ length: 256 }, (_, code) => code)

/** A set of characters, as a pattern names it. */
export class Characters {
  /** Whether it is one of the marks. */
  readonly isMark: boolean
  readonly #hasOther: (code: number) => boolean
  readonly #samples: ReadonlySet<number>
  readonly #ascii: Uint8Array

  private constructor(samples: Iterable<number>, has: (code: number) => boolean, { isMark = false } = {}) {
    this.isMark = isMark
    this.#hasOther = has
    this.#samples = new Set([...samples].filter(has))
    this.#ascii = Uint8Array.from({ length: 128 }, (_, code) => Number(has(code)))
  }

  /** All, with the mark before a text: what stands before a match that may begin anywhere. */
  static any(): Characters {
    return new Characters([...ofAscii, ...ofScripts], (code) => code !== marks.end)
  }

  static start(): Characters {
    return new Characters([], (code) => code === marks.start, { isMark: true })
  }

  static end(): Characters {
    return new Characters([], (code) => code === marks.end, { isMark: true })
  }

  static one(code: number): Characters {
    return new Characters([code], (other) => other === code)
  }

  /** Those that a class such as `[a-z]` or `\d` matches, by the engine's own reading of it. */
  static matching(raw: string, unicode: boolean, samples: readonly number[]): Characters {
    const whole = new RegExp(`^${raw}$`, unicode ? 'u' : '')
    const has = (code: number): boolean => code >= 0 && whole.test(String.fromCodePoint(code))
    return new Characters([...ofAscii, ...ofScripts, ...samples], has)
  }

  has(code: number): boolean {
    return code >= 0 && code < 128 ? this.#ascii[code] === 1 : this.#hasOther(code)
  }

  /** Whether two sets share a character, as far as some samples tell. */
  overlaps(other: Characters): boolean {
    if (this === other) return true
    if (this.#samples.size > other.#samples.size) return other.overlaps(this)
    for (const code of this.#samples) if (other.has(code)) return true
    return false
  }
}
