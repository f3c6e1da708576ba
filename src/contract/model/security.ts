import { entriesOf, isNode, listOf, type Node, type Path } from './node.ts'

/** Where a request carries the API key: in `Authorization`, with the scheme Bearer or Basic, or under a name. */
export type KeyPlace = { in: 'bearer' | 'basic' } | { in: 'header' | 'query' | 'cookie'; name: string }

/** A security scheme of the components. */
export class SecurityScheme {
  readonly name: string
  readonly node: Node
  /** Where it stands, behind references. */
  readonly at: Path

  constructor(name: string, node: Node, at: Path) {
    this.name = name
    this.node = node
    this.at = at
  }

  get type(): string {
    return String(this.node.type)
  }

  /** The names of the scopes that its flows have; undefined for a scheme without scopes. */
  get scopes(): string[] | undefined {
    if (this.type !== 'oauth2') return undefined
    return entriesOf(this.node.flows).flatMap(([, flow]) =>
      entriesOf(isNode(flow) ? flow.scopes : {}).map(([name]) => name),
    )
  }

  /** The place of its key; undefined for a scheme that carries none. */
  get place(): KeyPlace | undefined {
    const { scheme, in: place, name } = this.node
    switch (this.type) {
      case 'http': {
        const kind = String(scheme).toLowerCase()
        return kind === 'bearer' || kind === 'basic' ? { in: kind } : undefined
      }
      case 'apiKey': {
        if (place !== 'header' && place !== 'query' && place !== 'cookie') return undefined
        return { in: place, name: String(name) }
      }
      case 'oauth2':
      case 'openIdConnect':
        return { in: 'bearer' }
      default:
        return undefined
    }
  }
}

/** A security scheme that a requirement names, with the scopes that it asks for. */
export interface Requirement {
  name: string
  scopes: readonly string[]
  at: Path
}

/** The security requirements of an object of the contract, each with the schemes that it needs. */
export function requirementsIn({ security }: Node, at: Path): Requirement[][] {
  return listOf(security).map((requirement, index) =>
    entriesOf(requirement).map(([name, scopes]) => ({
      name,
      scopes: listOf(scopes).map(String),
      at: [...at, 'security', String(index), name],
    })),
  )
}

/**
 * The alternatives of a list of security requirements: of one of them, each place must have the key. An empty
 * alternative needs no key. Without requirements anyone may call.
 */
export function keyAlternatives(
  requirements: readonly (readonly Requirement[])[],
  schemeOf: (name: string) => SecurityScheme | undefined,
): KeyPlace[][] {
  if (requirements.length === 0) return [[]]
  return requirements.map((all) => {
    const places = all.map(({ name }): KeyPlace => schemeOf(name)?.place ?? { in: 'bearer' })
    // a header has one value, and the schemes of HTTP say how it is written
    const hasScheme = places.some((place) => place.in === 'bearer' || place.in === 'basic')
    return places.filter((place) => !hasScheme || place.in !== 'header' || place.name.toLowerCase() !== 'authorization')
  })
}

/** How a key is sent in a place, as a part of a sentence. */
export function wayOfKey(place: KeyPlace): string {
  switch (place.in) {
    case 'bearer':
      return '"Authorization: Bearer <API_KEY>"'
    case 'basic':
      return 'the password of "Authorization: Basic"'
    case 'header':
      return `"${place.name}: <API_KEY>"`
    default:
      return `${place.name} in the ${place.in === 'query' ? 'query' : 'cookies'}`
  }
}

/** Whether nobody is answered without a key, by the alternatives of an operation. */
export function needsKey(alternatives: readonly (readonly KeyPlace[])[]): boolean {
  return alternatives.every((places) => places.length > 0)
}

/** Which operations need a key, and the ways to send it, by the alternatives of each operation. */
export function keyUse(all: readonly (readonly (readonly KeyPlace[])[])[]): {
  neededBy: 'every' | 'some' | 'no'
  ways: string[]
} {
  const needing = all.filter(needsKey)
  const neededBy = needing.length === 0 ? 'no' : needing.length === all.length ? 'every' : 'some'
  return { neededBy, ways: [...new Set(all.flat(2).map(wayOfKey))] }
}
