import { keyAlternatives } from './contract-parts.js'

/** A key as Swagger UI wants it, in all security schemes: the operations say which of them they take. */
export function credentialsOf(schemes, key) {
  return Object.fromEntries(
    Object.entries(schemes).map(([name, schema]) => {
      const isToken = schema.type === 'oauth2' || schema.type === 'openIdConnect'
      if (isToken) return [name, { name, schema, token: { access_token: key } }]
      const isPassword = schema.type === 'http' && schema.scheme.toLowerCase() === 'basic'
      return [name, { name, schema, value: isPassword ? { username: '', password: key } : key }]
    }),
  )
}

/**
 * Tries a key with the request of an operation that needs one: the function gets the status of the answer. Undefined when no
 * operation can tell whether a key is a right one.
 */
export function keyTrial(contract, operations) {
  const needing = operations.filter((one) => keyAlternatives(contract, one).every((places) => places.length > 0))
  // HEAD is the GET of the path, which may be public where another method is not
  const tried =
    needing.find(({ method }) => method === 'get') ??
    needing.find(({ path }) => !operations.some((other) => other.path === path && other.method === 'get'))
  if (!tried) return undefined
  const [places] = keyAlternatives(contract, tried)
  return async (key) => {
    const url = new URL(tried.server + tried.path)
    const headers = {}
    for (const { in: place, name } of places) {
      if (place === 'bearer') headers.Authorization = `Bearer ${key}`
      else if (place === 'basic') headers.Authorization = `Basic ${btoa(`:${key}`)}`
      else if (place === 'header') headers[name] = key
      else if (place === 'query') url.searchParams.set(name, key)
      else setCookies(url, `${name}=${key}`)
    }
    const credentials = credentialsWith(places.some((place) => place.in === 'cookie'))
    return (await fetch(url, { method: 'HEAD', headers, credentials, cache: 'no-store' })).status
  }
}

/** Whether a request sends cookies. One that does not makes no browser ask for a name and a password. */
export function credentialsWith(cookies) {
  return cookies ? 'same-origin' : 'omit'
}

/** Sets the cookies of a request for a few seconds: a script cannot send them as a header. */
export function setCookies(url, cookies) {
  const { pathname } = new URL(url, location.href)
  for (const pair of cookies.split('; ')) {
    if (pair !== '') document.cookie = `${pair}; path=${pathname}; max-age=5; samesite=strict`
  }
}
