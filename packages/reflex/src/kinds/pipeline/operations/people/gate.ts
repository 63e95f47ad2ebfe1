import type { NodeContext } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'

/** Returns a text without the code fence around it. */
export function unfenced(text: string): string {
  return /```[\w-]*[ \t]*\r?\n([\s\S]*?)```/.exec(text)?.[1] ?? text
}

export function gateOutcome(context: NodeContext, passed: boolean, reason: string): Outcome {
  const updates = { [`gate.${context.node.id}.passed`]: passed }
  return passed ? success(updates) : refusal(`${context.node.id}: ${reason}`, { context_updates: updates })
}
