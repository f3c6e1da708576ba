import type { ContractDocument } from '../../../src/contract/model/files/document.ts'

/** Reports a fault at a path of the contract, or at a place such as `a.yaml:12:3`: what is wrong, and how to correct it. */
export type Report = (at: readonly string[] | string, message: string, mend: string, severity?: 'warning') => void

/** `today` is a day in UTC, such as `2026-11-28`. */
export type Rule = ({ root }: ContractDocument, report: Report, today: string) => void
