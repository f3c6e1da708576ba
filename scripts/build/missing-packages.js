import { existsSync } from 'node:fs'

/** A sentence about what to do when a package for development is not installed; undefined when it is. */
export function missingPackages(name) {
  if (isInstalled(`${name}/package.json`)) return undefined
  if (!isInstalled('commander')) return 'The packages of the project are not installed. Run `npm ci` first.'
  const built = existsSync(new URL('../../dist/scripts/animal-store.js', import.meta.url))
  const instead = built ? ', or use what is built: `node dist/scripts/animal-store.js --help`' : ''
  return (
    `The package ${name} is not installed, as after \`npm ci\` with NODE_ENV=production or --omit=dev. ` +
    `Run \`npm ci --include=dev\`${instead}.`
  )
}

function isInstalled(name) {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
