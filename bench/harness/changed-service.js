import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { readContract } from '../contestants/store.js'
import { ours } from './contestants.js'
import { builtModule } from './database.js'
import { temporaryFolder } from './processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * A copy of the built service with another contract: `change` edits it, and gives the handler of each operation that it
 * adds. `handlers` are the texts of new ones, by their names.
 */
export async function changedService(change, handlers = {}) {
  const folder = temporaryFolder()
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(handlers)) writeFileSync(join(folder, `dist/src/handlers/${name}.js`), text)

  const contract = readContract()
  const own = Object.values(contract.paths).flatMap((item) =>
    ['get', 'post'].flatMap((method) => item[method]?.operationId ?? []),
  )
  const names = new Map([...own.map((name) => [name, name]), ...change(contract)])
  const file = join(folder, 'dist/openapi.yaml')
  // JSON is YAML
  writeFileSync(file, JSON.stringify(contract))
  const { readContract: readByService } = await builtModule('src/contract/model/files/document.js')
  const { writeParsed } = await builtModule('src/contract/model/files/parsed-cache.js')
  const values = readByService(file)
  writeParsed(file, values)
  writeFileSync(join(folder, 'dist/generated/handlers.js'), handlerTable(names, values.digest))
  bundle(join(folder, 'dist'))
  return { ...ours, script: join(folder, 'dist/src/main.js') }
}

/** Joins the modules anew, as the build does: its bundle has the handlers of the service's own contract. */
function bundle(folder) {
  const { outputText } = ts.transpileModule(readFileSync(join(root, 'src/main.ts'), 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      rewriteRelativeImportExtensions: true,
    },
  })
  writeFileSync(join(folder, 'src/main.js'), outputText)
  execFileSync(process.execPath, [join(root, 'scripts/build/bundle.js'), folder], { cwd: root, stdio: 'inherit' })
}

function handlerTable(names, digest) {
  const handlers = [...new Set(names.values())]
  return [
    ...handlers.map((handler) => `import { ${handler} } from '../src/handlers/${handler}.js'`),
    `export const contractDigest = '${digest}'`,
    `export const handlers = {`,
    ...Array.from(names, ([name, handler]) => `  ${name}: ${handler},`),
    `}\n`,
  ].join('\n')
}
