import type { Middleware } from './middleware.ts'
import { budget } from './budget.ts'
import { capabilityCheck } from './capability-check.ts'
import { safeInput } from './safe-input.ts'
import { sanitization } from './sanitization.ts'
import { taintCheck } from './taint-check.ts'

/**
 * The journal is the checkpoint: the record that begins an execution is its mark, and is durable before anything leaves
 * (reference pipeline 3.13). This member keeps its place in the chain, which no author may leave out.
 */
const checkpoint: Middleware = { name: 'checkpoint' }

/**
 * Signals how an execution ended: an event for listeners and `events.jsonl`, a line for subscribers and the trace. Never
 * halts (seed pipeline 15.2).
 */
const signalEmit: Middleware = {
  name: 'signal_emit',
  after(token, { status }) {
    const { node, typed } = token.context
    token.note('signal', { topic: 'orchestrator.node', node_type: node.rawType, status, graph_id: typed.graph.id })
    return undefined
  },
}

/** The seven that surround every execution of every node, in their order (seed pipeline 5.1). */
export const MANDATORY: readonly Middleware[] = [capabilityCheck, taintCheck, sanitization, safeInput, checkpoint, budget, signalEmit]
