import { type Fault, isFault, type Json } from '../../../kernel/index.ts'
import { type ExpressionCode, truthOf, valueOf } from '../compile/code.ts'
import type { NodeConditions } from '../compile/compiled.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { PureFunction } from '../compile/pure-functions.ts'
import type { Environment } from '../lua/expression/index.ts'
import { type FAILURE, type Outcome, type Settled, SKIPPED, SUCCESS, type Tick } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { boundArguments } from '../nodes/bound-arguments.ts'
import { FUNCTION_PORT, SCRIPT_PORT } from '../nodes/conditions.ts'
import { callPure } from './pure-call.ts'

/** The conditions and expressions of nodes, in one tick. */
export class NodeCode {
  readonly #tick: Tick

  constructor(tick: Tick) {
    this.#tick = tick
  }

  /** Returns what the pre-conditions of a node answer in its place, in the order of BehaviorTree.CPP. */
  before(node: LaidNode, { failureIf, successIf, skipIf, while: holds }: NodeConditions): Outcome | undefined {
    if (failureIf !== undefined && this.holds(node, failureIf)) return this.#tick.fail(node, `failure_if of ${node.id} is true`)
    if (successIf !== undefined && this.holds(node, successIf)) return SUCCESS
    if (skipIf !== undefined && this.holds(node, skipIf)) return SKIPPED
    return holds !== undefined && !this.holds(node, holds) ? SKIPPED : undefined
  }

  /** Makes the assignments that follow the end of a node. Returns its answer: a refused assignment is a failure. */
  after(node: LaidNode, { onSuccess, onFailure, after }: NodeConditions, outcome: typeof SUCCESS | typeof FAILURE): typeof outcome {
    for (const assignments of [outcome === SUCCESS ? onSuccess : onFailure, after]) {
      const refused = this.assign(node, assignments ?? [])
      if (refused !== undefined) return this.#tick.fail(node, refused)
    }
    return outcome
  }

  assign(node: LaidNode, assignments: readonly (readonly [key: string, value: ExpressionCode])[]): Fault | undefined {
    for (const [key, code] of assignments) {
      const result = valueOf(code, this.#environment(node))
      if ('error' in result) return faults.make('R1242', `${node.path} assigns ${key}: ${result.error}`, { rule: 'E5002', path: node.path })
      try {
        const board = this.#tick.board(node)
        if (key.startsWith('@')) board.setGlobal(key.slice(1), result.value)
        else board.set(key, result.value)
      } catch (thrown) {
        if (isFault(thrown)) return thrown
        throw thrown
      }
    }
    return undefined
  }

  /** True if a condition holds; one that cannot be evaluated does not. */
  holds(node: LaidNode, code: ExpressionCode): boolean {
    const result = truthOf(code, this.#environment(node))
    return 'value' in result && result.value
  }

  test(node: LaidNode, condition: Json): boolean | Fault | undefined {
    const code = node.tree.code.get(JSON.stringify(condition))
    if (code === undefined) throw new TypeError(`${node.path} has a condition that was not compiled`)
    const pure = code.is === 'function' ? node.tree.pure.get(code.name) : undefined
    if (code.is === 'function' && pure !== undefined) {
      const args = boundArguments(this.#tick.board(node), code.args, code.inputs)
      const result = this.#call(pure, node, args, 'condition')
      return result.ok ? result.value === true : faults.make('R1254', result.fault.message, { path: node.path, cause: result.fault.cause })
    }
    if (code.is !== 'expression') {
      const [port, args] =
        code.is === 'script'
          ? [SCRIPT_PORT, { node: node.path, as: 'condition', code: code.text }]
          : [FUNCTION_PORT, { fn: code.name, args: boundArguments(this.#tick.board(node), code.args, code.inputs), as: 'condition' }]
      this.#tick.request(node, port, args, { isLimited: false })
      return undefined
    }
    const result = truthOf(code, this.#environment(node))
    if ('value' in result) return result.value
    return faults.make('R1242', `${node.path}: ${result.error}`, { rule: 'E5002', path: node.path })
  }

  evaluate(node: LaidNode, expression: string): { readonly value: Json } | { readonly error: string } {
    const code = node.tree.code.get(JSON.stringify(expression))
    if (code?.is !== 'expression') throw new TypeError(`${node.path} has an expression that was not compiled`)
    return valueOf(code, this.#environment(node))
  }

  /** Calls a function in the step; undefined if it is not pure. */
  compute(node: LaidNode, fn: string, args: Json, as?: string): Settled | undefined {
    const pure = node.tree.pure.get(fn)
    return pure === undefined ? undefined : this.#call(pure, node, args, as)
  }

  #call(pure: PureFunction, node: LaidNode, args: Json, as?: string): Settled {
    return callPure(pure, { node, board: this.#tick.board(node), event: this.#tick.event, args, as })
  }

  #environment(node: LaidNode): Environment {
    const tick = this.#tick
    const board = tick.board(node)
    return {
      bb: (key) => board.get(key),
      has: (key) => board.has(key),
      ctx: (field) => {
        if (field === 'tick_count') return tick.count
        if (field === 'node_id') return node.id
        return field === 'tree_id' ? node.tree.id : tick.event
      },
    }
  }
}
