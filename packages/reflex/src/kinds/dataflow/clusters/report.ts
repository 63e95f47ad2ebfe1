import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { once, type Path, type PlaceOptions, suggester } from '../../../text/index.ts'
import type { DefinitionSource } from '../documents/read.ts'
import { clusterFaults } from './faults.ts'
import { wiringFaults } from './wiring-faults.ts'

/** The order in which rules are reported. Rules of ours stand under their code. */
const RULE_ORDER = [
  'D.1 D.5 D.6 D.9 D.8 I.6 E.9 R1317 R1318 I.7 I.5 I.4 X.11 I.3',
  // The order of the reference for graphs.
  'V.8 E.3 D.2 V.7 V.1 V.2 V.3 V.4 V.5 D.4 D.10 D.11 ACT-14',
].flatMap((rules) => rules.split(' '))
const RANKS: ReadonlyMap<string | undefined, number> = new Map(RULE_ORDER.map((rule, rank) => [rule, rank]))

type ClusterCode = Parameters<typeof clusterFaults.finding>[0]
type WiringCode = Parameters<typeof wiringFaults.finding>[0]

export interface FindingDetails extends PlaceOptions {
  readonly rule?: string
  readonly fix: string
}

/** A person corrects some, and looks again. */
const MAX_FINDINGS = 10_000

/** The findings about a graph and its clusters, in the order of the rules, then of the definitions, the root first, then as found. Has the first 10,000. */
export class Report {
  readonly #found: { readonly fault: Fault; readonly rank: number; readonly owner: number }[] = []

  /** True if no finding of a code is taken any more. That a graph is too large is always reported. */
  isFull(code: string): boolean {
    return this.#found.length >= MAX_FINDINGS && code !== 'R1318'
  }

  add(fault: Fault, owner: number): void {
    if (this.isFull(fault.code)) return
    this.#found.push({ fault, owner, rank: RANKS.get(fault.rule ?? fault.code) ?? RANKS.size })
  }

  /** Returns a report that begins with the same findings. */
  copy(): Report {
    const copy = new Report()
    copy.#found.push(...this.#found)
    return copy
  }

  faults(): Fault[] {
    return this.#found.toSorted((a, b) => a.rank - b.rank || a.owner - b.owner).map(({ fault }) => fault)
  }
}

/** Reports about one definition. Messages about another definition than the root begin with its name. */
export class DefinitionReport {
  readonly source: DefinitionSource
  readonly #report: Report
  readonly #owner: number
  readonly #suggestions = once(() => suggester(this.source.definition.parameters.map(({ name }) => name)))

  /** `owner`: 0 for the root, the number of the definition otherwise. */
  constructor(report: Report, source: DefinitionSource, owner: number) {
    this.#report = report
    this.source = source
    this.#owner = owner
  }

  add(code: ClusterCode | WiringCode, message: string, path: Path, details: FindingDetails): void {
    if (this.#report.isFull(code)) return
    const { rule, fix, ...place } = details
    const all: FaultDetails = { ...(rule === undefined ? {} : { rule }), ...this.source.locate(path, place), fix }
    this.push(
      code in clusterFaults.entries
        ? clusterFaults.finding(code as ClusterCode, this.subject(message), all)
        : wiringFaults.finding(code as WiringCode, this.subject(message), all),
    )
  }

  /** Returns the parameter of the definition that a misspelt name probably means. */
  readonly suggestParameter = (name: string): string | undefined => this.#suggestions()(name)

  /** Adds a fault of another family. */
  push(fault: Fault): void {
    this.#report.add(fault, this.#owner)
  }

  /** Returns a message with the name of the cluster in front, unless it is the root. */
  subject(message: string): string {
    const { id, version } = this.source.definition
    return this.#owner === 0 ? message : `cluster ${id}@${version}: ${message}`
  }
}
