import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Key } from '../store/store.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43 // 32 bytes in base62
const checksumLength = 6 // 32 bits in base62
const shape = /^ak_[0-9A-Za-z]{49}$/

/** A new API key: `ak_`, 32 random bytes in base62, and a checksum by which a typing mistake is told from a guess. */
export function newKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  return `ak_${secret}${checksum(secret)}`
}

/** The first characters of a key, which are stored, so that people recognise it. 220 of its 256 random bits stay secret. */
export function startOf(key: string): string {
  return key.slice(0, 9)
}

/** The record of a new key, with an id of its own. */
export function newRecord(known: Pick<Key, 'plan' | 'createdAt'> & Partial<Key>): Key {
  const id = known.id ?? newKeyId()
  return {
    ...{ id, custom: undefined, label: undefined, revokedAt: undefined, ban: undefined },
    ...{ start: undefined, expiresAt: undefined, lastUsedAt: undefined, account: id },
    ...known,
  }
}

/** Whether requests with the key are accepted, at least when it is not banned; `now` is Unix time in ms. */
export function isActive({ revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt)
}

/** A new name for a key: `key_` and 12 random characters. */
function newKeyId(): string {
  return `key_${base62(BigInt(`0x${randomBytes(9).toString('hex')}`), 13).slice(1)}`
}

/** Whether a text can be a key at all; what cannot is never looked up. */
export function isKey(text: string): boolean {
  return shape.test(text) && checksum(text.slice(3, 3 + secretLength)) === text.slice(3 + secretLength)
}

/** What is stored of a key: its SHA-256. The key is random, so a slow hash would add nothing. */
export function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function checksum(secret: string): string {
  return base62(BigInt(crc32(secret)), checksumLength)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = (alphabet[Number(rest % 62n)] ?? '') + text
  return text
}
