import type { Server } from '../../../../src/contract/model/server.ts'
import { changeWording } from '../wording.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import { addressOf, shapeOf, type PairedOperation, type Side } from './sides.ts'
import { spotAt, type Spot } from './spot.ts'

/** Where an operation can be reached. */
interface Reach {
  value: Spot
  server: Server
  /** The address of the operation with the names of variables, the same wherever the contract splits it. */
  template: string
  /** The address of the operation with the defaults of the variables. */
  address: string
}

/** Compares the addresses of an operation. */
export function compareServers(here: Here, before: PairedOperation, after: PairedOperation): void {
  const { base, head } = here.all
  const [old, now] = [reaches(base, before), reaches(head, after)]
  const pairs = old.flatMap((from) => {
    const to = now.find((one) => one.template === from.template) ?? now.find((one) => one.address === from.address)
    return to ? [[from, to] as const] : []
  })
  const lost = old.filter((one) => pairs.every(([from]) => from !== one))
  const gained = now.filter((one) => pairs.every(([, to]) => to !== one))
  for (const [from, to] of pairs) compareVariables(here, from, to)
  const [first, firstNow] = [lost[0], gained[0]]
  if (lost.length === 1 && gained.length === 1 && first && firstNow) {
    const what = `${first.server.url} became ${firstNow.server.url}`
    const spots = { parent: firstNow.value, before: first.value, after: firstNow.value, property: 'url' }
    tell(here, { rule: 'server-removed', level: 'breaking', what }, spots)
    return
  }
  const parent = now[0]?.value
  if (!parent) return
  for (const { value, server } of lost) {
    tell(
      here,
      { rule: 'server-removed', level: 'breaking', what: `${server.url} was removed` },
      { parent, before: value },
    )
  }
  for (const { value, server } of gained) {
    tell(here, { rule: 'server-added', level: 'compatible', what: `${server.url} was added` }, { parent, after: value })
  }
}

function reaches(side: Side, operation: PairedOperation): Reach[] {
  return operation.servers.map((server) => ({
    value: spotAt(side, server.at),
    server,
    template: server.url.replace(/\/+$/, '') + shapeOf(operation.path),
    address: addressOf(server) + shapeOf(operation.path),
  }))
}

function compareVariables(here: Here, from: Reach, to: Reach): void {
  if (from.template !== to.template) return
  for (const [name, before] of from.value.field('variables').entries) {
    const after = to.value.field('variables', name)
    const [old, now] = [before.node, after.node]
    const spots = { parent: after, before, after }
    if (old.default !== now.default && from.address !== to.address) {
      const what = changeWording('default', old.default, now.default)
      tell(here, { rule: 'server-variable-changed', level: 'breaking', what }, { ...spots, property: 'default' })
    }
    if (String(old.enum) === String(now.enum)) continue
    const [values, valuesNow] = [before.field('enum').list, after.field('enum').list]
    const isNarrower = now.enum !== undefined && values.some((one) => !valuesNow.includes(one))
    const effect = isNarrower || old.enum === undefined ? narrower : wider
    const what = changeWording('enum', old.enum, now.enum)
    tell(
      here,
      { rule: 'server-variable-changed', level: levelOf('request', effect), what },
      { ...spots, property: 'enum' },
    )
  }
}
