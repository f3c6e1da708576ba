import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** How a file system that other machines may share stands to SQLite, which relies on locks and on shared memory. */
export interface SharedFileSystem {
  name: string
  /** Whether SQLite is certain to fail on it sooner or later; otherwise that depends on what is behind it. */
  unfit: boolean
}

/** By the `f_type` of statfs(2) on Linux. */
const shared: ReadonlyMap<number, SharedFileSystem> = new Map([
  [0x6969, { name: 'NFS', unfit: true }],
  [0x517b, { name: 'SMB', unfit: true }],
  [0xfe534d42, { name: 'SMB', unfit: true }],
  [0xff534d42, { name: 'CIFS', unfit: true }],
  [0x564c, { name: 'NCP', unfit: true }],
  [0x5346414f, { name: 'AFS', unfit: true }],
  [0x6b414653, { name: 'AFS', unfit: true }],
  [0x73757245, { name: 'Coda', unfit: true }],
  [0x01021997, { name: '9p', unfit: true }],
  // behind FUSE may be a local disk, and cluster file systems keep locks when one machine alone uses the file
  [0x65735546, { name: 'FUSE', unfit: false }],
  [0x00c36400, { name: 'Ceph', unfit: false }],
  [0x0bd00bd0, { name: 'Lustre', unfit: false }],
  [0x47504653, { name: 'GPFS', unfit: false }],
  [0x01161970, { name: 'GFS2', unfit: false }],
  [0x7461636f, { name: 'OCFS2', unfit: false }],
])

/** Undefined for a local file system, and for every one on systems other than Linux, which number them otherwise. */
export function sharedFileSystem(
  type: number,
  platform: NodeJS.Platform = process.platform,
): SharedFileSystem | undefined {
  // the kernel's number may have come as a negative one
  return platform === 'linux' ? shared.get(type >>> 0) : undefined
}

/** What this user may still write on the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** What this user may still write on the disk of a file; undefined while nothing leads there. */
export function freeBytesBeside(file: string): number | undefined {
  try {
    return freeBytes(dirname(file))
  } catch {
    return undefined
  }
}
