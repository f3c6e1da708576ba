import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { fetchPage } from '../support/page.ts'
import { startService } from '../support/service.ts'

const allowed =
  'CORS_ORIGINS must be "*" or origins as browsers send them, such as https://app.example.com or ' +
  'capacitor://localhost, separated by commas, not '

function fault(value: string): string {
  try {
    readConfig({ CORS_ORIGINS: value })
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`${value} was accepted.`)
}

const taken = [
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
  'app://obsidian.md',
  'app://-',
  'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
  'moz-extension://53dc6a5f-6a4a-4a6e-9d3a-1b2c3d4e5f60',
  'safari-web-extension://E5C6A3F0-0000-4000-8000-00AA00BB00CC',
  'vscode-webview://1abc',
  'file://',
  'http://localhost:5173',
  'http://[::1]:3000',
  'https://xn--bcher-kva.example',
  'my-app+x.y://host:8080',
]

describe('CORS_ORIGINS', () => {
  test('takes origins of every scheme, and their pages alone may read', async () => {
    const service = await startService({ CORS_ORIGINS: taken.join(',') })
    for (const origin of taken) {
      const { headers } = await fetchPage(service, '/livez', { headers: { Origin: origin } })
      expect(headers['access-control-allow-origin']).toBe(origin)
      const other = await fetchPage(service, '/livez', { headers: { Origin: `${origin}x` } })
      expect(other.headers['access-control-allow-origin']).toBeUndefined()
    }
    await service.stop()
  })

  test.each([
    ['app.example.com', '"app.example.com" is not a scheme and a host, such as https://app.example.com'],
    ['localhost:3000', '"localhost:3000" is not a scheme and a host, such as https://app.example.com'],
    ['null', '"null" is sent by every sandboxed page, and so would allow all pages as * does'],
    ['https://a.example/', '"https://a.example/" has a path, "/", which no origin has; it must be https://a.example'],
    ['capacitor://localhost/', 'has a path, "/", which no origin has; it must be capacitor://localhost'],
    ['https://a.example/x?y', 'has a path, "/x?y", which no origin has; it must be https://a.example'],
    ['https://a.example?y', '"https://a.example?y" has a query, which no origin has; it must be https://a.example'],
    ['https://a.example#y', 'has a fragment, which no origin has; it must be https://a.example'],
    ['https://me:secret@a.example', '"…@a.example" has credentials before its host, which no origin has'],
    ['https://A.example', '"https://A.example" is not written as browsers send it; it must be https://a.example'],
    ['HTTPS://a.example', 'is not written as browsers send it; it must be https://a.example'],
    ['Capacitor://localhost', 'is not written as browsers send it; it must be capacitor://localhost'],
    ['https://a.example:443', 'is not written as browsers send it; it must be https://a.example'],
    ['http://a.example:80', 'is not written as browsers send it; it must be http://a.example'],
    ['http://a.example:', 'is not written as browsers send it; it must be http://a.example'],
    ['http://a.example:080', 'is not written as browsers send it; it must be http://a.example'],
    ['https://bücher.example', 'is not written as browsers send it; it must be https://xn--bcher-kva.example'],
    ['http://[0:0::1]:3000', 'is not written as browsers send it; it must be http://[::1]:3000'],
    ['https://*.a.example', 'has a * in its host; name each origin, or allow all by * alone'],
    ['https://a.example:99999', 'has a wrong host or port, "a.example:99999"'],
    ['ionic://localhost:x', 'has a wrong host or port, "localhost:x"'],
    ['capacitor://', '"capacitor://" has no host after its scheme'],
    ['https://a.example,,http://b', 'an entry between the commas is empty'],
    ['https://a.example http://b', 'has a space, and origins are separated by commas'],
  ])('refuses %s, and names the part that is wrong', (value, why) => {
    const message = fault(value)
    expect(message.startsWith(allowed)).toBe(true)
    expect(message.endsWith(`${why}.`)).toBe(true)
    expect(message).not.toContain('secret')
  })

  test('names the one of several that is wrong', () => {
    expect(fault('https://a.example, https://b.example/, *')).toMatch(/"; "https:\/\/b\.example\/" has a path, /)
  })
})
