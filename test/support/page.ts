import { expect } from '@jest/globals'
import { checkEveryAnswer, checkSafeHeaders } from './service.ts'

export interface PageAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

/** Asks as a browser does, and checks nothing. */
export async function fetchFrom(port: number, path: string, init: RequestInit = {}): Promise<PageAnswer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

/** Asks without a key, and checks what every answer must have; pages are not counted, so they show no limit. */
export async function fetchPage({ port }: { port: number }, path: string, init: RequestInit = {}): Promise<PageAnswer> {
  const answer = await fetchFrom(port, path, init)
  if (path.startsWith('/v1/')) checkEveryAnswer(answer)
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  checkSafeHeaders(answer.status, answer.headers)
  const kept = answer.status < 400 && /^\/(docs|openapi\..*|assets\/.*)?$/.test(path)
  if (!kept || init.method === 'OPTIONS') expect(answer.headers.etag).toBeUndefined()
  return answer
}

/** The path of a static file as the documentation names it. */
export async function assetPath(port: number, name: string): Promise<string> {
  const { text } = await fetchFrom(port, '/docs')
  return `/assets/${/"assets\/(\w+)\//.exec(text)?.[1] ?? ''}/${name}`
}
