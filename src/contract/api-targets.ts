import type { Contract } from './compiled.ts'
import { ContractRouter } from './exchange/router.ts'
import { targetBelow } from './model/path.ts'
import { isOwnPath } from './own-paths.ts'

/**
 * Tells a request to the API from one to a page of the service: gives the target with the API root as the contract
 * writes it, and undefined for a page. An API without a path of its own would hide all pages, so these come first.
 */
export function apiTargets({ apiRoot, router }: Contract): (target: string) => string | undefined {
  const below = targetBelow(apiRoot)
  const hidesPages = apiRoot === '' || isOwnPath(apiRoot)
  const hasHome = router.match('get', '/').found !== 'operation'
  // only in a mock
  const claimed = router.paths().filter((path) => isOwnPath(apiRoot + path))
  const operations = new ContractRouter(claimed.map((path) => ({ method: 'get', path, operation: path })))
  return (target) => {
    const found = below(target)
    if (found === undefined || !hidesPages) return found
    const path = found.split('?', 1)[0] ?? ''
    if (claimed.length > 0 && operations.allowOf(path.slice(apiRoot.length)) !== undefined) return found
    return isOwnPath(path) || (hasHome && path === '/') ? undefined : found
  }
}
