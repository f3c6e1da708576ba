import { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { ipKeyGenerator } from 'express-rate-limit'
import proxyAddr from 'proxy-addr'
import QuickLRU from 'quick-lru'

/** Which proxies are believed: a number of hops, or their networks. */
export type TrustProxy = number | readonly string[]

/** A request, or the connection of one that could not be read. */
export type Sender = IncomingMessage | Duplex

/** A client of IPv6 has at least this network to itself, so it is counted as one (RFC 6177). */
const ipv6Prefix = 64
const maxRemembered = 10_000

/**
 * Gives the network address that a request is counted by when it carries no valid key. `X-Forwarded-For` counts only
 * as far as the proxies are trusted.
 */
export function addressReader(trust: TrustProxy): (sender: Sender) => string {
  const trusted =
    typeof trust === 'number' ? (_: string, hop: number): boolean => hop < trust : proxyAddr.compile([...trust])
  const alone = trust === 0 || (Array.isArray(trust) && trust.length === 0)
  // reading an IPv6 address takes ten times as long as all other counting
  const remembered = new QuickLRU<string, string>({ maxSize: maxRemembered })

  return (sender) => {
    const peer = peerOf(sender instanceof IncomingMessage ? sender.socket : sender)
    const claimed = alone || !(sender instanceof IncomingMessage) ? peer : proxyAddr(sender, trusted)
    const address = isIP(claimed) ? claimed : peer
    const version = isIP(address)
    if (version !== 6) return version === 4 ? address : 'unknown'
    const known = remembered.get(address)
    if (known !== undefined) return known
    const network = ipKeyGenerator(address, ipv6Prefix)
    remembered.set(address, network)
    return network
  }
}

function peerOf(socket: Duplex): string {
  return 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : ''
}
