import type { Operation } from '../../../src/contract/model/operation.ts'
import { shapeOf } from '../../../src/contract/model/shape.ts'
import { isRoadHeader } from '../../../src/contract/road-headers.ts'
import { leftTo, notStored, rowText, successOf, type HandlerText, type Left, type Success } from './message.ts'
import type { ResourcePlan, Verb } from './plan.ts'
import { listText } from './list-handler.ts'

/** A file that is written, and what a person still has to write in it. */
export interface WrittenFile {
  name: string
  text: string
  left: Left[]
}

/** A handler of a resource; undefined where the contract says another thing than a resource does. */
export function handlerFile(plan: ResourcePlan, verb: Verb, operation: Operation): WrittenFile | undefined {
  const made = verb === 'list' ? listText(plan, operation) : makers[verb](plan, operation)
  if (!made) return undefined
  const { operationId } = operation
  const imports = { ...made.imports, '../contract/operation.ts': ['operation'] }
  const text = `${Object.entries(imports)
    .filter(([, names]) => names.length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([module, names]) => `import { ${names.join(', ')} } from '${module}'\n`)
    .join('')}
export const ${operationId} = operation('${operationId}', async (${made.takes.length > 0 ? `{ ${made.takes.join(', ')} }` : '_'}, { ${plan.name} }) => {
${made.lines.map((line) => `  ${line}\n`).join('')}})
${(made.functions ?? []).join('')}`
  return { name: `src/handlers/${operationId}.ts`, text, left: [...(made.left ?? [])] }
}

const makers: Readonly<
  Record<Exclude<Verb, 'list'>, (plan: ResourcePlan, operation: Operation) => HandlerText | undefined>
> = {
  find: findText,
  create: createText,
  put: putText,
  patch: patchText,
  remove: removeText,
}

/** The headers that a handler sets, and those that a person still has to write. */
function headersText(
  { headers }: Success,
  known: Readonly<Record<string, string>>,
): { headers: string; hasTag: boolean; left: Left[] } {
  const own = headers.filter((name) => !isRoadHeader(name))
  const set = own.flatMap((name) => {
    const value = known[name.toLowerCase()]
    if (value === undefined) return []
    return name.toLowerCase() === 'idempotency-replayed'
      ? `...(replayed ? { '${name}': true } : {})`
      : `'${name}': ${value}`
  })
  return {
    headers: set.length === 0 ? '' : `, headers: { ${set.join(', ')} }`,
    hasTag: own.some((name) => name.toLowerCase() === 'etag'),
    left: own.flatMap((name) => (known[name.toLowerCase()] === undefined ? leftTo(`the header ${name}`) : [])),
  }
}

/** The header of a repeated request, for an operation that remembers its requests. */
const replay = (operation: Operation): Record<string, string> =>
  operation.takesHeader('idempotency-key') ? { 'idempotency-replayed': 'true' } : {}

const bodyText = ({ body }: Pick<Success, 'body'>): string => (body === undefined ? '' : `, body: ${body}`)

function pathKey({ parameter }: ResourcePlan): string {
  return /^[A-Za-z_$][\w$]*$/.test(parameter) ? `path.${parameter}` : `path['${parameter}']`
}

function absent(plan: ResourcePlan): string {
  return `throw notFound(\`No ${plan.one} has the ${plan.key.property} \${${pathKey(plan)}}.\`)`
}

function findText(plan: ResourcePlan, operation: Operation): HandlerText | undefined {
  const success = successOf(plan, operation, { row: 'found' })
  if (!success) return undefined
  const { headers, hasTag, left } = headersText(success, { etag: 'etag(found)' })
  const unchanged = operation.responses.get('304')
  const tag = unchanged && [...unchanged.headers.keys()].find((name) => name.toLowerCase() === 'etag')
  const same = `{ status: 304${tag === undefined ? '' : `, headers: { '${tag}': etag(found) }`} }`
  return {
    imports: { '../api-error.ts': ['notFound'], '../contract/etag.ts': hasTag || tag !== undefined ? ['etag'] : [] },
    takes: ['path', ...(unchanged ? ['when'] : [])],
    lines: [
      `const found = await ${plan.name}.find(${pathKey(plan)})`,
      `if (!found) ${absent(plan)}`,
      ...(unchanged ? [`if (when?.(found) === false) return ${same}`] : []),
      `return { status: ${success.status}${bodyText(success)}${headers} }`,
    ],
    left,
  }
}

