import { faultData, type Json } from '../../../kernel/index.ts'
import type { PureFunction } from '../compile/pure-functions.ts'
import type { NodeBoard, Settled, TreeNode } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { functionFailed, functionResult } from './function-answers.ts'
import { stagedBoard } from './staged-board.ts'

/** What a pure function sees of a tick. */
export interface PureCall {
  readonly node: TreeNode
  readonly board: NodeBoard
  readonly event: Json | undefined
  readonly args: Json
  /** `condition` or `callback`; absent for an action. */
  readonly as?: string | undefined
}

/** Calls a pure function in the step. Its result is that of the port of functions. What it throws, and a promise, is R1254. */
export function callPure({ name, run }: PureFunction, { node, board: at, event, args, as }: PureCall): Settled {
  const { board, writes } = stagedBoard((key) => at.get(key))
  try {
    const context = { blackboard: board, event: structuredClone(event), nodeId: node.id, nodePath: node.path }
    const answer: unknown = run(context, structuredClone(args))
    if (answer instanceof Promise) throw asynchronous(name, answer)
    return { ok: true, value: functionResult(name, as, answer as ReturnType<typeof run>, writes) }
  } catch (thrown) {
    return { ok: false, fault: faultData(functionFailed(name, thrown)) }
  }
}

function asynchronous(name: string, answer: Promise<unknown>): Error {
  answer.catch(() => undefined)
  return faults.make('R1254', `the pure function ${name} returned a promise`, {
    fix: 'answer at once, or register it without pure, so that it is an effect',
  })
}
