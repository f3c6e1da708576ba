import { isCollection, isPair, isScalar, isSeq, visit } from 'yaml'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import type { Source } from '../../../src/contract/model/files/source.ts'
import type { Report } from './rule.ts'

/** Reports the YAML anchors of all files: places and edits are ambiguous where aliases repeat them. */
export function anchors({ sources }: ContractDocument, report: Report): void {
  for (const source of sources) anchorsOf(source, report)
}

function anchorsOf({ yaml, place }: Source, report: Report): void {
  visit(yaml(), {
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
      report(
        place(at),
        `The contract has the YAML anchor ${name}.`,
        'Take it away; share parts by a $ref to a component.',
      )
    },
  })
}
