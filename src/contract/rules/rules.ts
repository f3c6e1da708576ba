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
import {
  effectlessKeys,
  ignoredParameters,
  namesOfParameters,
  parametersOfPath,
  readableParameters,
  repeatedParameters,
  requiredInPath,
} from './parameters.ts'
import { costlyPatterns, patterns } from './patterns.ts'
import { references, referenceTexts } from './references.ts'
import {
  closedParts,
  defaults,
  effects,
  enums,
  formats,
  itemsOfLists,
  misspelt,
  names,
  recursion,
  typesExist,
} from './schemas.ts'
import { keySchemes, requirements } from './security.ts'
import { servers } from './servers.ts'
import { structure } from './structure.ts'
import { satisfiable } from './unsatisfiable.ts'
import {
  validDefaults,
  validEnums,
  validHeaderExamples,
  validMediaExamples,
  validParameterExamples,
  validSchemaExamples,
} from './values.ts'

/** All rules for any contract, by what they are about. */
export const rules: RuleBook = {
  OpenAPI: [structure],
  reference: [references, referenceTexts],
  'OpenAPI 3.1': [dialect],
  schema: [
    ...[
      nesting,
      typesExist,
      misspelt,
      itemsOfLists,
      patterns,
      costlyPatterns,
      enums,
      names,
      defaults,
      recursion,
      formats,
      effects,
    ],
    ...[closedParts, discriminators, satisfiable, exactIntegers],
  ],
  value: [
    validDefaults,
    validEnums,
    validSchemaExamples,
    validMediaExamples,
    validParameterExamples,
    validHeaderExamples,
  ],
  'address or name': [addresses, ownAddresses],
  plans: [unsent],
  parameter: [
    requiredInPath,
    parametersOfPath,
    readableParameters,
    namesOfParameters,
    ignoredParameters,
    repeatedParameters,
    effectlessKeys,
  ],
  body: [readableBodies, forms, noBodyOfGet, mediaTypes, encodings],
  answer: [someAnswer, writableAnswers, contentOfAnswers, headers],
  security: [requirements, keySchemes],
  'life cycle': [lifecycle, orderOfDays],
  document: [tags, tagNames, links, servers],
}
