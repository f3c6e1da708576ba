import type { RequestListener } from 'node:http'
import type { ServerParts } from '../server.ts'
import type { PageParts } from './pages.ts'

/** Loads the pages, and Express with them, when it is told to, or at the first request for one. */
export function loadedLater(parts: PageParts): { load: () => Promise<RequestListener>; answer: ServerParts['pages'] } {
  let listener: Promise<RequestListener> | undefined
  const load = (): Promise<RequestListener> =>
    (listener ??= import('./pages.ts')
      .then(({ pages }) => pages(parts) as RequestListener)
      .catch((error: unknown) => {
        // as without a free file descriptor: the next request tries again
        listener = undefined
        throw error
      }))
  return {
    load,
    answer: async (request, response) => {
      const answer = await load()
      answer(request, response)
    },
  }
}
