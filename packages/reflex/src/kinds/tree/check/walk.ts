import type { Conditions } from './conditions.ts'
import type { LeafFlow } from './leaf-flow.ts'
import type { CheckedNode } from './subject.ts'
import type { CodeRun, Delta, Ends, ValuesAt } from './values-at.ts'
import type { Writes } from './writes.ts'

/** What a walk needs to know of a tree. */
export interface FlowParts {
  readonly values: ValuesAt
  readonly conditions: Conditions
  readonly leaves: LeafFlow
  readonly writes: readonly Writes[]
}

/** A walk through a tree: what is known where it stands, and the ways that part and meet again. */
export class Walk {
  readonly values: ValuesAt
  readonly conditions: Conditions
  readonly leaves: LeafFlow
  /** Visits a node below. */
  readonly visit: (checked: CheckedNode) => Ends
  readonly #writes: readonly Writes[]

  constructor({ values, conditions, leaves, writes }: FlowParts, visit: (checked: CheckedNode) => Ends) {
    this.values = values
    this.conditions = conditions
    this.leaves = leaves
    this.visit = visit
    this.#writes = writes
  }

  writesOf(checked: CheckedNode | undefined): Writes {
    return this.#writes[checked?.index ?? -1] ?? { keys: new Set<string>(), isOpaque: false }
  }

  either(a: Ends, b: Ends): Ends {
    return { success: this.values.either(a.success, b.success), failure: this.values.either(a.failure, b.failure) }
  }

  /** Does something here and takes it back. */
  apart<Result>(work: (mark: number) => Result): Result {
    const mark = this.values.mark()
    const result = work(mark)
    this.values.undo(mark)
    return result
  }

  after(delta: Delta, mark: number): Delta {
    return this.apart(() => {
      this.values.apply(delta)
      return this.values.since(mark)
    })
  }

  /** What is known if anything that a node writes may have been written. */
  blurred(checked: CheckedNode): Delta {
    return this.apart((mark) => {
      this.blur(checked)
      return this.values.since(mark)
    })
  }

  /** `code`: 1 before a place that comes again, for what its earlier rounds have written. */
  blur({ index }: CheckedNode, code: CodeRun = 2): void {
    const writes = this.#writes[index]
    if (writes !== undefined) this.values.blur(writes, code)
  }

  /** A node of a host may tick its children in any order. */
  unknown(checked: CheckedNode, isVisited = false): Ends {
    if (!isVisited) {
      this.apart(() => {
        this.blur(checked)
        for (const child of checked.children) this.visit(child)
      })
    }
    return { success: this.blurred(checked), failure: this.blurred(checked) }
  }
}
