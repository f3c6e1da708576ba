import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import type { TypeFault, TypeRequest } from './protocol.ts'

/** The folders that are checked. `npm run check` also checks the tests. */
const folders = ['src', 'generated']

/** Messages are cut at this length, since types can be very long. */
const maxLength = 200

/**
 * Gives a function that checks the types of the project. Each call checks only the files that have changed since the
 * last one, and the files that depend on them. `files` are texts by name, in place of the files on disk.
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
  const what = essenceOf(messageText)
  const told = what.length > maxLength ? `${what.slice(0, maxLength)}…` : what
  return { place: { file: name, line: line + 1, column: character + 1 }, message: `${told} (TS${code})` }
}

/** Messages that name the property whose types differ: "The types of '{0}' …", and "Types of property '{0}' …". */
const ofProperties = new Set([2200, 2326])

/** The difference between two types, after the property that has it. What stands above repeats the whole types. */
function essenceOf(message: string | ts.DiagnosticMessageChain): string {
  if (typeof message === 'string') return message
  let property: string | undefined
  let last = message
  for (let next: ts.DiagnosticMessageChain | undefined = message; next; next = next.next?.at(-1)) {
    if (ofProperties.has(next.code)) property = next.messageText
    last = next
  }
  return property === undefined ? last.messageText : `${property} ${last.messageText}`
}
