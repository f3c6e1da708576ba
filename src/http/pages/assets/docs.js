/* global SwaggerUIBundle */
import { accessible, mendControls } from './accessible.js'
import { showContents } from './contents.js'
import { commonHeaders, guideOf, operationsOf, schemesOf, servedHere } from './contract-parts.js'
import { exactNumbers, parseMarked } from './exact-numbers.js'
import { showKeyForm } from './key-form.js'
import { credentialsOf, credentialsWith, keyTrial, setCookies } from './keys.js'
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

// Swagger UI's script is behind this one
const scripts = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
try {
  const text = await readContract()
  await show(servedHere(parseMarked(text)))
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
  // the browser asks the server each time, as the answer's Cache-Control says
  const response = await fetch(contractAddress)
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

/** Shows the side bar at once, and the reference as soon as Swagger UI is there. */
async function show(contract) {
  document.title = contract.info.title
  const { intro, sections } = guideOf(`${contract.info.description ?? ''}\n\n${contract['x-guide'] ?? ''}`)
  const operations = operationsOf(contract)
  const headers = commonHeaders(contract)
  const schemes = schemesOf(contract)
  let reader
  showContents(contentsOf({ contract, operations, headers, sections }), (hash) => reader?.open(hash))
  const key =
    Object.keys(schemes).length > 0 ? showKeyForm(keyTrial(contract, operations), () => reader?.useKey()) : undefined

  await scripts
  new MutationObserver(mendControls).observe(document.getElementById('docs'), { childList: true, subtree: true })
  const { authActions, layoutActions } = SwaggerUIBundle({
    dom_id: '#docs',
    spec: { ...contract, info: { ...contract.info, description: intro } },
    layout: 'Reference',
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    showCommonExtensions: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: 'none',
    syntaxHighlight: { theme: 'obsidian' },
    requestInterceptor: (request) => {
      const { Cookie: cookies = '' } = request.headers
      setCookies(request.url, cookies)
      return Object.assign(request, { credentials: credentialsWith(cookies !== '') })
    },
    plugins: [exactNumbers, reference({ contract, operations, guide: sections, headers }), accessible(operations)],
  }).getSystem()
  reader = {
    open: layoutActions.parseDeepLinkHash,
    useKey: () => {
      const sent = key.current()
      authActions.authorize(credentialsOf(schemes, sent))
      if (sent === undefined) authActions.logout(Object.keys(schemes))
    },
  }
  if (key?.current() !== undefined) reader.useKey()
}

/** The groups of the list of contents: the operations by their tags, and the guide. */
function contentsOf({ contract, operations, headers, sections }) {
  const tags = Object.entries(Object.groupBy(operations, ({ tag }) => tag))
  const schemas = Object.keys(contract.components?.schemas ?? {})
  return [
    ...tags.map(([title, ofTag]) => ({
      title,
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
        ...(schemas.length > 0 ? [{ title: 'Schemas', hash: '#schemas', text: schemas.join(' ') }] : []),
      ],
    },
  ]
}
