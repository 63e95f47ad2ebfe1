import type { Assignments } from '../compile/compiled.ts'
import type { ExpressionCode } from '../compile/code.ts'
import { textOf } from '../model/text-of.ts'
import type { Conditions } from './conditions.ts'
import { NIL } from './domain.ts'
import type { LeafFlow } from './leaf-flow.ts'
import { type CheckedNode } from './subject.ts'
import { type CodeRun, type Delta, type Ends, NO_CHANGE, type ValuesAt } from './values-at.ts'
import type { Writes } from './writes.ts'

/** What a walk needs to know of a tree. */
export interface FlowParts {
  readonly values: ValuesAt
  readonly conditions: Conditions
  readonly leaves: LeafFlow
  readonly writes: readonly Writes[]
}

/** The most ways out of a composite that are kept apart. */
const MOST_WAYS = 64

/** Walks through a tree in the order of its ticks, with what is known of each key at each node. A node that no tick reaches is not visited. */
export class Flow {
  readonly #values: ValuesAt
  readonly #conditions: Conditions
  readonly #leaves: LeafFlow
  readonly #writes: readonly Writes[]

  constructor({ values, conditions, leaves, writes }: FlowParts) {
    this.#values = values
    this.#conditions = conditions
    this.#leaves = leaves
    this.#writes = writes
  }

