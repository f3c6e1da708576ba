import { fileURLToPath } from 'node:url'

const script = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Who takes part. Peers are what other people would build the same service from; the last one is the limit. */
export const contestants = [
  {
    name: 'ours',
    title: 'this service',
    role: 'ours',
    script: script('dist/src/main.js'),
    packages: [],
  },
  {
    name: 'fastify',
    title: 'Fastify + fastify-openapi-glue',
    role: 'peer',
    script: script('bench/contestants/fastify.js'),
    packages: ['fastify', 'fastify-openapi-glue', '@fastify/rate-limit'],
  },
  {
    name: 'hono',
    title: 'Hono + zod-openapi',
    role: 'peer',
    script: script('bench/contestants/hono.js'),
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'zod', 'hono-rate-limiter'],
  },
  {
    name: 'express-openapi-validator',
    title: 'Express + express-openapi-validator',
    role: 'peer',
    script: script('bench/contestants/express-openapi-validator.js'),
    packages: ['express', 'express-openapi-validator', 'express-rate-limit'],
  },
  {
    name: 'express-openapi-backend',
    title: 'Express + openapi-backend',
    role: 'peer',
    script: script('bench/contestants/express-openapi-backend.js'),
    packages: ['express', 'openapi-backend', 'express-rate-limit'],
  },
  {
    name: 'node-http',
    title: 'node:http by hand',
    role: 'limit',
    script: script('bench/contestants/node-http.js'),
    packages: ['better-sqlite3'],
  },
]

/** Those that a list such as `ours,fastify` names; all without a list. */
export function chosen(list) {
  if (list === undefined) return contestants
  return list.split(',').map((name) => {
    const found = contestants.find((one) => one.name === name)
    if (!found) throw new Error(`There is no ${name}; there are ${contestants.map((one) => one.name).join(', ')}.`)
    return found
  })
}

export const ours = contestants[0]
export const byHand = contestants.at(-1)
