export default {
  testMatch: ['**/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  watchman: false,
  coverageProvider: 'v8',
  maxWorkers: 2,
  testTimeout: 120_000,
}
