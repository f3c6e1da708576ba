import { listOf, nodeOf, type Node } from '../../../../src/contract/model/node.ts'
import { changeWording } from '../wording.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import { addressOf, shapeOf, type PairedOperation } from './sides.ts'
import { inside, spotAt, type Spot } from './spot.ts'

/** Where an operation can be reached. */
interface Reach {
  spot: Spot
  server: Node
  /** The address of the operation with the names of variables, the same wherever the contract splits it. */
  template: string
  /** The address of the operation with the defaults of the variables. */
  address: string
}

/** Compares the addresses of an operation. */
export function compareServers(here: Here, before: PairedOperation, after: PairedOperation): void {
  const { base, head } = here.all
  const [old, now] = [reaches(base.document.root, before), reaches(head.document.root, after)]
  const pairs = old.flatMap((from) => {
    const to = now.find((one) => one.template === from.template) ?? now.find((one) => one.address === from.address)
    return to ? [[from, to] as const] : []
  })
  const lost = old.filter((one) => pairs.every(([from]) => from !== one))
  const gained = now.filter((one) => pairs.every(([, to]) => to !== one))
  for (const [from, to] of pairs) compareVariables(here, from, to)
  const [first, firstNow] = [lost[0], gained[0]]
  if (lost.length === 1 && gained.length === 1 && first && firstNow) {
    const what = `${String(first.server.url)} became ${String(firstNow.server.url)}`
    const spots = { parent: firstNow.spot, before: first.spot, after: firstNow.spot, property: 'url' }
    tell(here, { rule: 'server-removed', level: 'breaking', what }, spots)
    return
  }
  const parent = now[0]?.spot
  if (!parent) return
  for (const { spot, server } of lost) {
    tell(
      here,
      { rule: 'server-removed', level: 'breaking', what: `${String(server.url)} was removed` },
      { parent, before: spot },
    )
  }
  for (const { spot, server } of gained) {
    tell(
      here,
      { rule: 'server-added', level: 'compatible', what: `${String(server.url)} was added` },
      { parent, after: spot },
    )
  }
}

function reaches(root: unknown, operation: PairedOperation): Reach[] {
  return operation.servers.map(({ node: server, at }) => ({
    spot: spotAt(root, at),
    server,
    template: String(server.url).replace(/\/+$/, '') + shapeOf(operation.path),
    address: addressOf(server) + shapeOf(operation.path),
  }))
}

function compareVariables(here: Here, from: Reach, to: Reach): void {
  if (from.template !== to.template) return
  for (const [name, value] of Object.entries(nodeOf(from.server.variables))) {
    const [old, now] = [nodeOf(value), nodeOf(nodeOf(to.server.variables)[name])]
    const after = inside(to.spot, 'variables', name)
    const spots = { parent: after, before: inside(from.spot, 'variables', name), after }
    if (old.default !== now.default && from.address !== to.address) {
      const what = changeWording('default', old.default, now.default)
      tell(here, { rule: 'server-variable-changed', level: 'breaking', what }, { ...spots, property: 'default' })
    }
    if (String(old.enum) === String(now.enum)) continue
    const isNarrower = now.enum !== undefined && listOf(old.enum).some((one) => !listOf(now.enum).includes(one))
    const effect = isNarrower || old.enum === undefined ? narrower : wider
    const what = changeWording('enum', old.enum, now.enum)
    tell(
      here,
      { rule: 'server-variable-changed', level: levelOf('request', effect), what },
      { ...spots, property: 'enum' },
    )
  }
}
