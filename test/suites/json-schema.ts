import { drafts, filesOf, verdictsOn, type Draft } from './json-schema-cases.ts'

/** How the service stands to the cases of a draft. */
export interface Standing {
  draft: Draft
  cases: number
  passed: number
  /** How many are of schemas with which the service does not start, by the reason. */
  refused: ReadonlyMap<string, number>
  /** How many differ on purpose, by the reason. */
  onPurpose: ReadonlyMap<string, number>
  /** The names of cases that are wrong. */
  wrong: string[]
}

/** Files whose cases may differ from what JSON Schema says, and why. */
const purposes: Readonly<Record<string, string>> = {
  'default:': 'defaults are filled in, so they must be valid',
  'format:': 'formats are checked',
  'content:': 'base64 is checked',
}

/** What the service says of a refused schema, by the words of its sentence. */
const reasons: readonly [RegExp, string][] = [
  [/\$id is ignored|Property `id`/, '`$id` or `id` around references'],
  [/\$dynamicRef/, '`$dynamicRef`'],
  [/leads to an address of the network/, 'a `$ref` to an address'],
  [/leads to a file that is not there/, 'a `$ref` relative to an `$id`'],
  [/The \$ref .* leads to nothing/, 'a `$ref` to an `$anchor`, or to a refused part'],
  [/__proto__/, 'a property named `__proto__`'],
  [/dialect/, 'another dialect'],
  [
    /There is no type "null"|type must be a string|The items are a list|Property `.*` is not expected/,
    'a keyword or form that OpenAPI 3.0 does not have',
  ],
]

/** Holds the service against all mandatory cases of the suite in a folder. */
export async function standings(suite: string): Promise<Standing[]> {
  const all: Standing[] = []
  for (const draft of drafts) {
    const [refused, onPurpose] = [new Map<string, number>(), new Map<string, number>()]
    const standing: Standing = { draft, cases: 0, passed: 0, refused, onPurpose, wrong: [] }
    for (const file of filesOf(suite, draft)) {
      for (const { name, valid, said } of await verdictsOn(suite, draft, file)) {
        standing.cases += 1
        const purpose = Object.entries(purposes).find(([start]) => name.startsWith(start))?.[1]
        if (typeof said === 'object') count(refused, reasonOf(said.refused))
        else if (said === valid) standing.passed += 1
        else if (purpose !== undefined) count(onPurpose, purpose)
        else standing.wrong.push(name)
      }
    }
    all.push(standing)
  }
  return all
}

function reasonOf(message: string): string {
  return reasons.find(([pattern]) => pattern.test(message))?.[1] ?? message
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
