import type { SampleRequest } from './request.js'

export const languages: Readonly<Record<string, unknown>>
export function sampleIn(language: string, request: SampleRequest, key?: string): string
