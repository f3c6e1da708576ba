import { scenarioNames } from '../sections/side-by-side.js'

const width = 760
const labelWidth = 270
const valueWidth = 70
const barHeight = 16
const barStep = 22
const panelHead = 34
const panelGap = 14

/** Requests per second of every contestant as bars, a panel for each scenario; readable on light and dark pages. */
export function chart(contestants, compared) {
  const panelHeight = panelHead + contestants.length * barStep + panelGap
  const height = scenarioNames.length * panelHeight + panelGap
  const panels = scenarioNames.map((name, index) => panel(name, index * panelHeight, contestants, compared))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Requests per second, side by side</title>
<style>
  .back { fill: #ffffff } text { fill: #24292f; font: 13px system-ui, sans-serif } .head { font-weight: 600 }
  .ours { fill: #0969da } .peer { fill: #8c959f } .limit { fill: #bf8700 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } text { fill: #e6edf3 } .ours { fill: #4493f8 } .peer { fill: #6e7681 } .limit { fill: #d29922 }
  }
</style>
<rect class="back" width="${width}" height="${height}" rx="6"/>
${panels.join('\n')}
</svg>
`
}

function panel(scenario, top, contestants, compared) {
  const rates = contestants.map(({ name }) => compared[name][scenario].perSecond.max)
  const scale = (width - labelWidth - valueWidth) / Math.max(...rates)
  const bars = contestants.map(({ title, role }, index) => {
    const y = top + panelHead + index * barStep
    const length = Math.max(1, rates[index] * scale)
    return [
      `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(title)}</text>`,
      `<rect class="${role}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}">${Math.round(rates[index])}</text>`,
    ].join('\n')
  })
  return `<text class="head" x="16" y="${top + 24}">${scenario}, requests/s</text>\n${bars.join('\n')}`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
