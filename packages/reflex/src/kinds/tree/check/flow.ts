import type { ExpressionCode } from '../compile/code.ts'
import type { Assignments } from '../compile/compiled.ts'
import { choice, inOrder, parallel } from './flow-composites.ts'
import { guard, loop, sideBySide } from './flow-loops.ts'
import type { CheckedNode } from './subject.ts'
import { type Delta, type Ends, NO_CHANGE } from './values-at.ts'
import { type FlowParts, Walk } from './walk.ts'

/** Walks through a tree in the order of its ticks, with what is known of each key at each node. A node that no tick reaches is not visited. */
export class Flow {
  readonly #walk: Walk

  constructor(parts: FlowParts) {
    this.#walk = new Walk(parts, (checked) => this.visit(checked))
  }

  /** Visits a node with its conditions and assignments. */
  visit(checked: CheckedNode): Ends {
    const { conditions } = checked.node
    if (conditions === undefined) return this.#bare(checked)
    const mark = this.#walk.values.mark()
    const early: Ends[] = []
    const leave = (code: ExpressionCode | undefined, name: string, ends: (here: Delta) => Ends, when = true): boolean => {
      if (code === undefined) return true
      const truth = this.#walk.conditions.judge(checked, name, code, when ? 'leaves' : 'stays')
      if (when ? truth.canBeTrue : truth.canBeFalse) {
        const before = this.#walk.values.mark()
        if (truth.assume(when)) early.push(ends(this.#walk.values.since(mark)))
        this.#walk.values.undo(before)
      }
      return (when ? truth.canBeFalse : truth.canBeTrue) && truth.assume(!when)
    }
    const isReached =
      leave(conditions.failureIf, 'failure_if', (here) => ({ success: undefined, failure: here })) &&
      leave(conditions.successIf, 'success_if', (here) => ({ success: here, failure: undefined })) &&
      leave(conditions.skipIf, 'skip_if', (here) => ({ success: here, failure: here })) &&
      leave(conditions.while, 'while', (here) => ({ success: here, failure: here }), false)
    if (isReached) early.push(this.#withAssignments(checked, mark))
    this.#walk.values.undo(mark)
    return early.reduce((a, b) => this.#walk.either(a, b), { success: undefined, failure: undefined })
  }

  #withAssignments(checked: CheckedNode, mark: number): Ends {
    const { onSuccess, onFailure, after } = checked.node.conditions ?? {}
    const { success, failure } = this.#bare(checked)
    const ended = (delta: Delta | undefined, ...assignments: readonly (Assignments | undefined)[]): Delta | undefined => {
      if (delta === undefined) return undefined
      const before = this.#walk.values.mark()
      this.#walk.values.apply(delta)
      for (const each of assignments) this.#walk.leaves.assign(checked, each ?? [])
      const result = this.#walk.values.since(mark)
      this.#walk.values.undo(before)
      return result
    }
    return { success: ended(success, onSuccess, after), failure: ended(failure, onFailure, after) }
  }

  #bare(checked: CheckedNode): Ends {
    this.#walk.leaves.readInputs(checked)
    const { type, role } = checked.node.manifest
    switch (type) {
      case 'sequence':
      case 'selector':
      case 'reactive_sequence':
      case 'reactive_selector':
      case 'sequence_with_memory':
      case 'selector_with_memory':
        return inOrder(this.#walk, checked, type.startsWith('sequence') || type === 'reactive_sequence' ? 'success' : 'failure')
      case 'if_then_else':
      case 'while_do_else':
        return choice(this.#walk, checked)
      case 'parallel':
        return parallel(this.#walk, checked)
      case 'for_each':
        return checked.node.params.parallel === true ? sideBySide(this.#walk, checked) : loop(this.#walk, checked)
      case 'repeater':
      case 'retry':
        return loop(this.#walk, checked)
      case 'guard':
        return guard(this.#walk, checked)
      case 'with_on_failure':
        return this.#withOnFailure(checked)
      default:
        return role === 'leaf' ? this.#walk.leaves.visit(checked) : this.#decorator(checked)
    }
  }

  #withOnFailure(checked: CheckedNode): Ends {
    const [root, onFailure] = checked.children
    if (root === undefined || onFailure === undefined) return this.#walk.unknown(checked)
    const { success, failure } = this.visit(root)
    if (failure !== undefined) {
      this.#walk.apart(() => {
        this.#walk.values.apply(failure)
        this.visit(onFailure)
      })
    }
    return { success, failure: failure === undefined ? undefined : this.#walk.blurred(checked) }
  }

  #decorator(checked: CheckedNode): Ends {
    const [child] = checked.children
    if (child === undefined || checked.children.length > 1) return this.#walk.unknown(checked)
    const { success, failure } = this.visit(child)
    switch (checked.node.manifest.type) {
      case 'inverter':
        return { success: failure, failure: success }
      case 'always_succeed':
        return { success: this.#walk.values.either(success, failure), failure: undefined }
      case 'always_fail':
        return { success: undefined, failure: this.#walk.values.either(success, failure) }
      case 'timeout':
        return { success, failure: this.#walk.values.either(failure, this.#walk.blurred(child)) }
      case 'cooldown':
        return { success, failure: this.#walk.values.either(failure, NO_CHANGE) }
      case 'delay':
        return { success, failure }
      case 'run_once':
        return { success, failure }
      default:
        return this.#walk.unknown(checked, true)
    }
  }
}
