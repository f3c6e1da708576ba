import { fileURLToPath } from 'node:url'

const script = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * Who takes part. Peers are what other people would build the same service from; the limit is the same job by hand; the
 * floor does no job, and so takes no part in what needs one.
 */
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
  {
    name: 'floor',
    title: 'empty answer on node:http',
    role: 'floor',
    script: script('bench/contestants/floor.js'),
    packages: [],
  },
]

/** Those that a list such as `ours,fastify` names; all without a list. */
export function chosen(list) {
  return list === undefined ? contestants : list.split(',').map(contestant)
}

export function contestant(name) {
  const found = contestants.find((one) => one.name === name)
  if (!found) throw new Error(`There is no ${name}; there are ${contestants.map((one) => one.name).join(', ')}.`)
  return found
}

/** Whether it does the whole job, and not only answers. */
export function doesTheJob({ role }) {
  return role !== 'floor'
}

export const ours = contestant('ours')
export const byHand = contestant('node-http')
