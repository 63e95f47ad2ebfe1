import type { Middleware } from './middleware.ts'

/**
 * Signals how an execution ended: an event for listeners and `events.jsonl`, a line for subscribers and the trace. Never
 * halts (seed pipeline 15.2).
 */
export const signalEmit: Middleware = {
  name: 'signal_emit',
  after(token, { status }) {
    const { node, typed } = token.scene
    token.note('signal', { topic: 'orchestrator.node', node_type: node.rawType, status, graph_id: typed.graph.id })
    return undefined
  },
}