function createText(plan: ResourcePlan, operation: Operation): HandlerText | undefined {
  const success = successOf(plan, operation, { row: 'row' })
  const isMade = plan.keyBy === 'service'
  const sent = rowText(plan, operation, isMade ? 'randomUUID()' : undefined)
  if (!success || !sent) return undefined
  const isNamed = operation.takesHeader('idempotency-key')
  const key = `row.${plan.key.property}`
  const { headers, hasTag, left } = headersText(success, {
    etag: 'etag(row)',
    location: `\`\${address}/\${${plan.key.kind === 'text' || plan.key.kind === 'oneOf' ? `encodeURIComponent(${key})` : key}}\``,
    ...replay(operation),
  })
  const sentName = isNamed && sent.row.startsWith('{') ? 'sent' : sent.row
  const add = `await ${plan.name}.add(${sentName})`
  const isReplayTold = headers.includes('replayed')
  return {
    imports: { '../contract/etag.ts': hasTag ? ['etag'] : [], 'node:crypto': isMade ? ['randomUUID'] : [] },
    takes: ['body', ...(isNamed ? ['once'] : []), ...(headers.includes('address') ? ['address'] : [])],
    lines: [
      ...sent.before,
      ...(isNamed
        ? [
            ...(sentName === sent.row ? [] : [`const sent = ${sent.row}`]),
            `const { row${isReplayTold ? ', replayed' : ''} } = once ? await ${plan.name}.addOnce(${sentName}, once) : { row: ${add}, replayed: false }`,
          ]
        : [bodyText(success) + headers === '' ? add : `const row = ${add}`]),
      `return { status: ${success.status}${bodyText(success)}${headers} }`,
    ],
    functions: sent.functions,
    left: [...sent.left, ...left],
  }
}

/** The options of a change that an operation declares. */
function optionsText(operation: Operation, ...more: string[]): { options: string; names: string[] } {
  const names = [
    ...(operation.takesHeader('idempotency-key') ? ['once'] : []),
    ...(operation.isConditional ? ['when'] : []),
  ]
  const all = [...names, ...more]
  return { options: all.length === 0 ? '' : `, { ${all.join(', ')} }`, names }
}

/** Refuses a body with another key than that of the path. */
function sameKey(plan: ResourcePlan, operation: Operation): string[] {
  const { property } = plan.key
  const schema = operation.body?.content.find(({ kind }) => kind === 'json')?.schema
  const body = schema && shapeOf(schema)
  const sent = body?.properties.get(property)
  if (!body || !sent) return []
  const value = `body.${property}`
  const isSure = body.required.has(property)
  const condition = `${isSure ? '' : `${value} !== undefined && `}${value} !== ${pathKey(plan)}`
  return [`if (${condition}) throw invalidRequest('${value} must be the ${property} of the address.')`]
}

