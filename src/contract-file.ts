import { fileURLToPath } from 'node:url'

/** The contract beside `src/`; the build copies it beside the compiled `src/`. */
export const contractFile = fileURLToPath(new URL('../openapi.yaml', import.meta.url))
