import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import type { TypeFault, TypeRequest } from './protocol.ts'

/** The folders that an edit can break; tests are for `npm run check`. */
const folders = ['src', 'generated']

/** Types can be written at any length. */
const maxLength = 200

/**
 * Compiles the project's types again and again. Every call keeps what it has read and checked, and the next one looks
 * only at what has changed and what depends on it. `files` are texts by name in place of what lies there.
 */
export function typeChecker(root: string): (files: TypeRequest['files']) => TypeFault[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: object
  }
  const parsed = new Map<string, { state: string; file: ts.SourceFile | undefined }>()
  let program: ts.SemanticDiagnosticsBuilderProgram | undefined

  return (files) => {
    const given = new Map(Object.entries(files).map(([name, text]) => [join(root, name), text]))
    const { fileNames, options } = ts.parseJsonConfigFileContent({ ...config, include: folders }, ts.sys, root)
    const host = ts.createIncrementalCompilerHost(options)
    const [read, parse] = [host.readFile.bind(host), host.getSourceFile.bind(host)]
    host.readFile = (name) => given.get(name) ?? read(name)
    host.getSourceFile = (name, ...how) => {
      const state = given.get(name) ?? stateOf(name)
      const known = parsed.get(name)
      if (known?.state === state) return known.file
      const file = parse(name, ...how)
      parsed.set(name, { state, file })
      return file
    }
    program = ts.createSemanticDiagnosticsBuilderProgram(fileNames, options, host, program)
    const all = [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...program.getSyntacticDiagnostics(),
      ...program.getSemanticDiagnostics(),
    ]
    return all.map((one) => faultOf(one, root))
  }
}

/** Installed packages do not change while this runs. */
function stateOf(name: string): string {
  if (name.includes('/node_modules/')) return 'installed'
  const { mtimeMs, size, ino } = statSync(name, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0, ino: 0 }
  return `${mtimeMs} ${size} ${ino}`
}

function faultOf({ file, start = 0, messageText, code }: ts.Diagnostic, root: string): TypeFault {
  const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 }
  const name = file ? relative(root, file.fileName) : 'tsconfig.json'
  // the last line of an explanation is where the types part; the lines above are about the whole of them
  const what = ts.flattenDiagnosticMessageText(messageText, '\n').split('\n').at(-1)?.trim() ?? ''
  const told = what.length > maxLength ? `${what.slice(0, maxLength)}…` : what
  return { place: { file: name, line: line + 1, column: character + 1 }, message: `${told} (TS${code})` }
}
