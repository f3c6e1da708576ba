import { normalized } from './path.ts'
import { entriesOf, listOf, nodeOf, type Node, type Path } from './node.ts'

/** A server of the contract, of a path or of an operation. */
export class Server {
  readonly node: Node
  readonly at: Path

  constructor(node: Node, at: Path) {
    this.node = node
    this.at = at
  }

  get url(): string {
    return String(this.node.url)
  }

  /** The default of each variable; undefined for one that has none. */
  get variables(): ReadonlyMap<string, string | undefined> {
    return new Map(
      entriesOf(this.node.variables).map(([name, variable]) => {
        const value = nodeOf(variable).default
        return [name, typeof value === 'string' ? value : undefined]
      }),
    )
  }

  /** The url with the defaults of its variables. */
  get address(): string {
    return this.url.replace(/\{([^}]+)\}/g, (_, name: string) => this.variables.get(name) ?? '')
  }

  /** The path of its address, without a slash at its end; undefined if its url is no address. */
  get path(): string | undefined {
    const { address } = this
    return URL.canParse(address, 'http://localhost')
      ? normalized(new URL(address, 'http://localhost').pathname.replace(/\/+$/, ''))
      : undefined
  }
}

/** The servers that an object of the contract names; without any the one that OpenAPI takes for granted. */
export function serversIn({ servers }: Node, at: Path): Server[] {
  const list = listOf(servers)
  return (list.length > 0 ? list : [{ url: '/' }]).map(
    (server, index) => new Server(nodeOf(server), [...at, 'servers', String(index)]),
  )
}
