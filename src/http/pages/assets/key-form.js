/** Each service below a path of one host has a key of its own. */
const storedAs = `api-key ${new URL('.', location.href).pathname}`

/**
 * Lets the visitor enter an API key, which the browser remembers and each request sends. A key is tried at once: `tryKey` sends
 * a request with it and gets the status of the answer. `onChange` is called when another key is used.
 */
export function showKeyForm(tryKey, onChange) {
  const form = document.getElementById('key')
  const input = document.getElementById('api-key')
  const state = document.getElementById('key-state')
  const forget = document.getElementById('forget-key')
  const current = () => localStorage.getItem(storedAs) ?? undefined
  form.hidden = false
  show()

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const key = input.value.trim().replace(/^Bearer\s+/i, '')
    const fault = await faultOf(key)
    if (fault === undefined) {
      localStorage.setItem(storedAs, key)
      input.value = ''
      onChange()
    }
    show(fault)
  })
  forget.addEventListener('click', () => {
    localStorage.removeItem(storedAs)
    onChange()
    show()
  })
  return { current }

  async function faultOf(key) {
    if (key === '') return 'Enter a key.'
    // others cannot be sent in a header
    if (!/^[!-~]+$/.test(key)) return 'A key has no spaces and no special letters.'
    if (!tryKey) return undefined
    const status = await tryKey(key).catch(() => undefined)
    if (status === undefined) return 'The service cannot be reached, so the key was not tried. Try again.'
    if (status === 401) return 'The service does not accept this key.'
    if (status === 429) return 'The key could not be tried: too many requests. Try again in a minute.'
    if (status >= 500) return 'The key could not be tried: the service cannot answer now. Try again in a moment.'
    return undefined
  }

  function show(fault) {
    const key = current()
    const used = key === undefined ? 'No key is used.' : `The key ${key.slice(0, 6)}… is used.`
    state.textContent = fault === undefined ? used : `${fault} ${used}`
    state.classList.toggle('bad', fault !== undefined)
    forget.hidden = key === undefined
  }
}
