import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { kept } from '../support/client.ts'
import { startService } from '../support/service.ts'
import { talk } from '../support/talk.ts'
import { eventually } from '../support/wait.ts'

describe('a service that closes behind a load balancer', () => {
  test('answers over idle connections after listening has ended, and closes them then', async () => {
    const service = await startService()
    const idle = kept(service.port, service.key)
    const fresh = talk(service.port)
    expect(await idle.ask()).not.toMatch(/connection: close/i)
    const closed = service.close(1)
    await eventually(() => !service.server.listening)
    await sleep(500)
    expect(await idle.ask()).toMatch(/^HTTP\/1\.1 404 [^]*\r\nConnection: close\r\n/)
    // it was accepted, and has not sent anything yet
    fresh.socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n\r\n`)
    await fresh.until(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/)
    await Promise.all([idle.closed, fresh.closed, closed])
  })

  test('ends in seconds although connections stay idle, or never send anything', async () => {
    const service = await startService({ SHUTDOWN_GRACE_MS: '600000' })
    const idle = kept(service.port, service.key)
    await idle.ask()
    const mute = talk(service.port)
    await eventually(() => mute.socket.readyState === 'open')
    await Promise.all([service.close(1), idle.closed, mute.closed])
    expect(mute.text()).toBe('')
  })
})

test('a service that closes without a delay closes idle connections at once', async () => {
  const service = await startService({ SHUTDOWN_GRACE_MS: '600000' })
  const idle = kept(service.port, service.key)
  await idle.ask()
  const mute = talk(service.port)
  await eventually(() => mute.socket.readyState === 'open')
  await Promise.all([service.close(), idle.closed, mute.closed])
})
