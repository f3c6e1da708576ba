import { requestOf } from '../assets/request.js'
import { languages, sampleIn } from '../assets/samples.js'
import type { Value } from '../../../contract/model/value.ts'
import { deref, type DescribedOperation, type NamedHeader } from './described.ts'
import { bodyHtml, parametersHtml, requestForm, type RequestForm } from './fields.ts'
import { html, type Html } from './html.ts'
import { markdown } from './markdown.ts'
import { exampleOf, jsonOf } from './sample.ts'
import { fieldsOf, limitsOf, typeOf } from './schema.ts'

/** An operation with its fields, a sample of a request, and its answers. `address` is the one of the service. */
export function operationHtml(operation: DescribedOperation, address: string): Html {
  const { id, method, path, server, summary, description, badges, responses } = operation
  const form = requestForm(operation)
  return html`<article class="operation" id="${id}" data-form="${JSON.stringify(form)}" aria-labelledby="${id}.title">
    <header>
      <h3 id="${id}.title">
        ${summary} ${badges.map(({ kind, text }) => html`<span class="badge badge-${kind}">${text}</span> `)}
      </h3>
      <p class="address">
        <span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(server + path)}</code>
        <a class="self" href="#${id}" aria-label="Link to ${summary}">#</a>
      </p>
    </header>
    <form class="request">
      <div class="about">
        ${markdown(description, 3)} ${parametersHtml(operation, form)} ${bodyHtml(operation, form)}
      </div>
      ${cardHtml(form, address)}
    </form>
    <div class="answers">
      <h4>Answers</h4>
      ${responses.map(answerHtml)}
    </div>
  </article> `
}

/** The sample of a request, and the place for the answer to the request that the reader sends. */
function cardHtml(form: RequestForm, address: string): Html {
  const request = requestOf(form, firstValues(form), address)
  return html`<div class="card">
    <h4>Example request</h4>
    <div class="bar scripted">
      <div class="languages" role="group" aria-label="Language">
        ${Object.keys(languages).map(
          (name) => html`<button type="button" aria-pressed="${name === 'curl' ? 'true' : 'false'}">${name}</button>`,
        )}
      </div>
      <button type="button" class="copy" aria-live="polite">Copy</button>
    </div>
    <pre class="sample" tabindex="0"><code>${sampleIn('curl', request)}</code></pre>
    <p class="scripted"><button class="execute">Execute</button></p>
    <div class="result" aria-live="polite"></div>
  </div>`
}

/** The values of the fields at first, by their names. */
function firstValues({ parameters, body }: RequestForm): Record<string, string> {
  const pairs: [string, string][] = [
    ...parameters.map(({ in: place, name, value }): [string, string] => [`${place}.${name}`, value]),
    ...(body?.fields ?? []).map(({ name, value }): [string, string] => [`body.${name}`, value]),
    ['body', body?.value ?? ''],
  ]
  return Object.fromEntries(pairs)
}

/** A path that may break after each slash. */
function breakable(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr />`)}`
}

function answerHtml(response: DescribedOperation['responses'][number]): Html {
  const { status, description, headers, content } = response
  const isSuccess = status.startsWith('2')
  return html`<details class="answer" ${isSuccess && html` open`}>
    <summary><span class="code">${status}</span> <span class="text">${markdown(description, 6)}</span></summary>
    ${headersHtml(headers)} ${content.map(([type, media]) => mediaHtml(type, media))}
  </details> `
}

function mediaHtml(type: string, media: Value): Html {
  const isText = /^text\/|json|xml/i.test(type)
  const example = isText ? exampleOf(media, false) : undefined
  const text = typeof example === 'string' && !/json/i.test(type) ? example : jsonOf(example)
  const schema = media.field('schema')
  return html`<p><code>${type}</code> <span class="type">${typeOf(schema)}</span></p>
    ${typeof schema.get('$ref') !== 'string' && fieldsOf(schema)}
    ${example !== undefined && html`<pre tabindex="0"><code>${text}</code></pre>`}`
}

/** Headers with what the contract says of each. */
export function headersHtml(headers: readonly NamedHeader[]): Html | false {
  const rows = headers.map(({ name, header }) => {
    const schema = header.field('schema')
    const example = header.get('example')
    const { node } = deref(schema)
    const limits = limitsOf(schema.with(example === undefined ? node : { ...node, example }))
    return html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span></dt>
      <dd>${markdown(header.field('description').text, 6)}${limits}</dd> `
  })
  return rows.length > 0 && html`<dl class="headers">${rows}</dl>`
}
