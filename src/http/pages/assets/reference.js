import { copy } from './copy.js'
import { withoutMarks } from './exact-numbers.js'
import { isIdempotencyKey, requestOf } from './requests.js'
import { requestSamples } from './samples.js'

/**
 * Swagger UI as a reference: the operations first, then the headers that all answers have, the guide and the schemas.
 * `guide` are the sections of the contract's description, `headers` the common ones.
 */
export const reference =
  ({ contract, operations, guide, headers }) =>
  ({ React }) => {
    const { createElement: h, Fragment, useEffect, useState } = React
    const common = new Set(headers.map(({ name }) => name))

    const Layout = ({ getComponent }) => {
      const [isWhole, showWhole] = useState(false)
      // the operations are shown before the rest is made
      useEffect(() => void requestAnimationFrame(() => setTimeout(showWhole, 0, true)), [])
      return h(
        'div',
        { className: 'swagger-ui' },
        h(getComponent('SvgAssets')),
        h(getComponent('InfoContainer', true)),
        h(getComponent('errors', true)),
        h('h2', { id: 'operations' }, 'Operations'),
        h(getComponent('operations', true)),
        isWhole && h(Rest, { Markdown: getComponent('Markdown', true), Models: getComponent('Models', true) }),
      )
    }

    const Rest = ({ Markdown, Models }) =>
      h(
        Fragment,
        null,
        h(CommonHeaders, { Markdown }),
        guide.map(({ id, title, text }) =>
          h(
            'section',
            { key: id, className: 'guide', 'aria-labelledby': id },
            h('h2', { id }, title),
            h(Markdown, { source: text }),
          ),
        ),
        h('div', { id: 'schemas' }, h(Models)),
      )

    const CommonHeaders = ({ Markdown }) =>
      headers.length > 0 &&
      h(
        'section',
        { className: 'guide', 'aria-labelledby': 'headers' },
        h('h2', { id: 'headers' }, 'Headers of every answer'),
        h(
          'dl',
          null,
          headers.map(({ name, description, schema }) =>
            h(
              Fragment,
              { key: name },
              h('dt', null, h('code', null, name)),
              h(
                'dd',
                null,
                h(Markdown, { source: description }),
                schema?.example !== undefined && [
                  'Example: ',
                  h('code', { key: name }, withoutMarks(`${schema.example}`)),
                ],
              ),
            ),
          ),
        ),
      )

    const Answers = ({ responses, tryItOutResponse, specPath, producesValue, ...props }) => {
      const { getComponent, fn, specSelectors, oas3Selectors, oas3Actions, getConfigs, path, method } = props
      const shared = { getComponent, fn, specSelectors, oas3Selectors, oas3Actions, getConfigs, path, method }
      return h(
        'div',
        { className: 'responses-wrapper' },
        tryItOutResponse &&
          h(
            'div',
            { className: 'responses-inner', 'aria-live': 'polite' },
            h(getComponent('liveResponse'), { ...shared, response: tryItOutResponse, displayRequestDuration: true }),
          ),
        h('div', { className: 'opblock-section-header' }, h('h4', null, 'Example request')),
        h(Samples, { specSelectors, fn, path, method }),
        h('div', { className: 'opblock-section-header' }, h('h4', null, 'Answers')),
        h(
          'div',
          { className: 'answers' },
          responses
            .filterNot((_, code) => code.startsWith('x-'))
            .entrySeq()
            .map(([code, response]) =>
              h(Answer, {
                key: code,
                ...shared,
                code,
                response,
                specPath: specPath.push(code),
                contentType: producesValue,
              }),
            ),
        ),
      )
    }

    const Answer = ({ code, response, ...props }) => {
      const [open, setOpen] = useState(code.startsWith('2'))
      const { getComponent } = props
      return h(
        'details',
        { className: 'answer', open, onToggle: (event) => setOpen(event.currentTarget.open) },
        h(
          'summary',
          null,
          h('span', { className: 'code' }, code),
          h(getComponent('Markdown', true), { source: response.get('description') }),
        ),
        open &&
          h(
            'table',
            { className: 'responses-table', role: 'presentation' },
            h('tbody', null, h(getComponent('response'), { ...props, code, response: response.delete('description') })),
          ),
      )
    }

    const Samples = ({ specSelectors, fn, path, method }) => {
      const [language, choose] = useState('curl')
      const operation = specSelectors.specResolvedSubtree(['paths', path, method])?.toJS()
      if (!operation) return null
      const { server } = operations.find((one) => one.path === path && one.method === method)
      const samples = requestSamples(requestOf({ contract, operation, path, method, server, fn }))
      return h(
        'div',
        { className: 'samples' },
        h(
          'div',
          { className: 'sample-bar' },
          Object.keys(samples).map((name) =>
            h(
              'button',
              { key: name, type: 'button', 'aria-pressed': name === language, onClick: () => choose(name) },
              name,
            ),
          ),
          h(
            'button',
            {
              type: 'button',
              className: 'copy',
              'aria-live': 'polite',
              onClick: ({ currentTarget }) => copy(samples[language], currentTarget),
            },
            'Copy',
          ),
        ),
        h('pre', { tabIndex: 0 }, h('code', null, samples[language])),
      )
    }

    /** Begins with optional parameters empty: what need not be sent is not filled in. Shows what has no place elsewhere. */
    const parameterRow = (Row) =>
      function Parameter(props) {
        const { param, rawParam, onChange } = props
        const waits = !param.get('required') && param.get('value') === undefined
        useEffect(() => {
          if (waits) onChange(rawParam, null, false)
        })
        if (waits) return null
        const shown = withoutMarks(param)
        const texts = [shown.get('description'), ...boundsOf(shown.get('schema'))]
        if (isIdempotencyKey(param.toObject()))
          texts.push('If it is empty, this page sends a new one with each Execute.')
        return h(Row, { ...props, param: shown.set('description', texts.filter(Boolean).join('\n\n')) })
      }

    return {
      components: {
        Reference: Layout,
        responses: Answers,
        // the fields are always open
        TryItOutButton: () => null,
        // a key for all operations is entered beside them
        authorizeOperationBtn: () => null,
      },
      wrapComponents: {
        parameterRow,
        headers: (Headers) => (props) =>
          h(Headers, { ...props, headers: props.headers.filterNot((_, name) => common.has(name)) }),
        OperationSummaryPath:
          (Path, { specSelectors }) =>
          (props) => {
            const { path, method } = props.operationProps.toObject()
            const badges = badgesOf(specSelectors.specJson().getIn(['paths', path, method]).toObject())
            return h(
              Fragment,
              null,
              h(Path, props),
              badges.map(([name, text]) => h('span', { className: `badge badge-${name}`, key: name }, text)),
            )
          },
      },
      statePlugins: {
        spec: {
          wrapActions: {
            executeRequest: (execute) => (request) => execute(withIdempotencyKey(request)),
          },
        },
      },
    }
  }

