import type { Fault, FaultDetails, JsonObject, Severity } from '../../../kernel/index.ts'
import type { Path } from '../../../text/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { faults } from '../model/faults.ts'
import { type CheckCode, checkFaults } from './faults.ts'
import { type CheckedNode, pathOf } from './subject.ts'

/** The code of a finding: of this room, or one with which a run would fail as well. */
export type FindingCode = CheckCode | 'R1203' | 'R1204' | 'R1232'

/** A finding before it has a place in a file. */
export interface Finding {
  readonly code: FindingCode
  readonly rule?: string
  /** The node of the finding; undefined for the tree. */
  readonly node?: CheckedNode | undefined
  /** The parameter of the node. */
  readonly parameter?: string | undefined
  /** The place inside the tree if it is not a node. */
  readonly at?: Path
  readonly message: string
  readonly fix: string
  /** A short note after the underlined place. */
  readonly note?: string | undefined
  readonly severity?: Severity | undefined
  readonly data?: JsonObject
}

/** Returns the details of a place in the source of a tree: file, line, column and frame. */
export type Locate = (path: Path, note?: string) => FaultDetails

/** The largest number of listed findings of one code. The last one states how many are not listed. */
export const MOST_LISTED = 20

/** The findings of one tree, in order, each once. */
export class Findings {
  readonly #tree: CompiledTree
  readonly #locate: Locate | undefined
  readonly #listed = new Map<FindingCode, Finding[]>()
  readonly #more = new Map<FindingCode, number>()
  readonly #seen = new Set<string>()

  constructor(tree: CompiledTree, locate: Locate | undefined) {
    this.#tree = tree
    this.#locate = locate
  }

  /** Adds a finding. `make` is only called if it will be listed. `key`: what it is about, besides its code and node. */
  add(code: FindingCode, node: CheckedNode | undefined, key: string, make: () => Omit<Finding, 'code' | 'node'>): void {
    const identity = `${code} ${node?.index ?? ''} ${key}`
    if (this.#seen.has(identity)) return
    this.#seen.add(identity)
    const listed = this.#listed.get(code) ?? []
    this.#listed.set(code, listed)
    if (listed.length < MOST_LISTED) listed.push({ code, node, ...make() })
    else this.#more.set(code, (this.#more.get(code) ?? 0) + 1)
  }

  /** True if a finding of a code and a node was added. */
  has(code: FindingCode, node: CheckedNode, key: string): boolean {
    return this.#seen.has(`${code} ${node.index} ${key}`)
  }

  /** Returns the findings in the order of the nodes. */
  faults(): Fault[] {
    const all = [...this.#listed].flatMap(([code, listed]) =>
      listed.map((finding, i) => ({ finding, more: i === listed.length - 1 ? (this.#more.get(code) ?? 0) : 0 })),
    )
    all.sort((a, b) => (a.finding.node?.index ?? -1) - (b.finding.node?.index ?? -1))
    return all.map(({ finding, more }) => this.#fault(finding, more))
  }

  #fault({ code, rule, node, parameter, at, message, fix, note, severity, data }: Finding, more: number): Fault {
    const counted = more > 0 ? `${message}; ${more} more like it are not listed` : message
    const path = at ?? (node === undefined ? [] : pathOf(node))
    const place = parameter === undefined ? path : [...path, 'params', parameter]
    const details: FaultDetails = {
      file: this.#tree.source.file,
      line: node?.node.source.line,
      ...this.#locate?.(place, note),
      path: node?.node.source.id ?? this.#tree.id,
      rule,
      fix,
      severity,
      data,
    }
    if (code === 'R1203' || code === 'R1204' || code === 'R1232') return faults.finding(code, counted, details)
    return checkFaults.finding(code, counted, details)
  }
}
