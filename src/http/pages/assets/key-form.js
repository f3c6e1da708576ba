/**
 * Lets the visitor enter an API key, which the browser remembers and each request sends. A key is tried at once, with
 * the request that `tryKey` sends: it gets the status of the answer.
 */
export function showKeyForm({ authActions, authSelectors, scheme, tryKey }) {
  const form = document.getElementById('key')
  const input = document.getElementById('api-key')
  const state = document.getElementById('key-state')
  const forget = document.getElementById('forget-key')
  form.hidden = false
  show()

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const key = input.value.trim().replace(/^Bearer\s+/i, '')
    const fault = await faultOf(key)
    if (fault === undefined) {
      const [name, schema] = scheme
      authActions.authorizeWithPersistOption({ [name]: { name, schema, value: key } })
      input.value = ''
    }
    show(fault)
  })
  forget.addEventListener('click', () => {
    authActions.logoutWithPersistOption([scheme[0]])
    show()
  })

  async function faultOf(key) {
    if (key === '') return 'Enter a key.'
    // others cannot be sent in a header
    if (!/^[!-~]+$/.test(key)) return 'A key has no spaces and no special letters.'
    const status = await tryKey(key).catch(() => undefined)
    if (status === undefined) return 'The service cannot be reached, so the key was not tried. Try again.'
    if (status === 401) return 'The service does not accept this key.'
    if (status === 429) return 'The key could not be tried: too many requests. Try again in a minute.'
    if (status >= 500) return 'The key could not be tried: the service cannot answer now. Try again in a moment.'
    return undefined
  }

  function show(fault) {
    const key = authSelectors.authorized().getIn([scheme[0], 'value'])
    const used = key === undefined ? 'No key is used.' : `The key ${key.slice(0, 6)}… is used.`
    state.textContent = fault === undefined ? used : `${fault} ${used}`
    state.classList.toggle('bad', fault !== undefined)
    forget.hidden = key === undefined
  }
}
