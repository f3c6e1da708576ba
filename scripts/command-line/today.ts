import { InvalidArgumentError, Option } from 'commander'
import { isDay } from '../../src/contract/model/life-cycle.ts'

/** The option for the day that these dates are compared with: today, or another one. */
export function todayOption(dates: string): Option {
  return new Option('--today <date>', `the day that ${dates} are compared with`)
    .argParser(day)
    .default(new Date().toISOString().slice(0, 10))
}

function day(text: string): string {
  if (isDay(text)) return text
  throw new InvalidArgumentError('It must be a day such as 2026-11-28.')
}
