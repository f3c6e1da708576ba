/* global SwaggerUIBundle */

const contractAddress = '/openapi.json'
/** How often, in ms, the contract is looked at where the page follows it. */
const followMs = 1000

/** Stands around the digits of a number; no text of the service's data can have it by chance or on purpose. */
const mark = Math.random().toString(36).slice(2)
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
const marked = new RegExp(`"?${mark}([^"]*?)${mark}"?`, 'g')
/** Keywords of a schema that are shown as text, and make no part of an example. */
const bounds = new Set(['minimum', 'maximum', 'multipleOf'])

const darkness = matchMedia('(prefers-color-scheme: dark)')
darkness.addEventListener('change', showDarkness)
showDarkness()

try {
  const text = await readContract()
  show(parseContract(text))
  if ('follow' in document.documentElement.dataset) follow(text)
} catch (error) {
  const trouble = document.getElementById('trouble')
  const reason = error.message.replace(/\.?$/, '.')
  trouble.textContent = `The contract could not be shown: ${reason} Reload the page; /readyz says whether the service is up.`
  trouble.hidden = false
}

function showDarkness() {
  document.documentElement.classList.toggle('dark-mode', darkness.matches)
}

async function readContract() {
  const response = await fetch(contractAddress, { cache: 'no-cache' })
  if (!response.ok) throw new Error(`${contractAddress} answered ${response.status}.`)
  return response.text()
}

/** Loads the page anew once the contract is another one. While the service is down there is none. */
function follow(text) {
  setInterval(async () => {
    const now = await readContract().catch(() => text)
    if (now !== text) location.reload()
  }, followMs)
}

function parseContract(text) {
  return JSON.parse(withMarks(text), (key, value) => {
    if (key === 'parameters' && Array.isArray(value)) return value.map(parameterToTry)
    return bounds.has(key) ? withoutMarks(value) : value
  })
}

/** Swagger UI fills in examples, which are texts to send; what need not be sent is left empty. */
function parameterToTry(parameter) {
  const shown = JSON.parse(JSON.stringify(parameter), (_, part) => withoutMarks(part))
  if (!shown.required) delete shown.schema?.example
  return shown
}

function withMarks(json) {
  return json.replace(token, (text) =>
    text[0] === '"' || String(Number(text)) === text ? text : `"${mark}${text}${mark}"`,
  )
}

function withoutMarks(value) {
  return typeof value === 'string' ? value.replace(marked, '$1') : value
}

function show(contract) {
  document.title = contract.info.title
  new MutationObserver(mendControls).observe(document.getElementById('docs'), { childList: true, subtree: true })
  SwaggerUIBundle({
    dom_id: '#docs',
    // a request to another server than this one is refused by the page's policy
    spec: { ...contract, servers: contract.servers.slice(0, 1) },
    deepLinking: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: 'none',
    syntaxHighlight: { theme: 'obsidian' },
    plugins: [exactNumbers, lifeCycle, accessible],
  })
}

/**
 * Shows every digit of numbers that JavaScript would round. They are parsed as strings with a mark at both ends, and
 * the marks go, with the quotes around them, when the text is shown.
 */
function exactNumbers({ getSystem }) {
  return {
    fn: {
      getSampleSchema: (...args) => withoutMarks(getSystem().fn.jsonSchema5.getSampleSchema(...args)),
    },
    wrapComponents: {
      responseBody:
        (ResponseBody, { React }) =>
        (props) => {
          const isJson = /json/i.test(props.contentType) && typeof props.content === 'string'
          return React.createElement(ResponseBody, isJson ? { ...props, content: withMarks(props.content) } : props)
        },
      HighlightCode:
        (HighlightCode, { React }) =>
        (props) =>
          React.createElement(HighlightCode, { ...props, children: withoutMarks(props.children) }),
    },
  }
}

/** Shows what the contract says of an operation's life beside its path. */
function lifeCycle() {
  return {
    wrapComponents: {
      OperationSummaryPath:
        (Path, { React, specSelectors }) =>
        (props) => {
          const { path, method } = props.operationProps.toObject()
          const operation = specSelectors.specJson().getIn(['paths', path, method]).toObject()
          const badges = badgesOf(operation).map(([name, text]) =>
            React.createElement('span', { className: `badge badge-${name}`, key: name }, text),
          )
          return React.createElement(React.Fragment, null, React.createElement(Path, props), ...badges)
        },
    },
  }
}

function badgesOf({ deprecated, 'x-sunset': sunset, 'x-stability': stability = 'stable' }) {
  const badges = []
  if (deprecated) badges.push(['deprecated', sunset ? `deprecated, sunset ${sunset}` : 'deprecated'])
  if (stability !== 'stable') badges.push([stability, stability])
  return badges
}

/** Leaves out what assistive technology cannot make sense of. */
function accessible() {
  return {
    components: {
      // a link within the button that opens the operation; the button changes the address as well
      DeepLink: ({ text }) => text,
      // a list of one server, without a label
      ServersContainer: () => null,
    },
  }
}

/** Names the controls that Swagger UI leaves without a name or gives another one than it shows, and lets keys scroll. */
function mendControls() {
  for (const control of document.querySelectorAll('tr[data-param-name] :is(input, select, textarea)')) {
    control.ariaLabel ??= control.closest('tr').dataset.paramName
  }
  for (const control of document.querySelectorAll('.body-param textarea')) control.ariaLabel ??= 'Request body'
  for (const control of document.querySelectorAll('.close-modal')) control.ariaLabel ??= 'Close'
  for (const control of document.querySelectorAll('.auth-btn-wrapper [aria-label]')) control.ariaLabel = null
  for (const text of document.querySelectorAll('.highlight-code pre')) text.tabIndex = 0
}
