/* global SwaggerUIBundle */
import { showContents } from './contents.js'
import { commonHeaders, guideOf, operationsOf } from './contract-parts.js'
import { exactNumbers, parseMarked } from './exact-numbers.js'
import { showKeyForm } from './key-form.js'
import { reference } from './reference.js'

// relative, since a proxy may take a prefix off the path
const contractAddress = 'openapi.json'
/** How often, in ms, the contract is looked at where the page follows it. */
const followMs = 1000

// otherwise Swagger UI's scroller takes the clicks on links within the page, and loses those during a scroll
window.noZensmooth = true

const darkness = matchMedia('(prefers-color-scheme: dark)')
darkness.addEventListener('change', showDarkness)
showDarkness()

try {
  const reading = readContract()
  // told below, also when it fails before Swagger UI is there
  reading.catch(() => undefined)
  // Swagger UI's script is behind this one
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
  const text = await reading
  show(parseMarked(text))
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
  if (!response.ok) throw new Error(`/${contractAddress} answered ${response.status}.`)
  return response.text()
}

/** Loads the page anew once the contract is another one. While the service is down there is none. */
function follow(text) {
  setInterval(async () => {
    const now = await readContract().catch(() => text)
    if (now !== text) location.reload()
  }, followMs)
}

function show(contract) {
  document.title = contract.info.title
  const { intro, sections } = guideOf(contract.info.description)
  const operations = operationsOf(contract)
  const headers = commonHeaders(contract)
  // a request to another server than this one is refused by the page's policy
  const server = new URL(`.${document.documentElement.dataset.apiRoot}`, location.href).href
  const scheme = Object.entries(contract.components?.securitySchemes ?? {}).find(
    ([, { type, scheme }]) => type === 'http' && scheme.toLowerCase() === 'bearer',
  )
  new MutationObserver(mendControls).observe(document.getElementById('docs'), { childList: true, subtree: true })
  const { authActions, authSelectors, layoutActions } = SwaggerUIBundle({
    dom_id: '#docs',
    spec: { ...contract, info: { ...contract.info, description: intro }, servers: [{ url: server }] },
    layout: 'Reference',
    deepLinking: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    showCommonExtensions: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: 'none',
    syntaxHighlight: { theme: 'obsidian' },
    plugins: [exactNumbers, reference({ guide: sections, headers, needsKey: scheme !== undefined }), accessible],
  }).getSystem()

  showContents(
    [
      ...Object.entries(Object.groupBy(operations, ({ tag }) => tag)).map(([tag, ofTag]) => ({
        title: tag,
        entries: ofTag.map(({ summary, method, hash, path, operationId, description }) => {
          return { title: summary, label: method.toUpperCase(), hash, text: `${path} ${operationId} ${description}` }
        }),
      })),
      {
        title: 'Guide',
        entries: [
          ...(headers.length > 0
            ? [{ title: 'Headers of every answer', hash: '#headers', text: headers.map(({ name }) => name).join(' ') }]
            : []),
          ...sections.map(({ title, id, text }) => ({ title, hash: `#${id}`, text })),
          { title: 'Schemas', hash: '#schemas', text: Object.keys(contract.components?.schemas ?? {}).join(' ') },
        ],
      },
    ],
    (hash) => layoutActions.parseDeepLinkHash(decodeURIComponent(hash)),
  )
  if (scheme && operations.length > 0) {
    const [{ path }] = operations
    const tryKey = async (key) => {
      const headers = { Authorization: `Bearer ${key}` }
      return (await fetch(server + path, { method: 'HEAD', headers, cache: 'no-store' })).status
    }
    showKeyForm({ authActions, authSelectors, scheme, tryKey })
  }
}

/** Leaves out what assistive technology cannot make sense of, and scrolls to what an address names, as Swagger UI does once. */
function accessible() {
  return {
    components: {
      // a link within the button that opens the operation; the button changes the address as well
      DeepLink: ({ text }) => text,
    },
    statePlugins: {
      layout: {
        wrapActions: {
          parseDeepLinkHash: (parse) => (hash) => {
            const [, tag, operationId] = hash.split('/')
            if (hash.startsWith('#/')) parse(hash)
            const id = operationId ? CSS.escape(`operations-${tag}-${operationId}`.replace(/ /g, '_')) : hash.slice(1)
            scrollToId(id)
          },
        },
      },
    },
  }
}

/** Scrolls to an element, which Swagger UI may show only after some frames. */
function scrollToId(id, frames = 60) {
  requestAnimationFrame(() => {
    const element = document.getElementById(id)
    if (element) element.scrollIntoView()
    else if (frames > 0) scrollToId(id, frames - 1)
  })
}

/** Names the controls that Swagger UI leaves without a name or gives another one than it shows, and lets keys scroll. */
function mendControls() {
  for (const control of document.querySelectorAll('tr[data-param-name] :is(input, select, textarea)')) {
    control.ariaLabel ??= control.closest('tr').dataset.paramName
  }
  for (const control of document.querySelectorAll('.body-param textarea')) control.ariaLabel ??= 'Request body'
  for (const control of document.querySelectorAll('.model-box-control')) {
    if (control.textContent === '') control.ariaLabel ??= 'Properties'
  }
  for (const text of document.querySelectorAll('.highlight-code pre')) text.tabIndex = 0
}
