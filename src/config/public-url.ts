import { Wrong } from './setting.ts'

/** Reads the address that clients use, and gives it without a slash at its end. */
export function publicUrl(text: string): string | Wrong | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  if (text.includes('@')) return new Wrong('it has an @, as credentials have, and links would show these to everybody')
  if (text.includes('#')) return new Wrong('it has a fragment, behind which no path can follow')
  if (text.includes('?')) return new Wrong('it has a query, behind which no path can follow')
  return url.href.replace(/\/+$/, '')
}

/** Throws a sentence when the address has the base path of the contract already, which links would then have twice. */
export function refuseBasePath(address: string, apiRoot: string): void {
  if (apiRoot === '' || address === '') return
  if (!new URL(address).pathname.toLowerCase().endsWith(apiRoot.toLowerCase())) return
  throw new Error(
    `PUBLIC_URL must be the address without the base path ${apiRoot} of the contract: with ${JSON.stringify(address)} ` +
      `links would lead to ${address}${apiRoot}. Set it to ${JSON.stringify(address.slice(0, -apiRoot.length))}.`,
  )
}
