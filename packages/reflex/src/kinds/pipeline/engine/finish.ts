import type { JsonObject } from '../../../kernel/index.ts'
import { type Middleware, passAfter, type Token } from './middleware.ts'
import { isOn } from '../dot/graph.ts'
import type { TypedNode } from '../model/typed.ts'
import type { Outcome } from '../contract/outcome.ts'
import { autoStatus, exhaustedOutcome } from '../contract/retry.ts'

/** An execution without further attempts. */
export interface FinishRequest {
  readonly node: TypedNode
  readonly outcome: Outcome
  readonly chain: readonly Middleware[]
  readonly ran: number
  readonly token: Token
  /** True if the chain halted before the handler or the run was cancelled: then the outcome must not be softened. */
  readonly halted: boolean
}

/**
 * Returns the final outcome of an execution: partial success, auto status, then the chain behind the node (reference
 * pipeline 3.5, 3.6, 5.1).
 */
export function finish({ node, outcome, chain, ran, token, halted }: FinishRequest): Outcome {
  const { attributes } = node.node
  const auto = isOn(attributes, 'auto_status') && outcome.written !== true
  const softened =
    halted || outcome.halted === true ? outcome : auto ? autoStatus(outcome) : exhaustedOutcome(outcome, isOn(attributes, 'allow_partial'))
  const passed = passAfter(chain, ran, token, softened)
  if (passed.halted !== undefined) token.note('middleware_halted', { middleware: passed.halted.by, reason: passed.halted.halt })
  return passed.outcome
}

/** The keys that the engine itself provides (reference pipeline 6.1). */
const ENGINE_KEYS: ReadonlySet<string> = new Set(['current_node', 'outcome', 'preferred_label', 'last_stage', 'budget_status'])

/** True for keys that no handler may write, because the engine sets them (reference pipeline 5.6, 8). */
export function isReserved(key: string, node: TypedNode): boolean {
  if (key.startsWith('#') || key.startsWith('graph.')) return true
  if (ENGINE_KEYS.has(key)) return true
  if (key.startsWith('__')) return !(key === '__adapted_graph__' && node.canonical === 'adapt')
  return key.startsWith('internal.') && !(key.startsWith('internal.simulate.') && node.canonical === 'compute')
}

/** Returns the updates that may be applied, and the keys that were refused. */
export function allowedUpdates(
  updates: JsonObject | undefined,
  node: TypedNode,
): { readonly allowed: JsonObject; readonly refused: readonly string[] } {
  const entries = Object.entries(updates ?? {})
  const refused = entries.map(([key]) => key).filter((key) => isReserved(key, node))
  const allowed = refused.length === 0 ? (updates ?? {}) : Object.fromEntries(entries.filter(([key]) => !isReserved(key, node)))
  return { allowed, refused }
}
