const minuteMs = 60_000
const dayMs = 86_400_000
const maxCallers = 100_000

/** What each caller used of the current minute and day of UTC. */
const callers = new Map()

/** Charges a request to both windows of a caller or, when one is full, to none. `now` is Unix time in ms. */
export function admit(caller, { perMinute, perDay }, now) {
  const minute = Math.floor(now / minuteMs)
  const day = Math.floor(now / dayMs)
  const used = usedBy(caller, minute, day)
  const refusedBy = used.ofDay >= perDay ? 'day' : used.ofMinute >= perMinute ? 'minute' : undefined
  if (refusedBy === undefined) {
    used.ofMinute++
    used.ofDay++
  }
  const minuteLeft = perMinute - used.ofMinute
  const dayLeft = perDay - used.ofDay
  const showsMinute = refusedBy === undefined ? minuteLeft < dayLeft : refusedBy === 'minute'
  const resetS = showsMinute ? ((minute + 1) * minuteMs) / 1000 : ((day + 1) * dayMs) / 1000
  return {
    refusedBy,
    perMinute,
    perDay,
    minuteLeft,
    dayLeft,
    limit: showsMinute ? perMinute : perDay,
    remaining: showsMinute ? minuteLeft : dayLeft,
    resetS,
    waitS: Math.max(1, Math.ceil(resetS - now / 1000)),
  }
}

/** Adds the contract's three headers and the two of the IETF draft to `headers`, names and values in turn. */
export function windowHeaders({ limit, remaining, resetS, perMinute, perDay, minuteLeft, dayLeft }, now, headers) {
  const minuteS = 60 - Math.floor((now % minuteMs) / 1000)
  const dayS = 86_400 - Math.floor((now % dayMs) / 1000)
  headers.push(
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(resetS),
    'RateLimit-Policy',
    `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
    'RateLimit',
    `"minute";r=${minuteLeft};t=${minuteS}, "day";r=${dayLeft};t=${dayS}`,
  )
}

function usedBy(caller, minute, day) {
  let used = callers.get(caller)
  if (used === undefined) {
    if (callers.size >= maxCallers) callers.clear()
    used = { minute, day, ofMinute: 0, ofDay: 0 }
    callers.set(caller, used)
  }
  if (used.minute !== minute) {
    used.minute = minute
    used.ofMinute = 0
  }
  if (used.day !== day) {
    used.day = day
    used.ofDay = 0
  }
  return used
}
