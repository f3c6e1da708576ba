/** Stands around the digits of a number; no text of the service's data can have it by chance or on purpose. */
const mark = Math.random().toString(36).slice(2)
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
const marked = new RegExp(`"?${mark}([^"]*?)${mark}"?`, 'g')
/** Keywords of a schema that are shown as text, and make no part of an example. */
const bounds = new Set(['minimum', 'maximum', 'multipleOf'])

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
  return typeof value?.map === 'function' ? value.map(withoutMarks) : value
}

/**
 * Shows every digit of numbers that JavaScript would round. They are parsed as strings with a mark at both ends, and
 * the marks go, with the quotes around them, when the text is shown.
 */
export function exactNumbers({ getSystem, React: { createElement } }) {
  return {
    fn: {
      getSampleSchema: (...args) => withoutMarks(getSystem().fn.jsonSchema5.getSampleSchema(...args)),
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
