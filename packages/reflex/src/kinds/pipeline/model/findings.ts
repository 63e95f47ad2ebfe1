import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { Source } from '../../../text/index.ts'
import type { Attribute, DotEdge, DotNode, Span } from '../dot/graph.ts'
import { languageFaults, problemFault } from '../language/faults.ts'
import type { Problem } from '../language/problem.ts'
import { compileFaults } from './faults.ts'

/** The part of a pipeline that a finding is about, as a path names it: `build`, `build -> ship`, or nothing for the graph. */
export interface Subject {
  readonly path: string
  readonly at?: Span | undefined
}

/** A finding before it has a place. */
export interface FindingDetails {
  readonly rule: string
  readonly message: string
  readonly subject: Subject
  /** The attribute that it is about, and whether its key or its value is meant. */
  readonly key?: string | undefined
  readonly attribute?: Attribute | undefined
  readonly part?: 'key' | 'value'
  /** A few words behind the underlined place. */
  readonly note?: string | undefined
  readonly fix?: string | undefined
  readonly severity?: 'error' | 'warning' | 'info' | undefined
}

type Code = 'R1106' | 'R1107' | 'R1112' | 'R1113' | 'R1160' | 'R1161' | 'R1162' | 'R1163' | 'R1164'

/** Findings of one rule; more are counted in the last. */
const MOST_PER_RULE = 100

/** Collects what the passes find, with places in the source where there is one, and with paths where there is none. */
export class Findings {
  readonly #findings: (readonly [rule: string, tell: (more: string) => Fault])[] = []
  readonly #source: Source | undefined

  constructor(source: { readonly text: string; readonly file?: string | undefined } | undefined) {
    this.#source = source === undefined ? undefined : new Source(source.text, source.file)
  }

  add(code: Code, finding: FindingDetails): void {
    const { rule, fix, severity } = finding
    this.#findings.push([
      rule,
      (more) => {
        const details = { rule, fix, severity, ...this.#place(finding) }
        const message = `${finding.message}${more}`
        if (code === 'R1112' || code === 'R1113') return languageFaults.make(code, message, details)
        return compileFaults.make(code, message, details)
      },
    ])
  }

  /** What is wrong inside the text of an attribute. */
  addProblem(problem: Problem, attribute: Attribute, subject: Subject): void {
    const makeFault = (more: string): Fault =>
      problemFault({ ...problem, message: `${problem.message}${more}` }, this.#source, attribute.valueAt, subject.path)
    this.#findings.push([problem.rule, makeFault])
  }

  /** All of them, in the order of the passes; of a rule that finds the same all over, the first hundred. */
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
    const path = key === undefined ? subject.path : subject.path === '' ? key : `${subject.path}.${key}`
    const at = (part === 'key' ? attribute?.keyAt : (attribute?.valueAt ?? attribute?.keyAt)) ?? subject.at
    if (this.#source === undefined || at === undefined) return { path }
    return { path, ...this.#source.details(at.from, Math.max(1, at.to - at.from), note) }
  }
}

/** A node as a finding names it. */
export function nodeSubject({ id, at }: DotNode): Subject {
  return { path: id, at }
}

/** An edge as a finding names it. */
export function edgeSubject({ from, to, at }: DotEdge): Subject {
  return { path: `${from} -> ${to}`, at }
}

/** The graph as a finding names it: its attributes by their names alone. */
export const GRAPH_SUBJECT: Subject = { path: '' }
