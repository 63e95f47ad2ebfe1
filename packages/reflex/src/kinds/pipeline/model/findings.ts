import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { Source } from '../../../text/index.ts'
import type { Attribute, DotEdge, DotNode } from '../dot/graph.ts'
import { languageFaults, problemFault } from '../language/faults.ts'
import type { Problem } from '../language/problem.ts'
import { compileFaults } from './faults.ts'

/** The subject of a finding: a node or an edge, or the graph if it is undefined. */
export type Subject = Pick<DotNode, 'id' | 'at'> | Pick<DotEdge, 'from' | 'to' | 'at'> | undefined

/** Returns the path of a subject: `build`, `build -> ship`, or empty text for the graph. */
export function pathOf(subject: Subject): string {
  if (subject === undefined) return ''
  return 'from' in subject ? `${subject.from} -> ${subject.to}` : subject.id
}

/** A finding without its position. */
export interface FindingDetails {
  readonly rule: string
  readonly message: string
  readonly subject: Subject
  /** The attribute, and whether the finding concerns its key or its value. */
  readonly key?: string | undefined
  readonly attribute?: Attribute | undefined
  readonly part?: 'key' | 'value'
  /** A short note after the underlined place. */
  readonly note?: string | undefined
  readonly fix?: string | undefined
  readonly severity?: 'error' | 'warning' | 'info' | undefined
}

type Code = 'R1106' | 'R1107' | 'R1112' | 'R1113' | 'R1160' | 'R1161' | 'R1162' | 'R1163' | 'R1164'

/** The largest number of listed findings of one rule. The last one states how many are not listed. */
const MOST_PER_RULE = 100

/** Collects findings of the compiler passes, with positions if there is a source, otherwise with paths. */
export class Findings {
  readonly #findings: (readonly [rule: string, tell: (more: string) => Fault])[] = []
  readonly #source: Source | undefined

  constructor(source: { readonly text: string; readonly file?: string | undefined } | undefined) {
    this.#source = source === undefined ? undefined : Source.of(source)
  }

  add(code: Code, finding: FindingDetails): void {
    const { rule, fix, severity } = finding
    this.#findings.push([
      rule,
      (more) => {
        const details = { rule, fix, severity, ...this.#place(finding) }
        const message = `${finding.message}${more}`
        if (code === 'R1112' || code === 'R1113') return languageFaults.finding(code, message, details)
        return compileFaults.finding(code, message, details)
      },
    ])
  }

  /** Adds a problem inside the text of an attribute. */
  addProblem(problem: Problem, attribute: Attribute, subject: Subject): void {
    const makeFault = (more: string): Fault =>
      problemFault({ ...problem, message: `${problem.message}${more}` }, this.#source, attribute.valueAt, pathOf(subject))
    this.#findings.push([problem.rule, makeFault])
  }

  /** Returns all findings in the order of the passes, at most one hundred per rule. */
  list(): Fault[] {
    const counts = new Map<string, number>()
    for (const [rule] of this.#findings) counts.set(rule, (counts.get(rule) ?? 0) + 1)
    const counted = new Map<string, number>()
    return this.#findings.flatMap(([rule, makeFault]) => {
      const number = (counted.get(rule) ?? 0) + 1
      counted.set(rule, number)
      const left = (counts.get(rule) ?? 0) - MOST_PER_RULE
      if (number > MOST_PER_RULE) return []
      return [makeFault(number === MOST_PER_RULE && left > 0 ? `; ${left} more like it are not listed` : '')]
    })
  }

  #place({ subject, key, attribute, part = 'value', note }: FindingDetails): FaultDetails {
    const owner = pathOf(subject)
    const path = key === undefined ? owner : owner === '' ? key : `${owner}.${key}`
    const at = (part === 'key' ? attribute?.keyAt : (attribute?.valueAt ?? attribute?.keyAt)) ?? subject?.at
    if (this.#source === undefined || at === undefined) return { path }
    return { path, ...this.#source.details(at.from, Math.max(1, at.to - at.from), note) }
  }
}
