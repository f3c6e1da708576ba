import * as contracts from './contracts.js'
import * as dev from './dev.js'
import * as levels from './levels.js'
import * as memory from './memory.js'
import * as mixed from './mixed.js'
import * as operations from './operations.js'
import * as postgres from './postgres.js'
import * as redis from './redis.js'
import * as sideBySide from './side-by-side.js'
import * as sizes from './sizes.js'
import * as tracing from './tracing.js'
import * as verbs from './verbs.js'
import * as workshop from './workshop.js'

/** Each gives `measure(context)`, undefined where what it needs is not there, and `report(measured, context)`. */
export const sections = {
  'side-by-side': sideBySide,
  mixed,
  sizes,
  operations,
  verbs,
  redis,
  postgres,
  levels,
  tracing,
  memory,
  dev,
  contracts,
  workshop,
}
