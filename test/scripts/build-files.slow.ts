import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { copyProject, type ProjectCopy } from '../support/project.ts'

// a build takes some seconds of a core that nobody else uses
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const building = { code: 0, output: 'Building dist/ …\n' }

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  for (const name of ['tsconfig.build.json', 'package-lock.json']) cpSync(join(root, name), join(project.folder, name))
  const status = 'type: string\ndescription: The availability.\nenum: [available, pending, sold]\n'
  mkdirSync(join(project.folder, 'schemas'))
  project.write('schemas/status.yaml', status)
  project.edit(
    'openapi.yaml',
    "    PetStatus:\n      type: string\n      description: The animal's availability.\n      enum: [available, pending, sold]\n",
    '    PetStatus: { $ref: schemas/status.yaml }\n',
  )
})
afterAll(() => {
  project.remove()
})

test('the build makes one contract of several files, and notices a change in each', async () => {
  expect(await project.generate('--check')).toMatchObject({ code: 1 })
  expect(await project.generate()).toMatchObject({ code: 0 })
  expect(await project.run('scripts/build.js')).toEqual(building)
  const built = readFileSync(join(project.folder, 'dist/openapi.yaml'), 'utf8')
  expect(built).toMatch(/^ {4}PetStatus:\n {6}type: string\n {6}description: The availability\.\n/m)
  expect(built).not.toContain('status.yaml')
  expect(built).toContain('9007199254740993')
  expect(existsSync(join(project.folder, 'dist/schemas'))).toBe(false)
  expect(await project.run('scripts/build.js', '--if-changed')).toEqual({ code: 0, output: '' })
  project.edit('schemas/status.yaml', 'The availability.', 'Whether it can be bought.')
  expect(await project.generate('--check')).toMatchObject({ code: 1 })
  expect(await project.run('scripts/build.js', '--if-changed')).toEqual(building)
  expect(readFileSync(join(project.folder, 'dist/openapi.yaml'), 'utf8')).toContain('Whether it can be bought.')
})
