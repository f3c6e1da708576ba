import { isCollection, isPair, isScalar, isSeq, visit } from 'yaml'
import type { ContractDocument } from '../../../src/contract/document/document.ts'
import type { Report } from './rule.ts'

/** Reports YAML anchors. The service refuses aliases to them, since places and edits would be ambiguous. */
export function anchors(contract: ContractDocument, report: Report): void {
  visit(contract.yaml(), {
    Node: (_, node, ancestors) => {
      const anchored = (isCollection(node) || isScalar(node)) && node.anchor !== undefined
      if (!anchored) return
      const at: string[] = []
      for (const [depth, ancestor] of ancestors.entries()) {
        const child = ancestors[depth + 1] ?? node
        if (isPair(ancestor)) at.push(isScalar(ancestor.key) ? String(ancestor.key.value) : '')
        else if (isSeq(ancestor)) at.push(String(ancestor.items.indexOf(child)))
      }
      const name = node.anchor ?? ''
      report(at, `The contract has the YAML anchor ${name}.`, 'Take it away; share parts by a $ref to a component.')
    },
  })
}
