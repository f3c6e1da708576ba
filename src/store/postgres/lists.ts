import { sharedRead } from '../batch.ts'
import { rowsOf, type AnyRow } from '../rows.ts'
import { columnName, storedTable, type AnyTable, type Value } from '../table.ts'
import type { Connection } from './connection/connection.ts'
import { columnTypes, selectedColumns } from './tables.ts'

interface Asked {
  /** The first filter that is given, and whether the list begins behind a row. */
  branch: number
  limit: number
  filters: Value[]
  /** The value and the key of the row before. */
  after: [value: Value, key: Value]
}

/** Lists rows of a table by each order and each filter. Those of one turn and one order are one statement. */
export function lists(connection: Connection, declared: AnyTable): (query: AnyRow) => Promise<AnyRow[]> {
  const { key, generated, filters, orders } = declared
  const { rowOf, valueOf } = rowsOf(declared)
  const readers = new Map(
    [key, ...orders].map((order) => {
      const statement = listStatement(declared, order)
      const read = sharedRead(async (asked: readonly Asked[]) => {
        const limits = asked.map(({ limit }) => limit)
        const rows = await connection.query<[place: number, ...values: Value[]]>(statement(roomFor(limits)), [
          asked.map(({ after }) => after[0]),
          asked.map(({ after }) => after[1]),
          limits,
          asked.map(({ branch }) => branch),
          ...filters.map((_, index) => asked.map((one) => one.filters[index])),
        ])
        const found = asked.map((): AnyRow[] => [])
        for (const [place, ...values] of rows) found[place - 1]?.push(rowOf(values))
        return found
      })
      return [order, read] as const
    }),
  )
  return (query) => {
    const order = (query.order as string | undefined) ?? key
    const read = readers.get(order)
    if (!read) throw new Error(`No list of ${declared.name} has the order ${order}.`)
    // a generated key is above 0
    const after = query.after ?? (generated && order === key ? 0n : undefined)
    const [value, last] = (order === key ? [after, after] : (after ?? [])) as [unknown, unknown]
    return read({
      branch:
        filters.findIndex((filter) => query[filter] !== undefined) + (after === undefined ? 1 : filters.length + 2),
      limit: query.limit as number,
      filters: filters.map((filter) => valueOf(filter, query[filter])),
      after: [valueOf(order, value), valueOf(key, last)],
    })
  }
}

/**
 * Several lists in one statement: each is what it would be alone, and each is read from its own index. The plan is made
 * once, without the values. So `most` bounds a list for the planner, which else expects a tenth of the table and compiles
 * the statement, and a filter is compared in the order of its index, which else is not taken.
 */
function listStatement(declared: AnyTable, order: string): (most: number) => string {
  const table = storedTable(declared)
  const { filters, generated, key } = declared
  const typeOf = (column: string): string => `${columnTypes[table.columns[column] ?? 'text']}[]`
  const [ordered, keyed] = [columnName(order), columnName(key)]
  const wanted = filters.map((_, index) => `wanted${index + 1}`)
  const types = [typeOf(ordered), typeOf(keyed), 'int[]', 'int[]', ...filters.map((one) => typeOf(columnName(one)))]
  const arrays = types.map((type, index) => `$${index + 1}::${type}`).join(', ')
  const perStart = filters.length + 1
  const branches = Array.from({ length: 2 * perStart }, (_, branch) => branch)
  // a list of generated keys always begins behind one
  const served = generated && order === key ? branches.slice(perStart) : branches
  const branchText = (branch: number, most: number): string => {
    const behind = branch >= perStart
    const given = filters.map((one, index) => [columnName(one), `asked.${wanted[index]}`] as const)
    const [first, ...rest] = branch % perStart === 0 ? [] : given.slice((branch % perStart) - 1)
    // by the index of the filter where that has the order of the list
    const leads = first && order === key
    const columns = leads ? [first[0], keyed] : [...new Set([ordered, keyed])]
    const values = leads ? [first[1], 'asked.after_key'] : ['asked.after_value', 'asked.after_key']
    const from = behind
      ? `(${columns.join(', ')}) > (${values.slice(-columns.length).join(', ')})`
      : leads && `${first[0]} >= ${first[1]}`
    const conditions = [
      `asked.branch = ${branch}`,
      ...(from ? [from] : []),
      ...(first ? [`${first[0]} ${leads ? '<=' : '='} ${first[1]}`] : []),
      ...rest.map(([column, value]) => `(${value} IS NULL OR ${column} = ${value})`),
    ]
    const inOrder = columns.join(', ')
    return `(SELECT * FROM ${table.name} WHERE ${conditions.join(' AND ')} ORDER BY ${inOrder} LIMIT ${most})`
  }
  return (most) => `
  SELECT asked.place::int, ${selectedColumns(table, 'found')}
  FROM unnest(${arrays}) WITH ORDINALITY AS asked (${['after_value', 'after_key', 'count', 'branch', ...wanted, 'place'].join(', ')})
  CROSS JOIN LATERAL (
    SELECT * FROM (
      ${served.map((branch) => branchText(branch, most)).join('\n      UNION ALL\n      ')}
    ) AS any_list LIMIT asked.count
  ) AS found
  ORDER BY ${[...new Set(['asked.place', `found.${ordered}`, `found.${keyed}`])].join(', ')}`
}

/** The next power of two: so few bounds, and so few statements to plan, are needed. */
function roomFor(counts: readonly number[]): number {
  return 2 ** Math.ceil(Math.log2(Math.max(...counts)))
}
