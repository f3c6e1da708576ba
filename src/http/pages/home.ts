import { firstPlan, planTitle, type Plans } from '../../quota/plans.ts'

/** What the home page shows of the service; all of it comes from the contract. */
export interface About {
  title: string
  version: string
  /** Markdown; the first paragraph is shown. */
  description: string
  /** Where the operations stand, such as `/v1`. */
  apiRoot: string
  plans: Plans
}

const states = {
  ready: 'Up: requests are answered.',
  degraded: 'Up, but degraded: each process counts requests by itself, since Redis cannot be reached.',
  closing: 'Up, but stopping.',
  unavailable: 'Down: requests cannot be answered now. Try again in a moment.',
}

/** The page at `/`: plain HTML without a script, rendered for each request. */
export function homePage(about: About, state: keyof typeof states): string {
  const { title, version, description, apiRoot } = about
  const plan = escaped(firstPlan(about.plans) ?? 'PLAN')
  const [summary = ''] = description.trim().split(/\n\s*\n/)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)}</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/assets/home.css">
  </head>
  <body>
    <main>
      <h1>${escaped(title)} <small>${escaped(version)}</small></h1>
      <p>${escaped(summary)}</p>
      <p class="state ${state}" role="status">${states[state]}</p>
      <nav aria-label="Documents">
        <a class="first" href="/docs">API documentation</a>
        <a href="/openapi.yaml">Contract (YAML)</a>
        <a href="/openapi.json">Contract (JSON)</a>
        <a href="/readyz">Health</a>
        <a href="/metrics">Metrics</a>
      </nav>
      <h2>Get a key</h2>
      <p>Every operation needs an API key. Keys are made by whoever runs the service, on the machine where it runs:</p>
      <pre tabindex="0"><code>animal-store keys create --plan ${plan}      # installed as a package
npm run -s keys -- create --plan ${plan}     # in a folder with its sources</code></pre>
      <p>
        Send the key with each request below <code>${escaped(apiRoot)}</code> as
        <code>Authorization: Bearer &lt;API_KEY&gt;</code>, or enter it under Authorize in the
        <a href="/docs">documentation</a> and try the operations there.
      </p>
      <h2>Plans</h2>
      <table>
        <thead><tr><th scope="col">Plan</th><th scope="col">Requests per minute</th><th scope="col">Requests per day</th></tr></thead>
        <tbody>
${planRows(about.plans)}
        </tbody>
      </table>
    </main>
  </body>
</html>
`
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
