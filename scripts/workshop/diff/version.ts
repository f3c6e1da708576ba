import type { Bump, Change } from './change.ts'
import { Value } from '../../../src/contract/model/value.ts'

/** How `info.version` grew, and how it must grow. */
export interface VersionReport {
  base: string
  head: string
  needed: Bump | 'none'
  enough: boolean
}

/** Compares the growth of the version with the changes. Below 1.0.0 a breaking change needs only a minor version. */
export function versionReport(before: unknown, after: unknown, changes: readonly Change[]): VersionReport {
  const [base, head] = [versionOf(Value.of(before)), versionOf(Value.of(after))]
  const [from, to] = [partsOf(base), partsOf(head)]
  const bumps = new Set(changes.map(({ bump }) => bump))
  const most = (['major', 'minor', 'patch'] as const).find((bump) => bumps.has(bump)) ?? 'none'
  const needed = most === 'major' && from?.major === 0 ? 'minor' : most
  return { base, head, needed, enough: isEnough() }

  function isEnough(): boolean {
    // without an order between the versions, or after a pre-release, all that is known is whether they differ
    if (!from || !to || (from.preRelease && base !== head)) return needed === 'none' || base !== head
    const grown = [to.major - from.major, to.minor - from.minor, to.patch - from.patch]
    const first = grown.findIndex((difference) => difference !== 0)
    if (first === -1) return needed === 'none'
    return (grown[first] ?? 0) > 0 && first <= ['major', 'minor', 'patch', 'none'].indexOf(needed)
  }
}

function versionOf(document: Value): string {
  const version = document.get('info', 'version')
  return typeof version === 'string' || typeof version === 'number' ? String(version) : 'none'
}

function partsOf(version: string): { major: number; minor: number; patch: number; preRelease: boolean } | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.exec(version)
  if (!parts) return undefined
  const [major = 0, minor = 0, patch = 0] = parts.slice(1, 4).map(Number)
  return { major, minor, patch, preRelease: parts[4] !== undefined }
}
