import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from './process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the project that tests may change, with the same installed packages. */
export interface ProjectCopy {
  folder: string
  read: (file: string) => string
  write: (file: string, text: string) => void
  /** Replaces a text in a file. Throws when the file does not contain it exactly once. */
  edit: (file: string, from: string, to: string) => void
  /** Runs one of Node's programs in the copy. */
  run: (...args: string[]) => Promise<{ code: number; output: string }>
  generate: (...args: string[]) => Promise<{ code: number; output: string }>
  compile: () => Promise<{ code: number; output: string }>
  remove: () => void
}

export function copyProject(): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-project-'))
  for (const name of ['src', 'scripts', 'generated', 'openapi.yaml', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const write = (file: string, text: string): void => {
    writeFileSync(join(folder, file), text)
  }
  const run: ProjectCopy['run'] = async (...args) => {
    const { code, stdout, stderr } = await runCommand(process.execPath, args, { cwd: folder, env: process.env })
    return { code: Number(code), output: stdout + stderr }
  }
  return {
    folder,
    read,
    write,
    run,
    edit: (file, from, to) => {
      const parts = read(file).split(from)
      if (parts.length !== 2) throw new Error(`${JSON.stringify(from)} stands ${parts.length - 1} times in ${file}`)
      write(file, parts.join(to))
    },
    generate: (...args) => run('--import', 'tsx', 'scripts/generate.ts', ...args),
    // incremental, so that only the first of several compilations takes long
    compile: () =>
      run('node_modules/typescript/bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', '.tsbuildinfo'),
    remove: () => {
      rmSync(folder, { recursive: true })
    },
  }
}
