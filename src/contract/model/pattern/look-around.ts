import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp'
import { automatonOf } from './automaton.ts'
import { waysGrow } from './growth.ts'

/**
 * Whether the work of the engine for a pattern with look-around, back references or word boundaries may grow faster than
 * the text. Its parts are judged apart: the pattern with nothing in the place of each assertion, and what each of these
 * looks for. One that reads any number of characters must not be tried at any number of places.
 */
export function isCostly(engine: RegExp): boolean {
  const { source, unicode } = engine
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode })
  const looks: AST.LookaroundAssertion[] = []
  visitRegExpAST(pattern, {
    onAssertionEnter: (assertion) => {
      if ('alternatives' in assertion) looks.push(assertion)
    },
  })
  const isLinear = (text: string): boolean => {
    const expression = new RegExp(text, engine.flags)
    const automaton = automatonOf(expression, { counted: true }) ?? automatonOf(expression, { counted: false })
    return automaton !== undefined && !waysGrow(automaton)
  }
  const isSearched = !pattern.alternatives.every(isAnchored)
  return (
    !isLinear(isSearched ? textOf(pattern) : `^(?:${textOf(pattern)})`) ||
    looks.some((look) => (isUnbounded(look) && (isSearched || isRepeated(look))) || !isLinear(`^(?:${textOf(look)})`))
  )
}

type Choice = AST.Pattern | AST.LookaroundAssertion | AST.Group | AST.CapturingGroup

/** The text of alternatives with nothing for each assertion but `$`, and with what a back reference refers to for it. */
function textOf({ alternatives }: Choice, open: readonly unknown[] = []): string {
  return alternatives.map(({ elements }) => elements.map((element) => elementText(element, open)).join('')).join('|')
}

function elementText(element: AST.QuantifiableElement | AST.Element, open: readonly unknown[]): string {
  switch (element.type) {
    case 'Assertion':
      return element.kind === 'end' ? element.raw : '(?:)'
    case 'Backreference': {
      const [group] = [element.resolved].flat()
      return group && !open.includes(group) ? `(?:${textOf(group, [...open, group])})` : '(?:)'
    }
    case 'Quantifier':
      return elementText(element.element, open) + element.raw.slice(element.element.raw.length)
    case 'Group':
    case 'CapturingGroup':
      return `(?:${textOf(element, open)})`
    default:
      return element.raw
  }
}

/** Whether a match can only be at the start of a text. */
function isAnchored({ elements }: AST.Alternative): boolean {
  const isLook = (element: AST.Element): element is AST.LookaroundAssertion =>
    element.type === 'Assertion' && 'alternatives' in element
  const first = elements.find((element) => !isLook(element))
  const looks = elements.slice(0, first ? elements.indexOf(first) : undefined).filter(isLook)
  if (looks.some((look) => look.kind === 'lookahead' && !look.negate && look.alternatives.every(isAnchored)))
    return true
  if (first?.type === 'Assertion') return first.kind === 'start'
  return (first?.type === 'Group' || first?.type === 'CapturingGroup') && first.alternatives.every(isAnchored)
}

/** Whether what an assertion looks for has no greatest length. */
function isUnbounded(look: AST.LookaroundAssertion): boolean {
  let isFound = false
  visitRegExpAST(look, {
    onQuantifierEnter: ({ max }) => {
      isFound ||= max === Infinity
    },
  })
  return isFound
}

/** Whether an assertion stands in a repetition without a greatest number. */
function isRepeated(look: AST.LookaroundAssertion): boolean {
  for (let node: AST.Node = look.parent; node.parent !== null; node = node.parent) {
    if (node.type === 'Quantifier' && node.max === Infinity) return true
  }
  return false
}
