import { isCollection, isPair, isScalar, isSeq, visit } from 'yaml'
import type { Source } from '../../../src/contract/model/files/source.ts'
import { rule, type Report } from '../../../src/contract/rules/rule.ts'

/** No file has YAML anchors: places and edits are ambiguous where aliases repeat them. */
export const anchors = rule({
  id: 'anchors',
  on: 'document',
  level: 'wrong',
  check: ({ document }, report) => {
    for (const source of document.sources) anchorsOf(source, report)
  },
})

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
      const fix = 'Take it away; share parts by a $ref to a component.'
      report([], `The contract has the YAML anchor ${node.anchor ?? ''}.`, { fix, place: place(at) })
    },
  })
}
