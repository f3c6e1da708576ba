import { goals, verdict } from './goals.js'
import { table } from './markdown.js'

/** The results as Markdown, of the sections that were measured. */
export function report(results, sections, context) {
  const measured = Object.keys(sections).filter((name) => results[name])
  const parts = [
    '# Side by side',
    'What `npm run bench` measured. Figures are those of the quietest of many short rounds, with the median in parentheses: what ' +
      'else a machine does only ever slows a round down. A ratio is how many times as much CPU time as this service another ' +
      'takes for the same request. The load has one request at a time on each connection.',
    table(['', ''], Object.entries(results.machine)),
    table(
      ['Section', 'Measured on', 'Rounds'],
      measured.map((name) => [name, results[name].date, roundsOf(results[name])]),
    ),
    '## Goals',
    'The number behind an operation is that of the connections.',
    table(
      ['What', 'Target', 'Measured', ''],
      goals(results).map((goal) => [goal.what, goal.target, goal.measured, verdict(goal)]),
    ),
    'For each goal that is missed, [decisions](../docs/decisions.md#goals-that-are-missed) says what was tried.',
    ...measured.flatMap((name) => sections[name].report(results[name], context)),
  ]
  return `${parts.join('\n\n')}\n`
}

function roundsOf({ rows, plan }) {
  return rows?.[0]?.perSecond ? `${plan.rounds} of ${plan.durationS} s` : '–'
}
