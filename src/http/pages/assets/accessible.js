/** How many frames an element may move in after it was made. */
const settlingFrames = 12

/** Leaves out what assistive technology cannot make sense of, and opens what an address names, and scrolls to it. */
export const accessible = (operations) => () => ({
  components: {
    // a link within the button that opens the operation; the button changes the address as well
    DeepLink: ({ text }) => text,
  },
  statePlugins: {
    layout: {
      wrapActions: {
        parseDeepLinkHash:
          (_, { layoutActions }) =>
          (hash) => {
            const named = operations.find((one) => decoded(one.hash) === decoded(hash))
            if (named) {
              const shown = ['operations', named.tag, named.operationId]
              layoutActions.show(['operations-tag', named.tag], true)
              layoutActions.show(shown, true)
              // of a long list Swagger UI makes only the part that is on the screen
              layoutActions.scrollToVirtualizedOperation(shown)
              scrollToId(idOf(...shown))
            } else scrollToId(hash.startsWith('#/') ? idOf('operations', 'tag', decoded(hash.slice(2))) : hash.slice(1))
          },
      },
    },
  },
})

function decoded(hash) {
  try {
    return decodeURIComponent(hash)
  } catch {
    return hash
  }
}

/** The id that Swagger UI gives to an element. */
function idOf(...names) {
  return names.map((name) => CSS.escape(name.trim().replace(/\s/g, '_'))).join('-')
}

/** Scrolls to an element, which Swagger UI may show only after some frames, and which may move in the next ones. */
function scrollToId(id, frames = 60) {
  requestAnimationFrame(() => {
    const element = document.getElementById(id)
    element?.scrollIntoView()
    if (frames > 0) scrollToId(id, (element ? Math.min(frames, settlingFrames) : frames) - 1)
  })
}

/** Names the controls that Swagger UI leaves without a name or gives another one than it shows, and lets keys scroll. */
export function mendControls() {
  for (const control of document.querySelectorAll('tr[data-param-name] :is(input, select, textarea)')) {
    control.ariaLabel ??= control.closest('tr').dataset.paramName
  }
  for (const control of document.querySelectorAll('.body-param textarea')) control.ariaLabel ??= 'Request body'
  for (const control of document.querySelectorAll('.model-box-control')) {
    if (control.textContent === '') control.ariaLabel ??= 'Properties'
  }
  for (const text of document.querySelectorAll('.highlight-code pre')) text.tabIndex = 0
}
