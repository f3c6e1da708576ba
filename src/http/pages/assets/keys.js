/** The key as the page shows it. */
export function masked(key) {
  return key === undefined ? undefined : `${key.slice(0, 6)}…`
}

/** Puts a key into a request: its headers, its address, or for a few seconds the cookies of the page. */
export function withKey({ address, headers = [] }, places, key) {
  const url = new URL(address)
  const sent = new Headers(headers)
  const cookies = []
  for (const { in: place, name } of places) {
    if (place === 'bearer') sent.set('Authorization', `Bearer ${key}`)
    else if (place === 'basic') sent.set('Authorization', `Basic ${btoa(`:${key}`)}`)
    else if (place === 'header') sent.set(name, key)
    else if (place === 'query') url.searchParams.set(name, key)
    else cookies.push(`${name}=${key}`)
  }
  const own = sent.get('Cookie')
  sent.delete('Cookie')
  if (own) cookies.push(...own.split('; '))
  setCookies(url, cookies)
  // one without cookies makes no browser ask for a name and a password
  return { url, headers: sent, credentials: cookies.length > 0 ? 'same-origin' : 'omit' }
}

/** A script cannot send cookies as a header. */
function setCookies({ pathname }, cookies) {
  for (const pair of cookies) document.cookie = `${pair}; path=${pathname}; max-age=5; samesite=strict`
}

/**
 * Tries a key with the request of an operation that needs one: the function gets the status of the answer. Undefined when no
 * operation can tell whether a key is a right one.
 */
export function keyTrial(articles, formOf, base) {
  const forms = articles.map(formOf)
  const needing = forms.filter(({ needsKey }) => needsKey)
  // HEAD is the GET of the path, which may be public where another method is not
  const tried =
    needing.find(({ method }) => method === 'GET') ??
    needing.find(({ path }) => !forms.some((other) => other.path === path && other.method === 'GET'))
  if (!tried) return undefined
  return async (key) => {
    const { url, ...options } = withKey({ address: base + tried.server + tried.path }, tried.keys, key)
    return (await fetch(url, { method: 'HEAD', cache: 'no-store', ...options })).status
  }
}
