import { describe, expect, test } from '@jest/globals'
import { facts, reasons } from './oasdiff-facts.ts'
import { gradedPairs, oasdiffData } from './oasdiff.ts'

const data = oasdiffData()

describe("oasdiff's pairs", () => {
  test('differ for reasons that are documented', () => {
    const named = [...facts.matchAll(/:([a-z-]+)/g)].map(([, reason]) => reason)
    expect([...new Set(named)].sort()).toEqual(Object.keys(reasons).sort())
  })

  const testWithData = data === undefined ? test.skip : test
  testWithData('have the grades that the facts say, in a sample, if go can fetch them', () => {
    const wrong = gradedPairs(data ?? '', 4).filter(({ isExpected }) => !isExpected)
    expect(wrong).toEqual([])
  })
})
