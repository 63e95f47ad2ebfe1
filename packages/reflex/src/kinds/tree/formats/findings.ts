import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { didYouMean, quote } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import type { Origin } from './raw.ts'

/** The place and the remedy of a finding. */
export interface FindingDetails {
  readonly key?: string | undefined
  readonly note?: string | undefined
  readonly fix?: string | undefined
  readonly data?: FaultDetails['data']
}

/** Collects the findings about a tree, each with its place. */
export class Findings {
  readonly all: Fault[] = []

  /** A definition that is wrong: E4002. */
  wrong(origin: Origin, message: string, details: FindingDetails = {}): void {
    this.#add('R1202', 'E4002', origin, message, details)
  }

  /** A key or a value that is probably a mistake: a warning. */
  suspect(origin: Origin, message: string, details: FindingDetails = {}): void {
    this.#add('R1207', undefined, origin, message, details)
  }

  /** An id that is invalid (E2004), used twice (E2005), or a wrong number of children (E2006). */
  node(code: 'R1224' | 'R1225' | 'R1226', origin: Origin, message: string, details: FindingDetails = {}): void {
    this.#add(code, NODE_RULES[code], origin, message, details)
  }

  /** A name or a path that leads out of the folder of trees: E7002. */
  escape(origin: Origin, message: string, details: FindingDetails): void {
    this.#add('R1262', 'E7002', origin, message, { ...details, data: { ...details.data, severity: 'critical' } })
  }

  #add(
    code: 'R1202' | 'R1207' | 'R1224' | 'R1225' | 'R1226' | 'R1262',
    rule: string | undefined,
    origin: Origin,
    message: string,
    { key, note, fix, data }: FindingDetails,
  ): void {
    const extra = {
      ...(rule === undefined ? {} : { rule }),
      ...(fix === undefined ? {} : { fix }),
      ...(data === undefined ? {} : { data }),
    }
    this.all.push(faults.finding(code, message, { ...origin.at(key, note), ...extra }))
  }
}

const NODE_RULES = { R1224: 'E2004', R1225: 'E2005', R1226: 'E2006' }

/** True if a finding refuses the tree. */
export function hasErrors(findings: readonly Fault[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}

/** Says that a type of node is unknown, with the nearest known one. */
export function unknownType(type: string, guess: string | undefined): string {
  const hint = didYouMean(guess)
  return `unknown node type ${quote(type)}${hint === undefined ? '' : `; ${hint}`}`
}
