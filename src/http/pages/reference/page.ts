import { deref, describedContract, type Described } from './described.ts'
import { html, type Html } from './html.ts'
import { markdown, sectionsOf, type GuideSection } from './markdown.ts'
import { headersHtml, operationHtml } from './operation.ts'
import { fieldsOf, limitsOf, typeOf } from './schema.ts'

/** What the page needs beside the contract. */
export interface ReferenceParts {
  /** The served document, as JSON. */
  contract: string
  /** The address of the service as far as it is known; the page shows the one that its reader uses. */
  address: string
  /** Of the static files. */
  digest: string
  /** Whether the page reloads when the contract changes. */
  follow: boolean
}

/** The number of operations and schemas from which a page is drawn in parts. */
const longFrom = 200

/** The page at `/docs`: all of the contract as HTML, to be read, searched and printed without a script. */
export function referencePage({ contract, address, digest, follow }: ReferenceParts): string {
  const described = describedContract(contract)
  const { intro, sections } = sectionsOf(described.description, described.guide)
  const guide = [...authentication(described, sections), ...sections]
  const asset = (name: string): string => `assets/${digest}/${name}`
  const scripts = ['docs', 'copy', 'execute', 'key-form', 'keys', 'request', 'search']
  const samples = ['samples', 'samples-go', 'samples-python', 'samples-script']
  return html`<!doctype html>
<html${follow && html` data-follow`} lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${described.title}</title>
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('docs.css')}">
<link rel="stylesheet" href="${asset('reference.css')}">
<script src="${asset('docs.js')}" type="module"></script>
${[...scripts, ...samples].map((name) => html`<link rel="modulepreload" href="${asset(`${name}.js`)}" /> `)}
</head>
<body>
<a class="skip" href="#operations">Skip to the operations</a>
${sideBar(described, guide)}
<main${isLong(described) && html` class="long"`}>
<h1>${described.title} <small>${described.version}</small></h1>
${markdown(intro, 1)}
<div id="operations">
${described.tags.map((tag) => tagHtml(tag, address))}
</div>
${guide.map(({ id, title, text }) => sectionHtml(id, title, markdown(text, 2)))}
${described.headers.length > 0 && sectionHtml('headers', 'Headers of every answer', headersHtml(described.headers))}
${described.schemas.length > 0 && sectionHtml('schemas', 'Schemas', described.schemas.map(schemaHtml))}
${described.links.length > 0 && html`<footer>${described.links.map(({ title, address: to }) => html`<a href="${to}" rel="noreferrer">${title}</a> `)}</footer>`}
</main>
</body>
</html>
`.text
}

/** Whether the browser takes more than a moment to draw all of the page. */
function isLong({ tags, schemas }: Described): boolean {
  return tags.reduce((count, { operations }) => count + operations.length, schemas.length) >= longFrom
}

/** How a key is sent, where the contract has security schemes and its guide says nothing of them. */
function authentication({ takesKeys, schemes }: Described, sections: readonly GuideSection[]): GuideSection[] {
  if (!takesKeys || sections.some(({ title }) => /authenti|authori|api key/i.test(title))) return []
  const rows = schemes.map(
    ({ name, description, type }) => `- \`${name}\` (${type})${description && `: ${description}`}`,
  )
  return [{ id: 'guide-authentication', title: 'Authentication', text: rows.join('\n') }]
}

function sideBar(described: Described, guide: readonly GuideSection[]): Html {
  const { tags, schemas, headers, takesKeys } = described
  const guideItems = [
    ...guide.map(({ id, title }) => ({ id, title })),
    ...(headers.length > 0 ? [{ id: 'headers', title: 'Headers of every answer' }] : []),
    ...(schemas.length > 0 ? [{ id: 'schemas', title: 'Schemas' }] : []),
  ]
  return html`<aside aria-label="Key and contents">
    <nav aria-label="Site">
      <a href="./">Home</a> <a href="openapi.yaml">Contract (YAML)</a> <a href="openapi.json">Contract (JSON)</a>
    </nav>
    ${
      takesKeys &&
      html`<form id="key" class="scripted">
        <label for="api-key">API key</label>
        <input id="api-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-state" />
        <button>Authorize</button>
        <button id="forget-key" type="button" hidden>Forget</button>
        <p id="key-state" role="status"></p>
      </form>`
    }
    <details id="contents-box" open>
      <summary>Contents</summary>
      <form role="search" class="scripted">
        <label for="search">Search <kbd>Ctrl K</kbd></label>
        <input id="search" type="search" autocomplete="off" aria-keyshortcuts="Control+K" />
      </form>
      <nav id="contents" aria-label="Contents">
        ${tags.map(
          ({ name, operations }) =>
            html`<section>
              <h2>${name}</h2>
              <ul>
                ${operations.map(
                  ({ id, method, summary }) =>
                    html`<li>
                      <a href="#${id}"
                        ><span class="method ${method}">${method.toUpperCase()}</span> <span>${summary}</span></a
                      >
                    </li> `,
                )}
              </ul>
            </section>`,
        )}
        ${
          guideItems.length > 0 &&
          html`<section>
            <h2>Guide</h2>
            <ul>
              ${guideItems.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li> `)}
            </ul>
          </section>`
        }
      </nav>
      <p id="nothing-found" role="status" hidden>Nothing is found.</p>
    </details>
  </aside>`
}

function tagHtml({ name, description, operations }: Described['tags'][number], address: string): Html {
  const id = `/${encodeURIComponent(name)}`
  return html`<section class="tag" aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    ${markdown(description, 2)} ${operations.map((operation) => operationHtml(operation, address))}
  </section>`
}

function sectionHtml(id: string, title: string, content: Html | readonly Html[] | false): Html {
  return html`<section class="guide" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section> `
}

function schemaHtml([name, schema]: Described['schemas'][number]): Html {
  const target = deref(schema)
  return html`<article class="schema">
    <h3 id="schema-${encodeURIComponent(name)}">${name}</h3>
    <p class="type">${typeOf(schema)}</p>
    ${markdown(target.field('description').text, 3)}${limitsOf(target)}${fieldsOf(schema)}
  </article> `
}
