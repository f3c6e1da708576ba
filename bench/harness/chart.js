import { scenarioNames } from '../sections/side-by-side.js'
import { rowOf } from './statistics.js'

const connections = 32

const width = 760
const labelWidth = 270
const valueWidth = 70
const barHeight = 16
const barStep = 22
const panelHead = 34
const panelGap = 14

/** Requests per second of every contestant as bars, a panel for each scenario; readable on light and dark pages. */
export function chart(contestants, rows) {
  const panels = []
  let height = 0
  for (const scenario of scenarioNames) {
    const bars = contestants.flatMap(({ name, title, role }) => {
      const row = rowOf(rows, { scenario, connections, contestant: name })
      return row ? [{ title, role, rate: row.perSecond.median }] : []
    })
    panels.push(panel(scenario, height, bars))
    height += panelHead + bars.length * barStep + panelGap
  }
  height += panelGap
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Requests per second, side by side</title>
<style>
  .back { fill: #ffffff } text { fill: #24292f; font: 13px system-ui, sans-serif } .head { font-weight: 600 }
  .ours { fill: #0969da } .peer { fill: #8c959f } .limit { fill: #bf8700 } .floor { fill: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } text { fill: #e6edf3 } .ours { fill: #4493f8 } .peer { fill: #6e7681 } .limit { fill: #d29922 } .floor { fill: #3d444d }
  }
</style>
<rect class="back" width="${width}" height="${height}" rx="6"/>
${panels.join('\n')}
</svg>
`
}

function panel(scenario, top, all) {
  const scale = (width - labelWidth - valueWidth) / Math.max(...all.map(({ rate }) => rate))
  const bars = all.map(({ title, role, rate }, index) => {
    const y = top + panelHead + index * barStep
    const length = Math.max(1, rate * scale)
    return [
      `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(title)}</text>`,
      `<rect class="${role}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}">${Math.round(rate)}</text>`,
    ].join('\n')
  })
  return `<text class="head" x="16" y="${top + 24}">${scenario}, requests/s over ${connections} connections</text>\n${bars.join('\n')}`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
