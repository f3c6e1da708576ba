import { addresses, ownAddresses } from './addresses.ts'
import { contentOfAnswers, someAnswer, writableAnswers } from './answers.ts'
import { encodings, forms, headers, mediaTypes, readableBodies } from './bodies.ts'
import { dialect } from './dialect.ts'
import { discriminators } from './discriminators.ts'
import type { RuleBook } from './judge.ts'
import { lifecycle, orderOfDays } from './life-cycle.ts'
import { nesting } from './nesting.ts'
import { exactIntegers } from './numbers.ts'
import { links, noBodyOfGet, tagNames, tags, unsent } from './operations.ts'
import { parameterRules } from './parameters.ts'
import { costlyPatterns, patterns } from './patterns.ts'
import { references, referenceTexts } from './references.ts'
import { schemaRules } from './schemas.ts'
import { keySchemes, requirements } from './security.ts'
import { servers } from './servers.ts'
import { structure } from './structure.ts'
import { satisfiable } from './unsatisfiable.ts'
import { valueRules } from './values.ts'

/** All rules for any contract, by what they are about. */
export const rules: RuleBook = {
  OpenAPI: [structure],
  reference: [references, referenceTexts],
  'OpenAPI 3.1': [dialect],
  schema: [nesting, patterns, costlyPatterns, ...schemaRules, discriminators, satisfiable, exactIntegers],
  value: valueRules,
  'address or name': [addresses, ownAddresses],
  plans: [unsent],
  parameter: parameterRules,
  body: [readableBodies, forms, noBodyOfGet, mediaTypes, encodings],
  answer: [someAnswer, writableAnswers, contentOfAnswers, headers],
  security: [requirements, keySchemes],
  'life cycle': [lifecycle, orderOfDays],
  document: [tags, tagNames, links, servers],
}
