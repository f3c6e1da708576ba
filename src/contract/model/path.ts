/** The names of a path template's parameters, in its order. */
export function templateNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name)
}

/** Whether braces of a path are not in pairs around a name. */
export function hasOddBraces(path: string): boolean {
  return /[{}]/.test(path.replace(/\{[^{}]+\}/g, ''))
}
