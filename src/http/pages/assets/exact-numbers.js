/** Stands around the digits of a number; no text of the service's data can have it by chance or on purpose. */
const mark = Math.random().toString(36).slice(2)
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
const marked = new RegExp(`"?${mark}([^"]*?)${mark}"?`, 'g')
/** Keywords of a schema that are shown as text, and make no part of an example. */
const bounds = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'])

/** Parses JSON; numbers that JavaScript would round become strings with marks. */
export function parseMarked(json) {
  return JSON.parse(withMarks(json), (key, value) => (bounds.has(key) ? withoutMarks(value) : value))
}

function withMarks(json) {
  return json.replace(token, (text) =>
    text[0] === '"' || String(Number(text)) === text ? text : `"${mark}${text}${mark}"`,
  )
}

/** A text as it was before `parseMarked`; also in the Maps and Lists that Swagger UI keeps. */
export function withoutMarks(value) {
  if (typeof value === 'string') return value.replace(marked, '$1')
  if (typeof value?.map === 'function') return value.map(withoutMarks)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutMarks(one)]))
}

/** A schema without the parts that contain themselves: Swagger UI leaves references there, and samples them as texts. */
function withoutCycles(schema) {
  if (typeof schema !== 'object' || schema === null) return schema
  const isCycle = (part) => typeof part?.$ref === 'string'
  if (Array.isArray(schema)) return schema.filter((part) => !isCycle(part)).map(withoutCycles)
  const kept = Object.entries(schema).filter(([, part]) => !isCycle(part))
  const sampled = Object.fromEntries(kept.map(([key, part]) => [key, withoutCycles(part)]))
  return isCycle(schema.items) ? { example: [], ...sampled } : sampled
}

/**
 * Shows every digit of numbers that JavaScript would round. They are parsed as strings with a mark at both ends, and
 * the marks go, with the quotes around them, when the text is shown.
 */
export function exactNumbers({ getSystem, React: { createElement } }) {
  const sampler = () => {
    const { fn, specSelectors } = getSystem()
    return specSelectors.isOAS30() ? fn.jsonSchema5 : fn.jsonSchema202012
  }
  const ready = (schema) => withoutCycles(schema?.toJS?.() ?? schema)
  return {
    fn: {
      // of a number alone it is no text
      getSampleSchema: (schema, ...rest) => {
        const sample = sampler().getSampleSchema(ready(schema), ...rest)
        return sample === undefined ? sample : withoutMarks(String(sample))
      },
      sampleValue: (schema, example) => withoutMarks(sampler().sampleFromSchema(ready(schema), {}, example)),
    },
    components: {
      // a line of a schema, such as its default or its example
      Property: ({ propKey, propVal, propClass }) => {
        const text = typeof propVal === 'string' ? propVal : JSON.stringify(propVal, null, 2)
        return createElement('span', { className: propClass }, createElement('br'), `${propKey}: ${withoutMarks(text)}`)
      },
    },
    wrapComponents: {
      EnumModel: (EnumModel) => (props) => createElement(EnumModel, { ...props, value: withoutMarks(props.value) }),
      responseBody: (ResponseBody) => (props) => {
        const isJson = /json/i.test(props.contentType) && typeof props.content === 'string'
        return createElement(ResponseBody, isJson ? { ...props, content: withMarks(props.content) } : props)
      },
      HighlightCode: (HighlightCode) => (props) =>
        createElement(HighlightCode, { ...props, children: withoutMarks(props.children) }),
    },
    statePlugins: {
      spec: {
        wrapActions: {
          // also the value that a parameter begins with
          changeParamByIdentity:
            (change) =>
            (operation, parameter, value, ...rest) =>
              change(operation, parameter, withoutMarks(value), ...rest),
        },
      },
    },
  }
}
