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
    valuesOf: encoder(columns),
    valueOf,
  }
}

/** Makes a row of its values. Written out for the table, since a loop over columns costs a list of 20 rows 2 µs. */
function decoder(columns: AnyTable['columns']): Rows['rowOf'] {
  const all = Object.entries(columns).map(([property, { decode, optional }], index) => {
    const value = decode ? `codes[${index}](values[${index}])` : `values[${index}]`
    return { property: JSON.stringify(property), index, optional, value }
  })
  const always = all.filter(({ optional }) => !optional).map(({ property, value }) => `${property}: ${value}`)
  const sometimes = all
    .filter(({ optional }) => optional)
    .map(({ property, index, value }) => `if (values[${index}] !== null) row[${property}] = ${value};`)
  const body = `const row = { ${always.join(', ')} }; ${sometimes.join(' ')} return row`
  return writtenOut('values', body, columns, 'decode') as Rows['rowOf']
}

/** Makes the values of a row. Written out as well: a loop costs an insert in a batch half a microsecond. */
function encoder(columns: AnyTable['columns']): Rows['valuesOf'] {
  const all = Object.entries(columns).map(([property, { encode }], index) => {
    const value = `row[${JSON.stringify(property)}]`
    return `${value} === undefined ? null : ${encode ? `codes[${index}](${value})` : value}`
  })
  return writtenOut('row', `return [${all.join(', ')}]`, columns, 'encode') as Rows['valuesOf']
}

/** A function of `given` that calls what encodes or decodes a column as `codes[index]`. */
function writtenOut(
  given: string,
  body: string,
  columns: AnyTable['columns'],
  use: 'encode' | 'decode',
): (given: never) => unknown {
  const codes = Object.values(columns).map((column) => column[use])
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of the names of columns alone
  const make = new Function('codes', `return (${given}) => { ${body} }`) as (
    list: typeof codes,
  ) => (one: never) => unknown
  return make(codes)
}
