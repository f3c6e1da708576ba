/** Paths of the service itself: health, metrics and documents. No operation of a contract can have one of them. */
export const ownPaths = [
  '/assets/',
  '/docs',
  '/livez',
  '/metrics',
  '/openapi.json',
  '/openapi.yaml',
  '/readyz',
] as const

/** Whether a path is of the service itself, and not of the contract. */
export function isOwnPath(path: string): boolean {
  return ownPaths.some((own) => path === own || path.startsWith(own.endsWith('/') ? own : `${own}/`))
}