function putText(plan: ResourcePlan, operation: Operation): HandlerText | undefined {
  const adds = operation.responses.has('201') && plan.keyBy !== 'engine'
  const success = successOf(plan, operation, { row: 'row', status: adds ? /^20[024-9]$/ : /^2\d\d$/ })
  const created = adds ? successOf(plan, operation, { row: 'row', status: /^201$/ }) : undefined
  const sent = rowText(plan, operation, pathKey(plan))
  if (!sent || (adds ? !created : !success)) return undefined
  const known = { etag: 'etag(row)', location: 'address', ...replay(operation) }
  const answers = [success, created].flatMap((one) => (one ? { ...one, ...headersText(one, known) } : []))
  const [text = '', createdText] = answers.map((one) => `{ status: ${one.status}${bodyText(one)}${one.headers} }`)
  const uses = (word: string): boolean => answers.some(({ headers }) => headers.includes(word))
  const { options, names } = optionsText(operation)
  const check = sameKey(plan, operation)
  const parts = [
    ...(uses('row') || answers.some(({ body }) => body?.includes('row')) ? ['row'] : []),
    ...(uses('replayed') ? ['replayed'] : []),
    ...(createdText === undefined ? [] : ['created']),
  ]
  const call = `await ${plan.name}.${adds ? 'put' : 'replace'}(${sent.row}${options})`
  const taken = parts.length > 0 ? `const { ${parts.join(', ')} } = ` : ''
  return {
    imports: {
      '../api-error.ts': [...(check.length > 0 ? ['invalidRequest'] : []), ...(adds ? [] : ['notFound'])],
      '../contract/etag.ts': answers.some(({ hasTag }) => hasTag) ? ['etag'] : [],
    },
    takes: ['path', 'body', ...names, ...(uses('address') ? ['address'] : [])],
    lines: [
      ...check,
      ...(adds ? [`${taken}${call}`] : [`const written = ${call}`, `if (!written) ${absent(plan)}`]),
      ...(adds || taken === '' ? [] : [`${taken}written`]),
      ...(createdText === undefined ? [] : [`if (created) return ${createdText}`]),
      `return ${text}`,
    ],
    functions: sent.functions,
    left: [...sent.left, ...answers.flatMap(({ left }) => left)],
  }
}

function patchText(plan: ResourcePlan, operation: Operation): HandlerText | undefined {
  const success = successOf(plan, operation, { row: 'row' })
  const media = operation.body?.content.find(({ type }) =>
    ['application/merge-patch+json', 'application/json'].includes(type),
  )
  const properties = media?.schema && shapeOf(media.schema).properties
  if (!success || !properties || properties.size === 0) return undefined
  const { headers, hasTag, left } = headersText(success, { etag: 'etag(row)', ...replay(operation) })
  const isChecked = success.body === 'row'
  const { options, names } = optionsText(
    operation,
    ...(isChecked ? [`fits: (row) => allows(${success.status}, row)`] : []),
  )
  const check = sameKey(plan, operation)
  const parts = [
    ...(success.body?.includes('row') === true || headers.includes('etag(row)') ? ['row'] : []),
    ...(headers.includes('replayed') ? ['replayed'] : []),
  ]
  return {
    imports: {
      '../api-error.ts': [...(check.length > 0 ? ['invalidRequest'] : []), 'notFound'],
      '../contract/etag.ts': hasTag ? ['etag'] : [],
    },
    takes: ['path', 'body', ...names, ...(isChecked ? ['allows'] : [])],
    lines: [
      ...check,
      `const written = await ${plan.name}.patch(${pathKey(plan)}, body${options})`,
      `if (!written) ${absent(plan)}`,
      ...(parts.length > 0 ? [`const { ${parts.join(', ')} } = written`] : []),
      `return { status: ${success.status}${bodyText(success)}${headers} }`,
    ],
    left: [...left, ...notStored(plan, properties)],
  }
}

function removeText(plan: ResourcePlan, operation: Operation): HandlerText | undefined {
  const success = successOf(plan, operation, { row: 'removed.row' })
  if (!success) return undefined
  const { headers, hasTag, left } = headersText(success, { etag: 'etag(removed.row)', ...replay(operation) })
  const { options, names } = optionsText(operation)
  return {
    imports: { '../api-error.ts': ['notFound'], '../contract/etag.ts': hasTag ? ['etag'] : [] },
    takes: ['path', ...names],
    lines: [
      `const removed = await ${plan.name}.remove(${pathKey(plan)}${options})`,
      `if (!removed) ${absent(plan)}`,
      `return { status: ${success.status}${bodyText(success)}${headers.replace('(replayed ?', '(removed.replayed ?')} }`,
    ],
    left,
  }
}
