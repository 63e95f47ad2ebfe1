import type { Json, JsonObject } from '../../../kernel/index.ts'

/** What an outside operation of a tree gets besides its arguments. */
export interface OperationContext {
  /** Aborted when the node is halted, or its time is over. */
  readonly signal: AbortSignal
  /** The same for the same operation. */
  readonly key: string
  /** Reports progress: for a model `{ text }`, the next piece of its answer. */
  readonly part: (delta: Json) => void
}

/** Asks models. The request has `messages`, and `model`, `tools`, `maxTokens`, `temperature` if the node states them; the reply has `text`, `usage`, `calls`. */
export interface LlmClient {
  complete(request: JsonObject, context: OperationContext): Promise<Json>
}

/** Executes tools by name. */
export interface ToolExecutor {
  execute(tool: string, args: Json, context: OperationContext): Json | Promise<Json>
}

/** The container of what a host injects into trees. Nodes read it as `ctx.services`; other names are the host's own. */
export interface Services {
  /** Without it, a node that asks a model fails with `R1219`. */
  readonly llmClient?: LlmClient
  /** Without it, a node that calls a tool fails with `R1219`. */
  readonly toolExecutor?: ToolExecutor
  readonly [name: string]: unknown
}
