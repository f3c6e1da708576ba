import { closeSync, openSync, readSync } from 'node:fs'

const headerBytes = 32
const frameHeadBytes = 24
/** The least significant bit tells the byte order of the words that are summed up. */
const magic = 0x377f0682

/** A frame of a write-ahead log that is not what was written, counted from 1; 0 is the head of the log. */
export interface Damage {
  frame: number
  of: number
}

/**
 * Finds damage to acknowledged commits in a write-ahead log (https://sqlite.org/fileformat2.html#walformat), which SQLite
 * takes for the end of the log. A power cut leaves a frame that does not fit as well, and must not stop a start: with
 * `synchronous = FULL` it can tear the last commit only, since the next one begins after the last is on disk. Each check
 * sum continues the one before it. So a commit frame whose sums continue from an earlier commit frame was written after
 * that one was on disk, and with it all before it: if one of those does not fit, it is damaged. Damage to the last commit
 * alone looks like a power cut, and a log that was cut off like a shorter one: neither is found.
 */
export function damageIn(wal: string): Damage | undefined {
  const first = scan(wal)
  // another process may write and begin the log anew meanwhile; what is damaged stays so
  return first && scan(wal)?.frame === first.frame ? first : undefined
}

function scan(wal: string): Damage | undefined {
  const descriptor = openSync(wal, 'r')
  try {
    const head = new DataView(new ArrayBuffer(headerBytes))
    if (readSync(descriptor, head) < headerBytes) return undefined
    return scanFrames(head, (frames, first) => {
      const position = headerBytes + (first - 1) * frameBytesOf(head)
      return readSync(descriptor, frames, 0, frames.byteLength, position)
    })
  } finally {
    closeSync(descriptor)
  }
}

/** `read` fills the buffer with the frames from one on, and gives the number of bytes. */
function scanFrames(head: DataView, read: (frames: DataView, first: number) => number): Damage | undefined {
  const littleEndian = head.getUint32(0) !== magic + 1
  const frameBytes = frameBytesOf(head)
  const frames = new DataView(new ArrayBuffer(frameBytes * 64))
  let stored = sumAt(head, 24)
  const headFits = head.getUint32(0) >>> 1 === magic >>> 1 && equal(stored, sum(head, 0, 24, [0, 0], littleEndian))
  let salts = headFits ? head.getBigUint64(16) : undefined
  // the head is on disk before the first frame is written
  let damaged = headFits ? undefined : 0
  let committed = !headFits
  let found = false
  let count = 0
  for (;;) {
    const whole = Math.floor(read(frames, count + 1) / frameBytes)
    for (let at = 0; at < whole * frameBytes; at += frameBytes) {
      count += 1
      salts ??= frames.getBigUint64(at + 8)
      const isOurs = frames.getUint32(at) !== 0 && frames.getBigUint64(at + 8) === salts
      const isCommit = isOurs && frames.getUint32(at + 4) !== 0
      const computed = sum(
        frames,
        at + frameHeadBytes,
        frameBytes - frameHeadBytes,
        sum(frames, at, 8, stored, littleEndian),
        littleEndian,
      )
      stored = sumAt(frames, at + 16)
      if (!isOurs || !equal(stored, computed)) {
        damaged ??= count
        committed = isCommit
      } else if (damaged !== undefined && isCommit) {
        found ||= committed
        committed = true
      }
    }
    if (whole * frameBytes < frames.byteLength) break
  }
  return found && damaged !== undefined ? { frame: damaged, of: count } : undefined
}

/** By the size of a page in the head or, if that is damaged, the one that SQLite uses by default. */
function frameBytesOf(head: DataView): number {
  const pageBytes = head.getUint32(8)
  const isSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0
  return frameHeadBytes + (isSize ? pageBytes : 4096)
}

type Sum = readonly [number, number]

function sumAt(view: DataView, at: number): Sum {
  return [view.getUint32(at), view.getUint32(at + 4)]
}

function equal(one: Sum, other: Sum): boolean {
  return one[0] === other[0] && one[1] === other[1]
}

/** Continues a check sum over some bytes. */
function sum(view: DataView, at: number, bytes: number, [first, second]: Sum, littleEndian: boolean): Sum {
  let [a, b] = [first, second]
  for (let end = at + bytes; at < end; at += 8) {
    a = (a + view.getUint32(at, littleEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, littleEndian) + a) >>> 0
  }
  return [a, b]
}