  /** Visits a node with its conditions and assignments. */
  visit(checked: CheckedNode): Ends {
    const { conditions } = checked.node
    if (conditions === undefined) return this.#bare(checked)
    const mark = this.#values.mark()
    const early: Ends[] = []
    const leave = (code: ExpressionCode | undefined, name: string, ends: (here: Delta) => Ends, when = true): boolean => {
      if (code === undefined) return true
      const truth = this.#conditions.judge(checked, name, code, when ? 'leaves' : 'stays')
      if (when ? truth.canBeTrue : truth.canBeFalse) {
        const before = this.#values.mark()
        if (truth.assume(when)) early.push(ends(this.#values.since(mark)))
        this.#values.undo(before)
      }
      return (when ? truth.canBeFalse : truth.canBeTrue) && truth.assume(!when)
    }
    const isReached =
      leave(conditions.failureIf, 'failure_if', (here) => ({ success: undefined, failure: here })) &&
      leave(conditions.successIf, 'success_if', (here) => ({ success: here, failure: undefined })) &&
      leave(conditions.skipIf, 'skip_if', (here) => ({ success: here, failure: here })) &&
      leave(conditions.while, 'while', (here) => ({ success: here, failure: here }), false)
    if (isReached) early.push(this.#withAssignments(checked, mark))
    this.#values.undo(mark)
    return early.reduce((a, b) => this.#either(a, b), { success: undefined, failure: undefined })
  }

  #withAssignments(checked: CheckedNode, mark: number): Ends {
    const { onSuccess, onFailure, after } = checked.node.conditions ?? {}
    const { success, failure } = this.#bare(checked)
    const ended = (delta: Delta | undefined, ...assignments: readonly (Assignments | undefined)[]): Delta | undefined => {
      if (delta === undefined) return undefined
      const before = this.#values.mark()
      this.#values.apply(delta)
      for (const each of assignments) this.#leaves.assign(checked, each ?? [])
      const result = this.#values.since(mark)
      this.#values.undo(before)
      return result
    }
    return { success: ended(success, onSuccess, after), failure: ended(failure, onFailure, after) }
  }

  #either(a: Ends, b: Ends): Ends {
    return { success: this.#values.either(a.success, b.success), failure: this.#values.either(a.failure, b.failure) }
  }

  #bare(checked: CheckedNode): Ends {
    this.#leaves.readInputs(checked)
    const { type, role } = checked.node.manifest
    switch (type) {
      case 'sequence':
      case 'selector':
      case 'reactive_sequence':
      case 'reactive_selector':
      case 'sequence_with_memory':
      case 'selector_with_memory':
        return this.#inOrder(checked, type.startsWith('sequence') || type === 'reactive_sequence' ? 'success' : 'failure')
      case 'if_then_else':
      case 'while_do_else':
        return this.#choice(checked)
      case 'parallel':
        return this.#parallel(checked)
      case 'for_each':
        return checked.node.params.parallel === true ? this.#sideBySide(checked) : this.#loop(checked)
      case 'repeater':
      case 'retry':
        return this.#loop(checked)
      case 'guard':
        return this.#guard(checked)
      case 'with_on_failure':
        return this.#withOnFailure(checked)
      default:
        return role === 'leaf' ? this.#leaves.visit(checked) : this.#decorator(checked)
    }
  }

  /** Does something here and takes it back. */
  #apart<Result>(work: (mark: number) => Result): Result {
    const mark = this.#values.mark()
    const result = work(mark)
    this.#values.undo(mark)
    return result
  }

  #after(delta: Delta, mark: number): Delta {
    return this.#apart(() => {
      this.#values.apply(delta)
      return this.#values.since(mark)
    })
  }

  /** What is known if anything that a node writes may have been written. */
  #blurred(checked: CheckedNode): Delta {
    return this.#apart((mark) => {
      this.#blur(checked)
      return this.#values.since(mark)
    })
  }

  /** `code`: 1 before a place that comes again, for what its earlier rounds have written. */
  #blur({ index }: CheckedNode, code: CodeRun = 2): void {
    const writes = this.#writes[index]
    if (writes !== undefined) this.#values.blur(writes, code)
  }

  #inOrder(checked: CheckedNode, goesOn: 'success' | 'failure'): Ends {
    const { type } = checked.node.manifest
    const stops = goesOn === 'success' ? 'failure' : 'success'
    let isReached = true
    const [through, ends] = this.#apart((mark): [Delta, Delta[]] => {
      const ways: Delta[] = []
      // Each tick begins at the first child, after what later ones have written.
      if (type.startsWith('reactive')) this.#blur(checked, 1)
      for (const child of checked.children) {
        if (type.endsWith('with_memory') && child.place > 0) this.#blur(checked)
        const result = this.visit(child)
        const stop = result[stops]
        if (stop !== undefined && ways.length < MOST_WAYS) ways.push(this.#after(stop, mark))
        const next = result[goesOn]
        isReached = next !== undefined
        if (next === undefined) break
        this.#values.apply(next)
      }
      return [this.#values.since(mark), ways]
    })
    const stopped =
      ends.length >= MOST_WAYS
        ? this.#blurred(checked)
        : ends.reduce<Delta | undefined>((all, way) => this.#values.either(all, way), undefined)
    const passed = isReached ? through : undefined
    return goesOn === 'success' ? { success: passed, failure: stopped } : { success: stopped, failure: passed }
  }

  #choice(checked: CheckedNode): Ends {
    const [test, then, otherwise] = checked.children
    if (test === undefined) return this.#unknown(checked)
    return this.#apart((mark) => {
      if (checked.node.manifest.type === 'while_do_else') this.#blur(checked, 1)
      const answer = this.visit(test)
      const branch = (entry: Delta | undefined, child: CheckedNode | undefined): Ends => {
        if (entry === undefined) return { success: undefined, failure: undefined }
        return this.#apart(() => {
          this.#values.apply(entry)
          if (child === undefined) return { success: undefined, failure: this.#values.since(mark) }
          const { success, failure } = this.visit(child)
          return { success: success && this.#after(success, mark), failure: failure && this.#after(failure, mark) }
        })
      }
      const [first, second] = [branch(answer.success, then), branch(answer.failure, otherwise)]
      this.#values.undo(mark)
      return this.#either(first, second)
    })
  }

  #parallel(checked: CheckedNode): Ends {
    const { policy } = checked.node.params
    const ends = checked.children.map((child) => this.#conditions.inChild(child, () => this.visit(child)))
    const isAll = policy === 'require_all'
    if (isAll && ends.some(({ success }) => success === undefined)) return { success: undefined, failure: this.#blurred(checked) }
    const success = this.#apart((mark) => {
      this.#blur(checked)
      // The values of several writers are merged: only that there is one is known.
      for (const [i, { success: delta }] of isAll ? ends.entries() : []) {
        const { keys, isOpaque } = this.#writes[checked.children[i]?.index ?? -1] ?? { keys: new Set<string>(), isOpaque: false }
        for (const key of keys) {
          const known = delta?.keys.get(key)
          if (known === undefined ? isOpaque : !known.isMissing) this.#values.write(key)
        }
      }
      return this.#values.since(mark)
    })
    return { success, failure: this.#blurred(checked) }
  }

  /** The items of a parallel loop write apart from each other, and what they write is merged. */
  #sideBySide(checked: CheckedNode): Ends {
    this.#loop(checked)
    const any = this.#blurred(checked)
    return { success: any, failure: any }
  }

  /** The second round of a loop comes after what the first has written. */
  #loop(checked: CheckedNode): Ends {
    const [child] = checked.children
    const { manifest, params } = checked.node
    if (child === undefined) return this.#unknown(checked)
    const { success, failure } = this.#apart((mark): Ends => {
      this.#blur(child, 1)
      if (manifest.type === 'for_each') this.#values.write(textOf(params.item_key))
      if (manifest.type === 'for_each' && params.index_key !== undefined) this.#values.write(textOf(params.index_key))
      const body = this.visit(child)
      return { success: body.success && this.#after(body.success, mark), failure: body.failure && this.#after(body.failure, mark) }
    })
    if (manifest.type === 'retry') return { success, failure }
    if (manifest.type === 'for_each') return this.#afterEach(checked, { success, failure })
    const { until_success, until_failure, count } = params
    const done = [until_success === true || count !== undefined ? success : undefined, until_failure === true ? failure : undefined]
    const isFailing = until_failure !== true && until_success !== true
    const counted = count !== undefined ? failure : undefined
    return {
      success: done.reduce<Delta | undefined>((a, b) => this.#values.either(a, b), counted),
      failure: isFailing ? failure : undefined,
    }
  }

  /** The keys of the item are gone after the last one. An empty collection changes nothing. */
  #afterEach({ node }: CheckedNode, { success, failure }: Ends): Ends {
    const gone = [node.params.item_key, node.params.index_key].flatMap((key) => (key === undefined ? [] : [textOf(key)]))
    const ended = (delta: Delta): Delta =>
      this.#apart((mark) => {
        this.#values.apply(delta)
        for (const key of gone) this.#values.remove(key)
        return this.#values.since(mark)
      })
    const nothing = { ...NO_CHANGE, keys: new Map(gone.map((key) => [key, { domain: NIL, isMissing: true, isWritten: false }])) }
    const any = this.#values.either(success && ended(success), nothing)
    // With continue_on_failure a failed item is passed over.
    return {
      success: node.params.continue_on_failure === true ? this.#values.either(any, failure && ended(failure)) : any,
      failure: this.#values.either(failure && ended(failure), nothing),
    }
  }

  /** The condition is evaluated with each tick, also after the child has written. */
  #guard(checked: CheckedNode): Ends {
    const [child] = checked.children
    return this.#apart((mark) => {
      if (child !== undefined) this.#blur(child, 1)
      const truth = this.#conditions.judgeParameter(checked)
      const refused = truth.canBeFalse ? this.#apart(() => (truth.assume(false) ? this.#values.since(mark) : undefined)) : undefined
      if (child === undefined || !truth.canBeTrue || !truth.assume(true)) {
        this.#values.undo(mark)
        return { success: undefined, failure: refused }
      }
      const { success, failure } = this.visit(child)
      const [done, failed] = [success && this.#after(success, mark), failure && this.#after(failure, mark)]
      this.#values.undo(mark)
      return { success: done, failure: this.#values.either(failed, refused) }
    })
  }

  #withOnFailure(checked: CheckedNode): Ends {
    const [root, onFailure] = checked.children
    if (root === undefined || onFailure === undefined) return this.#unknown(checked)
    const { success, failure } = this.visit(root)
    if (failure !== undefined) {
      this.#apart(() => {
        this.#values.apply(failure)
        this.visit(onFailure)
      })
    }
    return { success, failure: failure === undefined ? undefined : this.#blurred(checked) }
  }

  #decorator(checked: CheckedNode): Ends {
    const [child] = checked.children
    if (child === undefined || checked.children.length > 1) return this.#unknown(checked)
    const { success, failure } = this.visit(child)
    switch (checked.node.manifest.type) {
      case 'inverter':
        return { success: failure, failure: success }
      case 'always_succeed':
        return { success: this.#values.either(success, failure), failure: undefined }
      case 'always_fail':
        return { success: undefined, failure: this.#values.either(success, failure) }
      case 'timeout':
        return { success, failure: this.#values.either(failure, this.#blurred(child)) }
      case 'cooldown':
        return { success, failure: this.#values.either(failure, NO_CHANGE) }
      case 'delay':
        return { success, failure }
      case 'run_once':
        return { success, failure }
      default:
        return this.#unknown(checked, true)
    }
  }

  /** A node of a host may tick its children in any order. */
  #unknown(checked: CheckedNode, isVisited = false): Ends {
    if (!isVisited) {
      this.#apart(() => {
        this.#blur(checked)
        for (const child of checked.children) this.visit(child)
      })
    }
    return { success: this.#blurred(checked), failure: this.#blurred(checked) }
  }
}
