import { integerTo, pick, type Random } from './random.ts'

export interface TextLimits {
  /** Lengths in code points. */
  min: number
  max: number
  random: Random
}

/**
 * A text that a schema's pattern accepts; undefined when none was found. Knows groups, alternatives, classes, escapes
 * and repetitions of ECMA 262; what a lookaround or a back reference asks for is met by luck alone.
 */
export function textMatching(pattern: string, { min, max, random }: TextLimits): string | undefined {
  const accepts = new RegExp(pattern, 'u')
  const write = patternWriter(pattern, random)
  // one repetition may have to fill the text, or several of them together
  const growths = [2, 0, 1, min, min >> 1, Math.ceil(min / 3), Math.ceil(min / 4), 3, 4, 5]
  for (let attempt = 0; attempt < 20 * growths.length; attempt += 1) {
    const growth = growths[attempt % growths.length] ?? 0
    const isFirst = attempt < growths.length
    const text = write((room) => (isFirst ? Math.min(room, growth) : integerTo(Math.min(room, growth), random)))
    for (const candidate of [text, text.padEnd(min, 'a')]) {
      const length = Array.from(candidate).length
      if (length >= min && length <= max && accepts.test(candidate)) return candidate
    }
  }
  return undefined
}

/** Writes a text along the pattern; `grow` tells how often a repetition goes on that has room for so many more. */
type Write = (grow: (room: number) => number) => string

const atomAt =
  /\\(?:x[\da-f]{2}|u\{[\da-f]+\}|ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u[\da-f]{4}|p\{[^}]*\}|c[a-z]|k<[^>]*>|.)|\[(?:[^\]\\]|\\.)*\]|[^]/iuy
const groupAt = /\((\?(?:[:=!]|<[=!]|<[^>]*>))?/y
const repetitionAt = /([*+?])\??|\{(\d+)(,(\d*))?\}\??/y

function patternWriter(pattern: string, random: Random): Write {
  const letters = lettersFor(pattern)
  let at = 0
  return alternatives()

  function take(part: RegExp): RegExpExecArray | null {
    part.lastIndex = at
    const found = part.exec(pattern)
    if (found) at += found[0].length
    return found
  }

  function alternatives(): Write {
    const all = [sequence()]
    while (pattern[at] === '|') {
      at += 1
      all.push(sequence())
    }
    return (grow) => pick(all, random)?.(grow) ?? ''
  }

  function sequence(): Write {
    const parts: Write[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') parts.push(repeated(part()))
    return (grow) => parts.map((write) => write(grow)).join('')
  }

  function part(): Write {
    const group = take(groupAt)
    if (!group) return atom(take(atomAt)?.[0] ?? '')
    const write = alternatives()
    at += 1
    // a lookaround takes no place
    return /^\?<?[=!]/.test(group[1] ?? '') ? () => '' : write
  }

  function atom(text: string): Write {
    if (/^(?:[$^]|\\[bB])$/.test(text)) return () => ''
    if (!/^[\\[.]/.test(text)) return () => text
    const accepted = lettersIn(text, letters)
    return () => pick(accepted, random) ?? ''
  }

  function repeated(write: Write): Write {
    const found = take(repetitionAt)
    if (!found) return write
    const [, sign, exact, open, most] = found
    const least = sign === undefined ? Number(exact) : sign === '+' ? 1 : 0
    const endless = sign === undefined ? most === '' : sign !== '?'
    const room = endless ? Infinity : (sign === '?' ? 1 : Number(open === undefined ? exact : most)) - least
    return (grow) => Array.from({ length: least + grow(room) }, () => write(grow)).join('')
  }
}

/** The first few of these letters that a class or an escape stands for. */
function lettersIn(text: string, letters: readonly string[]): string[] {
  try {
    const accepts = new RegExp(`^${text}$`, 'u')
    return letters.filter((letter) => accepts.test(letter)).slice(0, 10)
  } catch {
    // a back reference without its group
    return []
  }
}

/** Small letters, capitals, digits, then the rest of ASCII, and a few from elsewhere. */
const common = [
  ...Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ '),
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...Array.from('\t\n\u00e9\u00df\u00a0\u3042\u4e2d\u{1f43e}'),
]

/** Candidates for the letters of a pattern: common ones first, then what the pattern itself names. */
function lettersFor(pattern: string): string[] {
  const codes = Array.from(pattern.matchAll(/\\(?:x|u\{?)([\da-f]{2,6})/gi), ([, hex = '']) => Number.parseInt(hex, 16))
  const named = codes.filter((code) => code <= 0x10ffff).map((code) => String.fromCodePoint(code))
  return [...new Set([...common, ...Array.from(pattern), ...named])]
}
