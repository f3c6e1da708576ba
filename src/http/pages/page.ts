import type { IRouter, Request, Response } from 'express'
import { methodNotAllowed } from '../../api-error.ts'
import type { Answer } from '../../road/answer.ts'
import { respond } from '../respond.ts'

const methods = 'GET, HEAD, OPTIONS'

/**
 * Adds a page with this path: GET and HEAD give its answer, OPTIONS names the methods, and others are refused. Of a
 * `probe` OPTIONS fails as GET does, since some load balancers ask by it.
 */
export function addPage(
  router: IRouter,
  path: string | RegExp,
  answer: (request: Request, response: Response) => Answer | Promise<Answer>,
  { probe = false }: { probe?: boolean } = {},
): void {
  router.all(path, async (request, response) => {
    if (request.method === 'OPTIONS') {
      if (probe) await answer(request, response)
      respond(request, response, { status: 204, headers: ['Allow', methods], body: undefined }, [])
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      respond(request, response, await answer(request, response), [])
    } else throw methodNotAllowed(request.method, methods)
  })
}
