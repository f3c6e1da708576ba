import { placeText } from '../finding.ts'
import { escaped } from '../report/markup.ts'
import type { Change } from './change.ts'
import type { DiffReport } from './diff.ts'
import { groupsOf, operationList, type Group } from './groups.ts'

/** A changelog as a page that stands alone, without a script, and is read on paper and on a phone. */
export function html(report: DiffReport, told: { verdict: string; version: readonly string[] }): string {
  const { base, head, notes, version, passed } = report
  const title = `Changes of the contract: ${version.base} → ${version.head}`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escaped(title)}</h1>`,
    `<p><code>${escaped(base)}</code> → <code>${escaped(head)}</code></p>`,
    `<p class="${passed ? 'passed' : 'failed'}"><strong>${escaped(told.verdict)}</strong></p>`,
    ...[...told.version, ...notes].map((line) => `<p>${escaped(line)}</p>`),
    ...groupsOf(report).map(section),
    '</main>',
    '</body>',
    '</html>',
  ].join('\n')
}

function section({ level, heading, changes }: Group): string {
  return [
    `<section class="${level}">`,
    `<h2>${escaped(heading)}</h2>`,
    '<ul>',
    ...changes.map(item),
    '</ul>',
    '</section>',
  ].join('\n')
}

function item({ message, place, operations, fingerprint, excused }: Change): string {
  const details = [
    `<code>${escaped(placeText(place))}</code>`,
    ...(operations.length > 0 ? [escaped(operationList(operations))] : []),
    `<code>${escaped(fingerprint)}</code>`,
  ]
  return [
    `<li><p>${escaped(message)}</p>`,
    ...(excused === undefined ? [] : [`<p>Excused: ${escaped(excused)}</p>`]),
    `<p class="place">${details.join(' · ')}</p></li>`,
  ].join('\n')
}

const style = `
:root { color-scheme: light dark; --breaking: #c62828; --risky: #b26a00; --compatible: #2e7d32 }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 52rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; break-after: avoid }
ul { list-style: none; padding: 0 }
li { margin: 0 0 .75rem; padding: .1rem 0 .1rem .75rem; border-left: 4px solid; break-inside: avoid }
li p { margin: .2rem 0 }
code { font-family: ui-monospace, monospace; font-size: .9em }
.passed, .failed { padding-left: .75rem; border-left: 4px solid }
.breaking li, .failed { border-color: var(--breaking) }
.risky li { border-color: var(--risky) }
.compatible li, .passed { border-color: var(--compatible) }
.place { font-size: .9em }
@media print { :root { color-scheme: light } }
`
