const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'])

/** The operations of a contract in their order, each with the address that opens it on the page. */
export function operationsOf(contract) {
  return Object.entries(contract.paths ?? {}).flatMap(([path, item]) => {
    const operations = resolved(contract, item)
    return Object.keys(operations)
      .filter((key) => methods.has(key))
      .map((method) => {
        const { operationId, tags: [tag] = ['default'], summary = path, description = '' } = operations[method]
        const id = operationId ?? idOf(method, path)
        const hash = `#/${encodeURIComponent(tag)}/${encodeURIComponent(id)}`
        const { responses = {}, security, servers } = operations[method]
        const [{ url: server }] = servers ?? item.servers ?? contract.servers
        return { path, method, server, tag, operationId: id, summary, description, hash, responses, security }
      })
  })
}

/** As Swagger UI names an operation without an operationId. */
function idOf(method, path) {
  return method + path.replace(/\W/g, '_')
}

/**
 * The ways to send a key with an operation: a list of places for each alternative, which have the same key. An empty
 * list needs no key.
 */
export function keyAlternatives(contract, { security = contract.security ?? [] }) {
  const schemes = contract.components?.securitySchemes ?? {}
  if (security.length === 0) return [[]]
  return security.map((requirement) =>
    Object.keys(requirement).map((name) => placeOf(resolved(contract, schemes[name]))),
  )
}

function placeOf({ type, scheme = '', in: place, name }) {
  if (type === 'apiKey') return { in: place, name }
  return { in: scheme.toLowerCase() === 'basic' ? 'basic' : 'bearer' }
}

/** The security schemes of a contract by their names. */
export function schemesOf(contract) {
  const schemes = Object.entries(contract.components?.securitySchemes ?? {})
  return Object.fromEntries(schemes.map(([name, scheme]) => [name, resolved(contract, scheme)]))
}

/** The contract with its servers on this host: a request to another one is refused by the page's policy. */
export function servedHere(contract) {
  const withServers = ({ servers, ...others }) =>
    servers?.length > 0 ? { ...others, servers: [serverHere(servers[0])] } : others
  const paths = Object.entries(contract.paths ?? {}).map(([path, item]) => {
    const operations = Object.entries(withServers(item)).map(([key, value]) => {
      return [key, methods.has(key) ? withServers(value) : value]
    })
    return [path, Object.fromEntries(operations)]
  })
  // the first one is this server, with the prefix that a proxy may take off the path
  const [, own = { url: '' }] = contract.servers
  return { ...contract, servers: [serverHere(own)], paths: Object.fromEntries(paths) }
}

function serverHere({ url, variables = {} }) {
  const filled = url.replace(/\{([^}]+)\}/g, (_, name) => variables[name]?.default ?? '')
  const { pathname } = new URL(filled, location.origin)
  return { url: new URL(`.${pathname}`, location.href).href.replace(/\/+$/, '') }
}

/** The headers that every answer of every operation has: their names with what the contract says of each. */
export function commonHeaders(contract) {
  const answers = operationsOf(contract).flatMap(({ responses }) =>
    Object.values(responses).map((response) => resolved(contract, response).headers ?? {}),
  )
  const [first = {}, ...others] = answers
  return Object.entries(first)
    .filter(([name]) => others.length > 0 && others.every((headers) => name in headers))
    .map(([name, header]) => ({ name, ...resolved(contract, header) }))
}

function resolved(contract, node = {}) {
  if (node.$ref === undefined) return node
  const keys = node.$ref.replace(/^#\//, '').split('/')
  return keys.reduce((at, key) => at?.[decodeURIComponent(key).replace(/~1/g, '/').replace(/~0/g, '~')], contract) ?? {}
}

/** A description by its headings: the first paragraph, which introduces the service, and the sections. */
export function guideOf(description = '') {
  const sections = [{ title: 'Introduction', text: '' }]
  let fenced = false
  for (const line of description.trim().split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    const [, title] = (!fenced && /^ {0,3}#{1,2} +(.*?)[ #]*$/.exec(line)) || []
    if (title) sections.push({ title: title.replace(/`/g, ''), text: '' })
    else sections.at(-1).text += `${line}\n`
  }
  const [intro, ...rest] = sections[0].text.trim().split(/\n\s*\n/)
  sections[0].text = rest.join('\n\n')
  const kept = sections.filter(({ text }) => text.trim() !== '')
  return { intro, sections: kept.map((one, index) => ({ ...one, id: `guide-${slug(one.title) || index}` })) }
}

function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
