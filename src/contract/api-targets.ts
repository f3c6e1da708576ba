import type { Contract } from './compiled.ts'
import { ContractRouter } from './exchange/router.ts'
import { targetBelow } from './model/path.ts'
import { isOwnPath } from './own-paths.ts'

/**
 * The target of a request to the API, with the API root as the contract has it; undefined for that of a page. Without a
 * path of its own the API would hide all pages.
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
