import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { lintContract } from '../../scripts/workshop/lint/lint.ts'
import { testFolder } from '../support/process.ts'
import { allowed, forbidden, forbiddenSince32 } from './openapi-facts.ts'

const folder = testFolder()

/** The errors that lint finds in a contract. */
async function errorsOf(version: string, keys: string): Promise<string[]> {
  const file = join(folder, 'openapi.yaml')
  writeFileSync(file, `openapi: ${version}.0\ninfo: { title: A, version: '1' }\n${keys}\n`)
  const findings = await lintContract(file, { today: '2026-11-30' })
  return findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)
}

describe.each(['3.1', '3.2'])('lint of OpenAPI %s', (version) => {
  test.each(version === '3.1' ? forbidden : [...forbidden, ...forbiddenSince32])('finds %s', async (_, keys) => {
    const errors = await errorsOf(version, keys)
    expect(errors).not.toEqual([])
  })

  test.each(allowed)('has no error for %s', async (_, keys) => {
    const errors = await errorsOf(version, keys)
    expect(errors).toEqual([])
  })
})
