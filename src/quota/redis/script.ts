import type { Charge, Counts } from '../counters.ts'
import { dayMs, minuteMs } from '../outcome.ts'

/** The changes of one command: first the adjustments, then the charges. */
export interface Command {
  /** Greater than that of every earlier command of this process. */
  number: number
  adjustments: readonly Adjustment[]
  charges: readonly { charge: Charge; requests: number }[]
}

/** A change of one counter, whatever its limit. */
export interface Adjustment {
  key: string
  windowMs: number
  change: number
}

/** What a command charged for one of its charges, with the counts after it. */
export interface Reply extends Counts {
  /** How many of the requests were admitted. */
  admitted: number
}

/**
 * Charges requests to both windows, as many as both have room for. The record of the process (the first key) holds the
 * number and the reply of its last command: a command that is sent again because its reply was lost changes nothing and
 * gets the same reply. A counter without an expiry starts again at 0. All reads come before the first write.
 */
export const script = `
local number = tonumber(ARGV[2])
local record = redis.call('GET', KEYS[1])
if record then
  local last, reply = string.match(record, '^(%d+) (.*)$')
  if tonumber(last) >= number then return reply end
end

local counts, changes, windows = {}, {}, {}
local function count(key, windowMs)
  if not counts[key] then
    local known = redis.call('PTTL', key) > 0 and tonumber(redis.call('GET', key))
    counts[key], changes[key] = known or 0, 0
    if not known then windows[key] = windowMs end
  end
  return counts[key]
end
local function add(key, change)
  counts[key], changes[key] = counts[key] + change, changes[key] + change
end

local adjustments = tonumber(ARGV[3])
for index = 1, adjustments do
  local key, change = KEYS[1 + index], tonumber(ARGV[3 + index])
  add(key, math.max(change, -count(key, ARGV[3 + adjustments + index])))
end

local reply = {}
local at = 3 + 2 * adjustments
for index = 2 + adjustments, #KEYS, 2 do
  local minute, day = KEYS[index], KEYS[index + 1]
  local room = math.min(ARGV[at + 2] - count(minute, ${minuteMs}), ARGV[at + 3] - count(day, ${dayMs}))
  local admitted = math.max(0, math.min(ARGV[at + 1], room))
  add(minute, admitted)
  add(day, admitted)
  table.insert(reply, admitted .. ' ' .. counts[minute] .. ' ' .. counts[day])
  at = at + 3
end

reply = table.concat(reply, ' ')
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. reply, 'PX', ARGV[1])
for key, change in pairs(changes) do
  if change ~= 0 then
    if windows[key] then redis.call('SET', key, 0, 'PX', windows[key]) end
    redis.call('INCRBY', key, change)
  end
end
return reply
`.trim()

/** The keys and the arguments of the script, without the record of the process and its expiry, which come first. */
export function scriptArguments({ number, adjustments, charges }: Command): { keys: string[]; args: string[] } {
  const keys = adjustments.map(({ key }) => key)
  const args = [
    String(number),
    String(adjustments.length),
    ...adjustments.map(({ change }) => String(change)),
    ...adjustments.map(({ windowMs }) => String(windowMs)),
  ]
  for (const { charge, requests } of charges) {
    const { minute, day, caller, limits } = charge
    keys.push(`minute:${minute}:${caller}`, `day:${day}:${caller}`)
    args.push(String(requests), String(limits.perMinute), String(limits.perDay))
  }
  return { keys, args }
}

/** Reads the reply of a command: one for each of its charges. */
export function readReply(text: string): Reply[] {
  const numbers = text === '' ? [] : text.split(' ').map(Number)
  const replies: Reply[] = []
  for (let index = 0; index < numbers.length; index += 3) {
    const [admitted = 0, minuteUsed = 0, dayUsed = 0] = numbers.slice(index, index + 3)
    replies.push({ admitted, minuteUsed, dayUsed })
  }
  return replies
}
