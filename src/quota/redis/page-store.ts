import type { IncrementResponse } from 'express-rate-limit'
import { RedisStore, type RedisReply } from 'rate-limit-redis'
import { EmbeddedStore } from '../embedded-store.ts'
import { digestOf, type RedisClient } from './client.ts'

/** Counts requests for pages in Redis, for all processes. While Redis cannot count them, this process does it alone. */
export class PageStore extends RedisStore {
  readonly #local = new EmbeddedStore()
  readonly #isDown: () => boolean

  /** `isDown` tells whether Redis is known not to answer, so that no page waits for it. */
  constructor({ send }: Pick<RedisClient, 'send'>, prefix: string, isDown: () => boolean) {
    super({
      prefix,
      sendCommand: async (...command: string[]) => {
        const [name = '', ...args] = command
        const reply = send(name, ...args) as Promise<RedisReply>
        // the store never loads a script again that could not be loaded; with its digest, the first use finds out
        return name === 'SCRIPT' ? reply.catch(() => digestOf(args[1] ?? '')) : reply
      },
    })
    this.#isDown = isDown
  }

  override async increment(key: string): Promise<IncrementResponse> {
    if (this.#isDown()) return this.#local.increment(key)
    try {
      return await super.increment(key)
    } catch {
      return this.#local.increment(key)
    }
  }
}
