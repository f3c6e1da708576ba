import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parseContract, readContract } from '../../../../src/contract/model/files/document.ts'
import { filesBeside, maxFileBytes } from '../../../../src/contract/model/files/files.ts'
import { testFolder } from '../../../support/process.ts'

const folder = testFolder()
const inner = join(folder, 'api')
mkdirSync(join(inner, 'parts'), { recursive: true })
const own = join(inner, 'openapi.yaml')
writeFileSync(join(folder, 'secret.yaml'), 'Token: { type: string, example: s3cret }\n')
writeFileSync(join(inner, 'parts', 'name.yaml'), 'Name: { type: string }\n')
execFileSync('mkfifo', [join(inner, 'pipe.yaml')])
symlinkSync('/dev/zero', join(inner, 'zero.yaml'))
symlinkSync(join(inner, 'pipe.yaml'), join(inner, 'linked.yaml'))
symlinkSync('../secret.yaml', join(inner, 'link.yaml'))
symlinkSync('parts/name.yaml', join(inner, 'inside.yaml'))
writeFileSync(join(inner, 'large.yaml'), '')
truncateSync(join(inner, 'large.yaml'), maxFileBytes + 1)

function contract($ref: string): string {
  return `openapi: 3.0.3
info: { title: Things, version: '1' }
paths: {}
components: { schemas: { A: { $ref: '${$ref}' } } }
`
}

describe('a contract reads', () => {
  const outside = 'a file outside the folder of the contract, which would be published with it.'
  test.each([
    ['../secret.yaml#/Token', outside],
    ['%2e%2e/secret.yaml#/Token', outside],
    ['parts/../../secret.yaml#/Token', outside],
    [`${folder}/secret.yaml#/Token`, outside],
    ['../nothing.yaml#/Token', outside],
    ['link.yaml#/Token', outside],
    ['/dev/zero', outside],
    ['zero.yaml', outside],
    ['pipe.yaml', 'something that is no regular file.'],
    ['linked.yaml', 'something that is no regular file.'],
    ['large.yaml', 'a file of more than 64 MB.'],
    ['parts', 'a file that is not there.'],
    ['nothing.yaml', 'a file that is not there.'],
  ])('no %s', ($ref, what) => {
    const { lost } = parseContract(contract($ref), own, filesBeside(own))
    expect(lost.map(({ message }) => message)).toEqual([`The $ref ${JSON.stringify($ref)} leads to ${what}`])
  })

  test.each(['parts/name.yaml#/Name', 'inside.yaml#/Name', './parts/../parts/name.yaml#/Name'])('%s', ($ref) => {
    expect(parseContract(contract($ref), own, filesBeside(own)).lost).toEqual([])
  })

  test('files outside its folder if that is asked for, but no device', () => {
    const files = filesBeside(own, { outsideFiles: true })
    expect(parseContract(contract('../secret.yaml#/Token'), own, files).lost).toEqual([])
    expect(files.text('/dev/zero')).toEqual({ why: 'special' })
  })
})

test('the file that a contract begins with is no device and no folder', () => {
  expect(() => readContract('/dev/zero')).toThrow('/dev/zero is a device, not a contract.')
  expect(() => readContract(inner)).toThrow('is a folder. Name a file in it.')
  expect(() => readContract(join(inner, 'large.yaml'))).toThrow('is larger than 64 MB, which no contract may be.')
})
