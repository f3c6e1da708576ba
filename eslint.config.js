import tseslint from 'typescript-eslint'

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'dist-*/',
      'generated/',
      'examples/typescript/openapi.d.ts',
      'coverage/',
      'data/',
      '*.config.js',
      '.dependency-cruiser.cjs',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // numbers in messages are plain
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allow: ['URLSearchParams'] }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // the process and the commands speak to people
    files: ['src/{main,serve}.ts', 'scripts/**', 'examples/**', 'test/{faults,survey}/**', 'test/proof/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*'],
    ignores: ['src/main.ts', 'scripts/**', 'examples/**', 'test/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only main and scripts read the environment.' },
      ],
    },
  },
  {
    files: ['src/handlers/**'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // what browsers run, as it is
    files: ['src/http/pages/assets/**'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['bench/**', 'scripts/**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: {
      'no-console': 'off',
      'no-restricted-properties': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
  {
    files: ['test/**'],
    rules: { '@typescript-eslint/require-await': 'off' },
  },
)
