/*
 * Who may import whom. Each module lists what it may import from src/, generated/ and scripts/; anything else is an error.
 * `types` are allowed as `import type` alone.
 */
const layers = {
  '^src/(api-error|failure|event-loop|integers|kept|one-edit|package)\\.ts$': { may: [] },
  '^src/process/': { may: ['^src/process/', '^src/failure'] },
  '^src/config/': { may: ['^src/config/', '^src/(one-edit|package)'] },
  '^src/metrics/': { may: ['^src/metrics/', '^src/(kept|package)'] },
  '^src/log/': { may: ['^src/log/', '^src/failure'], types: ['^src/config/'] },
  '^src/banner\\.ts$': { may: [], types: ['^src/config/'] },
  '^src/store/open\\.ts$': { may: ['^src/store/'], types: ['^src/config/', '^src/log/'] },
  '^src/store/(tables/|(?!open)[^/]+\\.ts$)': {
    may: ['^src/store/(tables/|(?!open)[^/]+\\.ts$)', '^src/event-loop', '^generated/tables'],
    types: ['^generated/openapi'],
  },
  '^src/store/sqlite/': {
    may: ['^src/store/(sqlite/|(?!open)[^/]+$)', '^src/(failure|event-loop)'],
    types: ['^src/log/'],
  },
  '^src/store/postgres/': {
    may: ['^src/store/(postgres/|(?!open)[^/]+$)', '^src/(failure|event-loop|package)', '^src/config/postgres-url'],
    types: ['^src/log/'],
  },
  '^src/quota/': {
    may: ['^src/quota/', '^src/(api-error|failure|event-loop|package)', '^src/config/(redis-url|tls-files)'],
    types: ['^src/store/store\\.ts', '^src/log/', '^src/metrics/metrics'],
  },
  '^src/auth/': {
    may: ['^src/auth/', '^src/(api-error|failure)', '^src/contract/(compiled|model/security|exchange/cookies)\\.ts'],
    types: ['^src/store/store\\.ts'],
  },
  '^src/handlers/': {
    may: ['^src/(api-error|failure)', '^src/contract/(operation|link|etag)\\.ts'],
    types: ['^src/store/store\\.ts'],
  },
  '^src/contract/[^/]+$': {
    may: ['^src/contract/', '^src/(failure|integers|kept|one-edit)'],
    types: ['^generated/openapi', '^src/store/(store|resource)\\.ts'],
  },
  '^src/contract/model/': { may: ['^src/contract/model/', '^src/(failure|integers|kept)'] },
  '^src/contract/exchange/': {
    may: ['^src/contract/(exchange/|model/)', '^src/(integers|kept)'],
    types: ['^src/contract/compiled'],
  },
  '^src/contract/rules/': {
    may: [
      '^src/contract/(rules/|model/|compile/validator|own-paths|road-headers)',
      '^src/contract/exchange/error-',
      '^src/(failure|integers|kept)',
    ],
  },
  '^src/contract/compile/': {
    may: ['^src/contract/(compile/|exchange/|model/|link|road-headers)', '^src/(integers|kept)'],
    types: ['^src/contract/compiled'],
  },
  '^src/mock/': { may: ['^src/mock/', '^src/contract/', '^src/(api-error|failure|kept)'], types: ['^src/road/'] },
  '^src/road/': {
    may: [
      '^src/road/',
      '^src/contract/([^/]+$|exchange/|model/(media-type|nesting|security))',
      '^src/(api-error|failure|integers)',
      '^src/auth/',
      '^src/quota/(quota|outcome)',
      '^src/store/(unavailable|resource)',
    ],
    types: ['^src/store/store\\.ts'],
  },
  '^src/http/': {
    may: [
      '^src/http/',
      '^src/road/',
      '^src/contract/model/(grammar|reference|security|server|value)\\.ts',
      '^src/(api-error|failure|event-loop|kept|package)',
      '^src/quota/(plans|outcome|window-counts)',
    ],
    types: ['^src/quota/address', '^src/log/', '^src/metrics/metrics', '^src/tracing/tracing'],
  },
  '^src/tracing/': {
    may: ['^src/tracing/', '^src/road/marks', '^src/store/unavailable', '^src/(kept|package)'],
    types: ['^src/store/store\\.ts', '^src/log/', '^src/config/'],
  },
  '^src/contract-file\\.ts$': { may: [] },
  '^src/app\\.ts$': { may: ['^src/(?!(main|serve|supervisor)\\.ts)', '^generated/(handlers|tables)'] },
  '^src/serve\\.ts$': {
    may: [
      '^src/(app|banner|auth/first-key|contract/first-request|http/listen|quota/plans)\\.ts',
      '^src/(config|log|process)/',
    ],
    types: ['^src/contract/model/files/document\\.ts'],
  },
  '^src/supervisor\\.ts$': { may: ['^src/(config|log|process)/', '^src/metrics/of-workers\\.ts'] },
  '^src/main\\.ts$': { may: ['^src/(failure|serve|supervisor)\\.ts', '^src/(config|process)/'] },
  '^generated/': { may: ['^src/handlers/', '^src/contract/operation', '^src/store/tables/'] },
  '^scripts/': {
    may: [
      '^scripts/',
      '^src/(app|main|failure|integers|kept|contract-file|package)\\.ts',
      '^src/(config|process)/',
      '^src/log/escaped\\.ts',
      '^src/auth/(key|first-key)\\.ts',
      '^src/contract/(contract|compiled|first-request|road-headers|served-document)\\.ts',
      '^src/contract/(model|rules)/',
      '^src/mock/(mock|sample)\\.ts',
      '^src/http/listen\\.ts',
      '^src/quota/plans\\.ts',
      '^src/store/(open|copy|schema|table|identifier)\\.ts',
      '^src/store/sqlite/(backup|restore|stores|connection/driver)\\.ts',
    ],
    types: ['^src/store/store\\.ts'],
  },
}

