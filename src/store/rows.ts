import { columnName, type AnyTable, type Value } from './table.ts'

export type AnyRow = Record<string, unknown>

/** Rows of a table as programs have them, and as the engines store them: values in the order of the columns. */
export interface Rows {
  /** The columns in their order, as a statement has them. */
  columns: readonly string[]
  rowOf: (values: readonly Value[]) => AnyRow
  valuesOf: (row: AnyRow) => Value[]
  /** A value of one column. */
  valueOf: (property: string, value: unknown) => Value
}

export function rowsOf({ columns }: AnyTable): Rows {
  const properties = Object.keys(columns)
  const valueOf = (property: string, value: unknown): Value => {
    if (value === undefined) return null
    const encode = columns[property]?.encode as ((value: unknown) => Value) | undefined
    return encode ? encode(value) : (value as Value)
  }
  return {
    columns: properties.map(columnName),
    rowOf: decoder(columns),
    valuesOf: (row) => properties.map((property) => valueOf(property, row[property])),
    valueOf,
  }
}

/** Makes a row of its values. Written out for the table, since a loop over columns costs a list of 20 rows 2 µs. */
function decoder(columns: AnyTable['columns']): Rows['rowOf'] {
  const decoders = Object.values(columns).map(({ decode }) => decode)
  const all = Object.entries(columns).map(([property, { optional }], index) => {
    const value = decoders[index] ? `decoders[${index}](values[${index}])` : `values[${index}]`
    return { property: JSON.stringify(property), index, optional, value }
  })
  const always = all.filter(({ optional }) => !optional).map(({ property, value }) => `${property}: ${value}`)
  const sometimes = all
    .filter(({ optional }) => optional)
    .map(({ property, index, value }) => `if (values[${index}] !== null) row[${property}] = ${value};`)
  const body = `const row = { ${always.join(', ')} }; ${sometimes.join(' ')} return row`
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of the names of columns alone
  const make = new Function('decoders', `return (values) => { ${body} }`) as (list: typeof decoders) => Rows['rowOf']
  return make(decoders)
}
