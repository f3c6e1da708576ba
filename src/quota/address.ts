import { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { ipKeyGenerator } from 'express-rate-limit'
import proxyAddr from 'proxy-addr'
import QuickLRU from 'quick-lru'

/** The trusted proxies: a number of hops, or their networks. */
export type TrustProxy = number | readonly string[]

/** A request, or the connection of one that could not be parsed. */
export type Sender = IncomingMessage | Duplex

/** An IPv6 client is counted by its /64 network, since it can use every address in it (RFC 6177). */
const ipv6Prefix = 64
const maxNetworks = 10_000

/**
 * Returns the network address that a request without a valid key is counted by. `X-Forwarded-For` is used only as far
 * as the proxies are trusted.
 */
export function addressReader(trust: TrustProxy): (sender: Sender) => string {
  const isTrusted = typeof trust === 'number' ? undefined : proxyAddr.compile([...trust])
  const trusted = (address: string, hop: number): boolean =>
    isTrusted ? isTrusted(withoutPort(address), hop) : hop < Number(trust)
  const direct = trust === 0 || (Array.isArray(trust) && trust.length === 0)
  // parsing an IPv6 address takes more than ten times as long as the counting
  const networks = new QuickLRU<string, string>({ maxSize: maxNetworks })

  return (sender) => {
    const peer = peerOf(sender instanceof IncomingMessage ? sender.socket : sender)
    const claimed = direct || !(sender instanceof IncomingMessage) ? peer : withoutPort(proxyAddr(sender, trusted))
    const address = isIP(claimed) ? claimed : peer
    const version = isIP(address)
    if (version !== 6) return version === 4 ? address : 'unknown'
    const known = networks.get(address)
    if (known !== undefined) return known
    const network = ipKeyGenerator(address, ipv6Prefix)
    networks.set(address, network)
    return network
  }
}

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(address) ?? []
  return v6 ?? v4 ?? address
}

function peerOf(socket: Duplex): string {
  return 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : ''
}
