import type { IRouter, Request, Response } from 'express'
import { methodNotAllowed } from '../../api-error.ts'
import type { Answer } from '../../road/answer.ts'
import { respond } from '../respond.ts'

const methods = 'GET, HEAD, OPTIONS'

/** Adds a page with this path: GET and HEAD give its answer, OPTIONS names the methods, and others are refused. */
export function addPage(
  router: IRouter,
  path: string,
  answer: (request: Request, response: Response) => Answer | Promise<Answer>,
): void {
  router.all(path, async (request, response) => {
    if (request.method === 'OPTIONS') {
      respond(request, response, { status: 204, headers: ['Allow', methods], body: undefined }, [])
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      respond(request, response, await answer(request, response), [])
    } else throw methodNotAllowed(request.method, methods)
  })
}
