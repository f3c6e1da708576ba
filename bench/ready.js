/*
 * node bench/ready.js
 *
 * Installs the bench's own packages, unless what is installed is what the lock file says.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))

if (!isInstalled()) {
  console.log('Installing the packages of the bench; the SQLite binding is compiled, which takes a minute or two.')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

function isInstalled() {
  const installed = `${folder}node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const present = versions(installed)
  // packages for other systems are in the lock file and not installed
  return Object.entries(versions(`${folder}package-lock.json`)).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

function versions(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}
