import { firstPlan, planTitle, type Plans } from '../../quota/plans.ts'
import { thisPackage } from '../../package.ts'

/** What the home page shows of the service; all of it comes from the contract. */
export interface About {
  title: string
  version: string
  /** Markdown; the first paragraph is shown. */
  description: string
  /** Markdown; the pages show it after the operations. */
  guide: string
  /** Where the operations stand, such as `/v1`. */
  apiRoot: string
  plans: Plans
  /** The address of the service as far as it is known; the page shows the one that its reader uses. */
  address: string
  /** Which operations need a key, and the ways to send it. */
  keys: { neededBy: 'every' | 'some' | 'no'; ways: readonly string[] }
  /** A command that makes a first request with the key `<API_KEY>`; it contains the address. */
  firstRequest: string
}

/** `unavailable`: requests cannot be answered. */
export type HomeState = keyof typeof states

const states = {
  ready: 'Up: requests are answered.',
  degraded: 'Up, but degraded: each process counts requests by itself, since Redis cannot be reached.',
  starting: 'Up, but still starting.',
  closing: 'Up, but stopping.',
  unavailable: 'Down: requests cannot be answered now. Try again in a moment.',
}

/** The page at `/`. `digest` is the one of the static files. */
export function homePage(about: About, state: HomeState, digest: string): string {
  const { title, version, description, guide, apiRoot } = about
  const plan = escaped(firstPlan(about.plans) ?? 'PLAN')
  const address = escaped(about.address)
  const [summary = ''] = description.trim().split(/\n\s*\n/)
  const tellsErrors = /^ {0,3}#{1,2} +Errors[ #]*$/m.test(`${description}\n${guide}`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)}</title>
    <link rel="icon" href="assets/${digest}/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="assets/${digest}/home.css">
    <script src="assets/${digest}/home.js" type="module"></script>
  </head>
  <body>
    <main>
      <h1>${escaped(title)} <small>${escaped(version)}</small></h1>
      <p>${escaped(summary)}</p>
      <p class="state ${state}" role="status">${states[state]}</p>
      <nav aria-label="For clients">
        <a class="first" href="docs">API reference</a>
        ${tellsErrors ? '<a href="docs#guide-errors">Error codes</a>' : ''}
        <a href="openapi.yaml">Contract (YAML)</a>
        <a href="openapi.json">Contract (JSON)</a>
      </nav>
      <h2>First request</h2>
      <p>
        ${escaped(aboutKeys(about))}
      </p>
      <pre tabindex="0"><code id="first-request" data-address="${address}">${escaped(about.firstRequest)}</code></pre>
      <button type="button" data-copies="first-request" aria-live="polite" hidden>Copy</button>
      <p>
        All operations are below <code data-address="${address}">${escaped(about.address + apiRoot)}</code>. The
        <a href="docs">reference</a> shows each in five languages, and sends requests with your key.
      </p>
      <h2>Clients</h2>
      <p>Tools make clients and types from the contract, such as types for TypeScript:</p>
      <pre tabindex="0"><code data-address="${address}">npx openapi-typescript ${address}/openapi.yaml -o ${thisPackage.command}.ts --default-non-nullable false</code></pre>
      <p>
        The folder <code>examples</code> of the service's sources has first steps in TypeScript, Python, Go and with
        curl.
      </p>
      <h2>Plans</h2>
      <table>
        <thead><tr><th scope="col">Plan</th><th scope="col">Requests per minute</th><th scope="col">Requests per day</th></tr></thead>
        <tbody>
${planRows(about.plans)}
        </tbody>
      </table>
      <section aria-labelledby="operators">
        <h2 id="operators">For operators</h2>
        <p>Keys are made on the machine where the service runs:</p>
        <pre tabindex="0"><code>${thisPackage.command} keys create --plan ${plan}      # installed as a package
npm run -s keys -- create --plan ${plan}     # in a folder with its sources</code></pre>
        <p><a href="readyz">Health</a> and <a href="metrics">metrics</a> need no key.</p>
      </section>
    </main>
  </body>
</html>
`
}

function aboutKeys({ keys: { neededBy, ways }, firstRequest }: About): string {
  if (neededBy === 'no') return 'No operation needs an API key:'
  const needed = `${neededBy === 'every' ? 'Every operation needs' : 'Some operations need'} an API key`
  const sent = `${needed}, sent as ${ways.join(' or ')}. You get it from whoever runs the service.`
  return firstRequest.includes('<API_KEY>')
    ? `${sent} Put it in the place of <API_KEY>:`
    : `${sent} This one needs none:`
}

function planRows(plans: About['plans']): string {
  return Array.from(plans, ([name, limits]) => {
    const { perMinute, perDay } = limits === 'custom' ? { perMinute: 'set per key', perDay: 'set per key' } : limits
    const shown = escaped(planTitle(name))
    return `          <tr><th scope="row">${shown}</th><td>${perMinute}</td><td>${perDay}</td></tr>`
  }).join('\n')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
