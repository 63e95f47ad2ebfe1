import {
  copyJson,
  isObject,
  type Json,
  type JsonObject,
  type Redactor,
  type Call,
  type Port,
  usageOfResult,
} from '../../../kernel/index.ts'
import type { ModelMessage, ModelReply, ModelRequest, ToolOffer } from '../../../models/index.ts'
import { type ContextView, contextOf, type NodeView, viewOf } from '../engine/custom.ts'
import type { TypedGraph } from '../model/typed.ts'
import { requestOfCall } from '../contract/conversation.ts'
import { type Outcome, readOutcome } from '../contract/outcome.ts'
import { nodeOf } from '../contract/position.ts'

/** The request that a backend gets beside node, prompt and context (reference pipeline 4.3.1). */
export interface LlmRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  /** Absent if neither the program nor the host names a model. */
  readonly model: string | undefined
  readonly tools: readonly ToolOffer[]
  /** The complete request. */
  readonly request: ModelRequest
  readonly signal: AbortSignal
  /**
   * Reports a delta of the answer to the observers of the run, at most ten times per second. Deltas between two times are joined: texts and
   * lists, also under the same key, continue one another, any other value replaces the one before. With `begins`, the delta replaces all
   * earlier ones.
   */
  onEvent(event: Json, begins?: boolean): void
}

/** An answer as text with its tool calls, usage and model. */
export interface LlmText {
  readonly text: string
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args?: JsonObject }[]
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cost?: number }
  readonly model?: string
}

/** The answers of a backend. An `Outcome` becomes the outcome of the node. */
export type LlmAnswer = string | LlmText | Outcome | JsonObject

/** Answers prompts in place of a model. An error that it throws fails the node; a network error may be retried. */
export interface LlmBackend {
  (node: NodeView, prompt: string, context: ContextView, request: LlmRequest): LlmAnswer | Promise<LlmAnswer>
}

/** The default backend: returns a simulated answer. */
export const simulatedBackend: LlmBackend = ({ id }) => `[Simulated] Response for stage: ${id}`

/**
 * Returns the port `model` for a backend. `redact` removes secrets from its answers. The call is repeated after a crash,
 * because a backend has no side effects.
 */
export function backendPort(backend: LlmBackend, redact: Redactor): Port {
  return {
    leaves: false,
    repeat: 'free',
    used: usageOfResult,
    accept: (reply) => redact(copyJson(reply, 'the answer of the backend')),
    perform: (call) => answerOf(backend, call),
    simulate: (call) => answerOf(simulatedBackend, call),
  }
}

async function answerOf(backend: LlmBackend, call: Call): Promise<ReturnType<typeof replyOf>> {
  const request = requestOfCall(call) as unknown as ModelRequest
  const node = viewOf(call.def as TypedGraph, nodeOf(call.frame.position) ?? '')
  return replyOf(await backend(node, lastUser(request), contextOf(call), requestOf(request, call)), request)
}

function requestOf(request: ModelRequest, call: Call): LlmRequest {
  const { messages, model, tools = [] } = request
  return {
    system: messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n'),
    messages,
    model,
    tools,
    request,
    get signal() {
      return call.signal
    },
    onEvent: (event, begins) => call.part(event, begins),
  }
}

function lastUser({ messages }: ModelRequest): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? ''
}

function replyOf(answer: unknown, { model: asked = 'backend' }: ModelRequest): ModelReply & { readonly outcome?: Outcome } {
  const plain = { model: asked, finish: 'stop', usage: { input: 0, output: 0 }, tries: 1 } as const
  if (typeof answer === 'string') return { ...plain, text: answer }
  const object = isObject(answer) ? answer : {}
  const { text, tool_calls, usage, model } = object as unknown as Partial<LlmText>
  if (typeof text !== 'string') {
    const outcome = readOutcome(answer)
    if (outcome === undefined) throw new TypeError('the backend answered with neither text nor an outcome')
    return { ...plain, text: outcome.notes ?? '', outcome }
  }
  const calls = (tool_calls ?? []).map(({ id, name, args = {} }, i) => ({ id: id ?? `call-${i + 1}`, name, args }))
  return {
    ...plain,
    text,
    ...(model === undefined ? {} : { model }),
    ...(calls.length === 0 ? {} : { calls, finish: 'tools' as const }),
    usage: { input: usage?.input ?? 0, output: usage?.output ?? 0 },
    ...(usage?.cost === undefined ? {} : { cost: usage.cost }),
  }
}
