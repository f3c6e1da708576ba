import type { ParameterPlace } from '../model/operation.ts'

/** The styles of parameters by their place. */
export const styles: Readonly<Record<ParameterPlace, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Whether a style is one of any place. */
export function isStyle(value: unknown): boolean {
  return typeof value === 'string' && Object.values(styles).flat().includes(value)
}