const ours = '^(src|generated|scripts)/'
const libraries = {
  express: '^src/http/pages/',
  'express-rate-limit': '^src/(quota|http/pages)/',
  'openapi-backend': '^src/contract/',
  '(better-sqlite3|pg)': '^src/store/',
  '(ioredis|rate-limit-redis)': '^src/quota/redis/',
  '@opentelemetry': '^src/tracing/',
}

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/http/pages/assets/', orphan: true },
      to: {},
    },
    ...Object.entries(layers).flatMap(([from, { may, types = [] }]) => [
      {
        name: `layers of ${from}`,
        severity: 'error',
        from: { path: from },
        to: { path: ours, pathNot: [...may, ...types] },
      },
      ...(types.length > 0
        ? [
            {
              name: `types alone for ${from}`,
              severity: 'error',
              from: { path: from },
              to: { path: types, pathNot: may.length > 0 ? may : undefined, dependencyTypesNot: ['type-only'] },
            },
          ]
        : []),
    ]),
    {
      name: 'every module has a layer',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(layers) },
      to: {},
    },
    {
      name: 'contract/operation alone knows the stores and types of this service',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: '^src/contract/operation\\.ts$' },
      to: { path: ['^generated/', '^src/store/', '^src/contract/operation\\.ts$'] },
    },
    {
      name: 'a contract is read without compiling it',
      severity: 'error',
      from: { path: '^src/contract/model/' },
      to: { path: '^src/contract/(compile/|rules/|exchange/|compiled\\.ts|contract\\.ts)' },
    },
    {
      name: 'values alone are judged by the validators',
      severity: 'error',
      from: { path: '^src/contract/rules/', pathNot: '^src/contract/rules/values\\.ts$' },
      to: { path: '^src/contract/compile/' },
    },
    {
      name: 'mocks are loaded by app alone, and only when they are wanted',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mock/' },
      to: { path: '^src/mock/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    ...Object.entries(libraries).map(([library, place]) => ({
      name: `${library} only in ${place}`,
      severity: 'error',
      from: { path: '^(src|generated)/', pathNot: place },
      to: { path: `^node_modules/${library}/` },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
