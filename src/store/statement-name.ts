/** What operators call a statement: what it does, and with which table; an empty table where it has none. */
export interface StatementName {
  operation: string
  table: string
}

/** The name of a statement. One that adds rows in several steps is an INSERT into the table of its last one. */
export function statementName(text: string): StatementName {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? ''
  const added = Array.from(text.matchAll(/\bINSERT INTO (\w+)/g)).at(-1)?.[1]
  if (operation === 'WITH' && added !== undefined) return { operation: 'INSERT', table: added }
  return { operation, table: /\b(?:FROM|INTO|UPDATE|LOCK TABLE) ([a-z]\w*)/.exec(text)?.[1] ?? '' }
}
