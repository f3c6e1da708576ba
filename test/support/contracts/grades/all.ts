import { edited, pairs, store } from '../pairs.ts'
import { access } from './access.ts'
import { alternatives } from './alternatives.ts'
import { conditions } from './conditions.ts'
import { edits } from './edits.ts'
import type { Graded } from './grade.ts'
import { jsonSchema } from './json-schema.ts'
import { parameters } from './parameters.ts'
import { publicContracts } from './public.ts'
import { requests } from './requests.ts'
import { responses } from './responses.ts'

/** All pairs of contracts with their right grades, by what they are about. */
export const grades: Record<string, Graded[]> = {
  store: pairs.map(({ change, right, edits }) => ({ change, right, base: store, head: edited(store, edits) })),
  parameters,
  requests,
  responses,
  'security and servers': access,
  'OpenAPI 3.1': jsonSchema,
  'public contracts': publicContracts,
  edits,
  'conditions and sent requests': conditions,
  alternatives,
}
