import { requestsOf, storedTable, type RememberingTable } from '../../../src/store/table.ts'
import { quoted } from '../stubs.ts'
import { storedTypes, type PlannedColumn } from './columns.ts'
import type { ResourcePlan } from './plan.ts'
import { newTable } from './steps.ts'

/** What a new table must not share with the others. */
export interface Free {
  lock: number
  sqliteStep: number
  postgresStep: number
}

/** The name of the type of a row: `Book` for `books`. */
export function rowType({ one, name }: ResourcePlan): string {
  const word = one.replace(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase())
  const plain = /^[A-Za-z]/.test(word) ? word : name
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The file of a table. */
export function tableText(plan: ResourcePlan, free: Free): string {
  const { name, table, columns, key, keyBy, filters, type } = plan
  const row = rowType(plan)
  const kinds = [...new Set(columns.flatMap(({ kind, optional }) => (optional ? [kind, 'optional'] : [kind])))]
  const steps = (engine: 'sqlite' | 'postgres'): string =>
    newTable(engine, stored(plan, free))
      .map((line) => `          ${line}\n`)
      .join('')
      .trim()
  return `import type { ${type.startsWith('components') ? 'components' : 'operations'} } from '../../../generated/openapi.d.ts'
import { ${[...kinds, 'table'].sort().join(', ')} } from '../table.ts'

export type ${row} = ${type}

export const ${name} = table<${row}>()({
  name: '${table}',
  called: '${plan.collection.split('/').at(-1)}',
  columns: {
${columns.map((column) => `    ${propertyName(column.property)}: ${columnText(column, row)},\n`).join('')}  },
  key: '${key.property}',
${keyBy === 'engine' ? '  generated: true,\n' : ''}${filters.length > 0 ? `  filters: [${filters.map((one) => `'${one}'`).join(', ')}],\n` : ''}  lock: ${free.lock},
  steps: {
    sqlite: {
      ${free.sqliteStep}: \`${steps('sqlite')}\`,
    },
    postgres: {
      ${free.postgresStep}: \`${steps('postgres')}\`,
    },
  },
})
`
}

/** A name of a property as an object has it. */
export function propertyName(property: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(property) ? property : quoted(property)
}

function columnText({ property, kind, optional }: PlannedColumn, row: string): string {
  const value = `${row}['${property}']`
  const type = optional ? `NonNullable<${value}>` : value
  const made =
    kind === 'json' || kind === 'oneOf'
      ? `${kind}<${optional && kind === 'json' ? `Exclude<${value}, undefined>` : type}>()`
      : kind
  return optional ? `optional(${made})` : made
}

/** The table as the engines will have it. */
function stored({ table, columns, key, keyBy, filters }: ResourcePlan, { lock }: Free): RememberingTable {
  return storedTable({
    ...{
      name: table,
      called: table,
      key: key.property,
      generated: keyBy === 'engine',
      filters,
      orders: [],
      unique: [],
    },
    columns: Object.fromEntries(
      columns.map(({ property, kind, optional }) => [property, { type: storedTypes[kind], optional }]),
    ),
    ...{
      references: {},
      requests: { name: `${table}_requests`, row: 'row_key' },
      lock,
      steps: { sqlite: {}, postgres: {} },
    },
  })
}

/** The names that a table takes in the engines. */
export function namesOf(plan: ResourcePlan, free: Free): string[] {
  const one = stored(plan, free)
  return [one.name, requestsOf(one).name]
}
