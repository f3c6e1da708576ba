import { hasOddBraces } from '../model/path.ts'
import { serversIn, type Server } from '../model/server.ts'
import { type Report, rule } from './rule.ts'

/** The address of a server is one to which a path can be added; the default of a variable is in its enum. */
export const servers = rule({
  id: 'servers',
  on: 'document',
  level: 'wrong',
  check: (model, report) => {
    const owners = [{ node: model.root, at: [] }, ...model.pathItems, ...model.operations]
    for (const { node, at } of owners) {
      if (node.servers !== undefined) for (const server of serversIn(node, at)) check(server, report)
    }
  },
})

function check({ node, at, url, variables }: Server, report: Report): void {
  if (typeof node.url !== 'string') return
  for (const [name, { enum: values, value }] of variables) {
    const where = [...at, 'variables', name]
    if (values === undefined || value === undefined) continue
    if (values.length === 0)
      report([...where, 'enum'], 'The enum has no values.', { fix: 'Add values, or take it away.' })
    else if (!values.includes(value))
      report([...where, 'default'], 'The default is not a value of its enum.', { fix: 'Correct it.' })
  }
  checkUrl(url, [...at, 'url'], report)
  const undeclared = Array.from(url.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name).find(
    (name) => !variables.has(name),
  )
  if (undeclared !== undefined)
    report([...at, 'url'], `The variable ${undeclared} of the server is not declared.`, {
      fix: 'Add it to its variables, with a default.',
    })
  const last = /\{([^}]*)\}$/.exec(url)?.[1]
  const value = last === undefined ? url : variables.get(last)?.value
  if (value === undefined || value === '/' || !/[^/:]\/+$/.test(value)) return
  const where = [...at, ...(last === undefined ? ['url'] : ['variables', last, 'default'])]
  report(where, `The address of the server ends in a slash, and every path begins with one.`, {
    fix: 'Take the slash away.',
    level: 'warned',
  })
}

function checkUrl(url: string, at: readonly string[], report: Report): void {
  if (hasOddBraces(url)) {
    const message = 'The address of the server has a brace without its pair.'
    report(at, message, { fix: 'Write a variable such as {host}.' })
  } else if (/[?#]/.test(url)) {
    const message = 'The address of the server has a query or a fragment, behind which no path can stand.'
    report(at, message, { fix: 'Take it away.' })
  }
}