/** What the contract says of an operation's life, for beside its path. */
function badgesOf({ deprecated, 'x-sunset': sunset, 'x-stability': stability = 'stable' }) {
  const badges = []
  if (deprecated) badges.push(['deprecated', sunset ? `deprecated, sunset ${sunset}` : 'deprecated'])
  if (stability !== 'stable') badges.push([stability, stability])
  return badges
}

/** What Swagger UI does not show of a parameter's schema. */
const keywords = {
  const: 'Always',
  default: 'Default',
  exclusiveMinimum: 'More than',
  exclusiveMaximum: 'Less than',
  multipleOf: 'A multiple of',
  minItems: 'Items, at least',
  maxItems: 'Items, at most',
}

function boundsOf(schema) {
  return Object.entries(keywords).flatMap(([keyword, text]) => {
    let value = schema?.get(keyword)
    // OpenAPI 3.0 makes a limit an exclusive one by a keyword beside it
    if (keyword.startsWith('exclusive') && typeof value === 'boolean') {
      value = value ? schema.get(keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum') : undefined
    }
    if (value === undefined) return []
    return [`${text}: \`${typeof value === 'string' ? value : JSON.stringify(value)}\``]
  })
}

/** Sends a new key where none was entered, so that each Execute adds something. */
function withIdempotencyKey(request) {
  const parameter = request.operation.get('parameters')?.find((one) => isIdempotencyKey(one.toObject()))
  const name = parameter && `header.${parameter.get('name')}`
  if (!name || request.parameters[name]) return request
  return { ...request, parameters: { ...request.parameters, [name]: randomKey() } }
}

/** As long as a UUID; `crypto.randomUUID` exists only over HTTPS and on this machine. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
