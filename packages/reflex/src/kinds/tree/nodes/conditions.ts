import { isObject, type Json } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'
import { type Next, OPEN, type Settled, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'

/** The port that runs what is neither data nor a program: Lua in a worker, and functions of the host. */
export const SCRIPT_PORT = 'script'
export const FUNCTION_PORT = 'function'
/** The word in the arguments of a function that is called beside the operation of its node. */
export const CALLBACK = 'callback'

/**
 * Evaluates a condition: SUCCESS if it is true, FAILURE with a reason if it is not or cannot be evaluated, OPEN if it is Lua or a function that
 * has to be run first.
 */
export function ask(tick: Tick, node: TreeNode, condition: Json | undefined): Next {
  const isTrue = tick.test(node, condition ?? null)
  if (isTrue === undefined) return OPEN
  if (isTrue === true) return SUCCESS
  return tick.fail(node, isTrue === false ? falseReason(condition) : isTrue)
}

/** The answer of a condition that was run. */
export function answerOf(tick: Tick, node: TreeNode, settled: Settled): Next {
  if (!settled.ok) return tick.fail(node, settled.fault)
  return isTruthy(settled.value) ? SUCCESS : tick.fail(node, falseReason(node.params.condition))
}

/** The longest text of a condition in a reason. */
const MOST = 200

function falseReason(condition: Json | undefined): string {
  const text = textOf(isObject(condition) ? condition.fn : condition).trim()
  return `${text.length > MOST ? `${text.slice(0, MOST)}…` : text} is false`
}

/** True for every value of Lua but nil and false. */
export function isTruthy(value: Json): boolean {
  return value !== null && value !== false
}
