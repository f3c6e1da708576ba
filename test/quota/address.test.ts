import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { addressReader, type TrustProxy } from '../../src/quota/address.ts'

/** The address a request is counted by, when it comes from `peer` with this `X-Forwarded-For`. */
function addressOf(trust: TrustProxy, peer: string, forwarded?: string): string {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return addressReader(trust)(request)
}

describe('the address of a caller', () => {
  test.each<[string, TrustProxy, string, string | undefined, string]>([
    ['is the peer when no proxy is trusted', 0, '10.0.0.9', '1.1.1.1', '10.0.0.9'],
    ['is what the one trusted proxy names', 1, '10.0.0.9', '1.1.1.1', '1.1.1.1'],
    ['is the last one named, whatever a client wrote before it', 1, '10.0.0.9', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['is the second last with two proxies', 2, '10.0.0.9', '6.6.6.6, 1.1.1.1, 10.0.0.8', '1.1.1.1'],
    ['is the peer outside the trusted networks', ['10.0.0.0/8'], '192.0.2.1', '1.1.1.1', '192.0.2.1'],
    [
      'is the first one outside the trusted networks',
      ['10.0.0.0/8'],
      '10.0.0.9',
      '6.6.6.6, 1.1.1.1, 10.1.1.1',
      '1.1.1.1',
    ],
    ['is the peer when what is named is no address', 1, '10.0.0.9', 'garbage', '10.0.0.9'],
    ['is what a proxy names with a port', 1, '10.0.0.9', '1.1.1.1:5678', '1.1.1.1'],
    ['is what a proxy names in brackets with a port', 1, '10.0.0.9', '[2001:db8:1:2::1]:5678', '2001:db8:1:2::/64'],
    ['is trusted by network also with a port', ['10.0.0.0/8'], '10.0.0.9', '1.1.1.1:1, 10.1.1.1:2', '1.1.1.1'],
    ['is IPv4 also in its IPv6 form', 0, '::ffff:1.2.3.4', undefined, '1.2.3.4'],
    ['is IPv4 also in its hexadecimal IPv6 form', 0, '::ffff:102:304', undefined, '1.2.3.4'],
    ['is trusted by network in its IPv6 form too', ['10.0.0.0/8'], '::ffff:10.0.0.9', '1.1.1.1', '1.1.1.1'],
  ])('%s', (_, trust, peer, forwarded, expected) => {
    expect(addressOf(trust, peer, forwarded)).toBe(expected)
  })

  test('is one for a whole IPv6 network of 64 bits, and another for the next', () => {
    const one = addressOf(0, '2001:db8:1:2::1')
    expect(addressOf(0, '2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(one)
    expect(addressOf(0, '2001:db8:1:3::1')).not.toBe(one)
  })
})
