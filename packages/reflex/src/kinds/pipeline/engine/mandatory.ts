import type { Middleware } from './middleware.ts'
import { budget } from './budget.ts'
import { capabilityCheck } from './capability-check.ts'
import { safeInput } from './safe-input.ts'
import { sanitization } from './sanitization.ts'
import { taintCheck } from './taint-check.ts'

/**
 * The member `checkpoint`. The journal is the checkpoint: the record that begins an execution is durable before
 * anything leaves (reference pipeline 3.13). The member keeps its place in the chain, and no author can skip it.
 */
const checkpoint: Middleware = { name: 'checkpoint' }

/**
 * Signals the outcome of an execution: an event for listeners and `events.jsonl`, a line for subscribers and the trace.
 * It never halts (seed pipeline 15.2).
 */
const signalEmit: Middleware = {
  name: 'signal_emit',
  after(token, { status }) {
    const { node, typed } = token.context
    token.note('signal', { topic: 'orchestrator.node', node_type: node.rawType, status, graph_id: typed.graph.id })
    return undefined
  },
}

/** The seven members around every execution of every node, in order (seed pipeline 5.1). */
export const MANDATORY: readonly Middleware[] = [capabilityCheck, taintCheck, sanitization, safeInput, checkpoint, budget, signalEmit]
