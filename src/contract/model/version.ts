/** Whether a document is of a version whose schemas are those of JSON Schema 2020-12: OpenAPI 3.1 or 3.2. */
export function isOfJsonSchema(root: unknown): boolean {
  return /^3\.[12]\./.test(String((root as { openapi?: unknown } | null)?.openapi))
}
