import type { RequestForm } from '../reference/fields.ts'

/** A request as the samples show it. */
export interface SampleRequest {
  readonly method: string
}

export function requestOf(form: RequestForm, values: Readonly<Record<string, string>>, base: string): SampleRequest
