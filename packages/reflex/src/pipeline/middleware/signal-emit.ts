import type { Middleware } from './middleware.ts'

/** Tells who listens what a node came to; never halts (seed pipeline 15.2). */
export const signalEmit: Middleware = {
  name: 'signal_emit',
  after(token, { status }) {
    const { node, typed } = token.scene
    token.note('signal', { topic: 'orchestrator.node', node_type: node.rawType, status, graph_id: typed.graph.id })
    return undefined
  },
}
