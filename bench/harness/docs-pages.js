import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'bench/node_modules/.docs-pages')

/** Other programs that show a contract: the package, its files and the page of a reader, as their documents say. */
const programs = {
  scalar: {
    package: '@scalar/api-reference@1.46.0',
    files: ['dist/browser/standalone.js'],
    body: `<div id="app"></div><script src="standalone.js"></script>
<script>Scalar.createApiReference('#app', { url: 'openapi.json' })</script>`,
  },
  redoc: {
    package: 'redoc@2.5.0',
    files: ['bundles/redoc.standalone.js'],
    body: '<redoc spec-url="openapi.json"></redoc><script src="redoc.standalone.js"></script>',
  },
  swagger: {
    package: 'swagger-ui-dist@5.35.0',
    files: ['swagger-ui.css', 'swagger-ui-bundle.js'],
    body: `<link rel="stylesheet" href="swagger-ui.css"><div id="swagger-ui"></div><script src="swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true })</script>`,
  },
}

/** Serves a contract by a mock of the service and by the other programs. Gives the addresses of the pages by name. */
export async function startPages(contract) {
  const mock = await startMock(contract)
  try {
    const document = await (await fetch(`${mock.origin}/openapi.json`)).text()
    const files = new Map(Object.entries(programs).flatMap(([name, program]) => filesOf(name, program, document)))
    const server = createServer(({ url }, response) => {
      const file = files.get(url)
      response.writeHead(file ? 200 : 404, file?.headers)
      response.end(file?.body)
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${server.address().port}`
    return {
      document: JSON.parse(document),
      addresses: {
        'animal-store': `${mock.origin}/docs`,
        ...Object.fromEntries(Object.keys(programs).map((name) => [name, `${origin}/${name}/`])),
      },
      stop: () => {
        server.close()
        server.closeAllConnections()
        mock.child.kill()
      },
    }
  } catch (error) {
    mock.child.kill()
    throw error
  }
}

function startMock(contract) {
  const args = [join(root, 'dist/scripts/animal-store.js'), 'contract', 'mock', contract]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (part) => {
      printed += part
      const [, origin] = / is mocked at (http:\/\/[^/\s]+?)(?:\/\S*)?:\n/.exec(printed) ?? []
      if (origin !== undefined) resolve({ child, origin })
    })
    child.on('exit', (code) => reject(new Error(`The mock of ${contract} ended with ${code}.`)))
  })
}

/** The files of a program's page, by their paths. */
function filesOf(name, program, document) {
  const folder = unpacked(program.package)
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${name}</title></head><body>${program.body}</body></html>`
  return [
    [`/${name}/`, served(page, '.html')],
    [`/${name}/openapi.json`, served(document, '.json')],
    ...program.files.map((file) => [
      `/${name}/${file.split('/').at(-1)}`,
      served(readFileSync(join(folder, file)), extname(file)),
    ]),
  ]
}

function served(content, extension) {
  const types = { '.html': 'text/html', '.json': 'application/json', '.js': 'text/javascript', '.css': 'text/css' }
  const body = gzipSync(content)
  return {
    body,
    headers: { 'content-type': types[extension], 'content-encoding': 'gzip', 'content-length': body.length },
  }
}

/** The folder of a package, without what it depends on and without its scripts: npm only downloads it. */
function unpacked(name) {
  const folder = join(cache, name.replaceAll('/', '+'))
  if (existsSync(folder)) return join(folder, 'package')
  mkdirSync(folder, { recursive: true })
  const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, name], {
    encoding: 'utf8',
  }).trim()
  execFileSync('tar', ['xzf', join(folder, file), '-C', folder])
  return join(folder, 'package')
}
