import type { Middleware } from './middleware.ts'

/**
 * The journal is the checkpoint: the record that begins an execution is its mark, and is durable before anything leaves
 * (reference pipeline 3.13). This member keeps its place in the chain, which no author may leave out.
 */
export const checkpoint: Middleware = { name: 'checkpoint' }
