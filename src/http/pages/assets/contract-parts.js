const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The operations of a contract in their order, each with the address that opens it on the page. */
export function operationsOf(contract) {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const { operationId, tags: [tag] = ['default'], summary = path, description = '' } = item[method]
        const hash = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`
        return { path, method, tag, operationId, summary, description, hash, responses: item[method].responses ?? {} }
      }),
  )
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

function resolved(contract, node) {
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
