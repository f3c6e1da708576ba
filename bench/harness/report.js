import { goals, verdict } from './goals.js'
import { percent, table } from './markdown.js'
import { together } from './runs.js'

/** The results as Markdown: all of the first set, and of others what they say of the goals and at a glance. */
export function report(sets, sections, context) {
  const [first, ...others] = Object.values(sets)
  const parts = [
    '# Side by side',
    'What `npm run bench` measured. In each short round every contestant runs once, in changing order. A ratio is how many ' +
      'times as much CPU time as this service another takes for the same request in the same round; the median of all rounds, ' +
      'with the quartiles in parentheses. It is that of several runs, and is not given where they differ by more than 5 %. ' +
      'The other figures are medians, for sizing: compare by the ratios. The load has one request at a time on each connection.',
    ...summaryOf(first, sections, '##'),
    ...measuredIn(first, sections).flatMap(([name, values]) => sections[name].report(values, context)),
    ...others.flatMap((set) => [
      `## On Node.js ${set.machine['Node.js']}, ${set.machine.Processor}`,
      ...summaryOf(set, sections, '###'),
      ...measuredIn(set, sections).flatMap(([name, values]) => sections[name].glance?.(values, context) ?? []),
    ]),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The machine, what was measured, and the goals. */
function summaryOf(set, sections, level) {
  const measured = measuredIn(set, sections)
  return [
    table(['', ''], Object.entries(set.machine)),
    table(
      ['Section', 'Measured on', 'Rounds', 'Varied by', 'Others took'],
      measured.map(([name]) => [name, set[name].date, roundsOf(set[name]), ...quietOf(set[name])]),
    ),
    `${level} Goals`,
    'The number behind an operation is that of the connections. For each goal that is missed, ' +
      '[decisions](../docs/decisions.md#goals-that-are-missed) says what was tried.',
    table(
      ['What', 'Target', 'Measured', ''],
      goals(Object.fromEntries(measured)).map((goal) => [goal.what, goal.target, goal.measured, verdict(goal)]),
    ),
  ]
}

/** The sections that were measured, each with what its runs say together. */
function measuredIn(set, sections) {
  return Object.keys(sections).flatMap((name) => (set[name] ? [[name, together(set[name].runs)]] : []))
}

function roundsOf({ runs, plan }) {
  return runs[0].quiet ? `${runs.length} times ${plan.rounds} of ${plan.durationS} s` : '–'
}

/** How much a loop that only computes varied, and which part of the cores other programs took, in the worst run. */
function quietOf({ runs }) {
  return ['spread', 'others'].map((what) => {
    const all = runs.flatMap(({ quiet }) => quiet?.[what] ?? [])
    // times are counted in ticks, so that a share near 0 may come out below it
    return all.length === 0 ? '–' : percent(Math.max(0, ...all))
  })
}
