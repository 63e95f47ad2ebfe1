import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { performAll } from '../../contract/asks.ts'
import type { Answer, Ask, EffectAsk, Handler, NodeContext, Settled } from '../../contract/handler.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { sandboxOf, stageFolder } from '../commands/hooks.ts'

/** The time limit of a hook in milliseconds (reference pipeline 10.3). */
const TIMEOUT = 60_000
/**
 * The limit of characters of a payload in an environment variable, whose size the system limits. The input of the command has
 * the whole payload.
 */
const MOST_VARIABLE = 32_000

/** A call of a tool as its hooks receive it. */
interface HookedCall {
  readonly tool: string
  readonly id: string
  readonly args: Json
}

/** A call with its result. */
type HookedResult = HookedCall & { readonly result: Json }

type Phase = 'pre' | 'post'

/** Runs the hook before calls of tools, all at once. Returns the calls to make: those whose hook ended with code 0 and did not refuse. */
export function* runPreHooks<Called extends HookedCall>(
  context: NodeContext,
  calls: readonly Called[],
): Generator<Ask, readonly Called[], Answer> {
  const hook = hookOf(context, 'pre')
  if (hook === undefined) return calls
  const settled = yield* performAll(calls.map((call) => hookAsk(context, hook, 'pre', call)))
  for (const [i, { tool, id }] of calls.entries())
    context.note('tool_hook_pre', { node_id: context.node.id, tool, tool_call_id: id, result: isApproved(settled[i]) ? 'ok' : 'skip' })
  return calls.filter((_, i) => isApproved(settled[i]))
}

/** Runs the hook after calls of tools. Its result is recorded and changes nothing. */
export function* runPostHooks(context: NodeContext, calls: readonly HookedResult[]): Generator<Ask, void, Answer> {
  const hook = hookOf(context, 'post')
  if (hook === undefined) return
  const settled = yield* performAll(calls.map((call) => hookAsk(context, hook, 'post', call)))
  for (const [i, { tool, id }] of calls.entries())
    context.note('tool_hook_post', { node_id: context.node.id, tool, tool_call_id: id, result: isApproved(settled[i]) ? 'ok' : 'failed' })
}

/** Returns a handler that is one call of a tool, with hooks around it. A skipped call skips the node. */
export function withToolHooks(handler: Handler, argsOf: (context: NodeContext) => JsonObject): Handler {
  return (context) =>
    hookOf(context, 'pre') === undefined && hookOf(context, 'post') === undefined
      ? handler(context)
      : runHooked(context, handler, argsOf(context))
}

function* runHooked(context: NodeContext, handler: Handler, args: JsonObject): Generator<Ask, Outcome, Answer> {
  const call = { tool: context.node.id, id: context.node.id, args }
  const allowed = yield* runPreHooks(context, [call])
  if (allowed.length === 0) return { status: 'skipped', notes: 'skipped by hook' }
  const started = handler(context)
  const outcome = 'next' in started ? yield* started : started
  const { status, context_updates = {}, failure_reason } = outcome
  yield* runPostHooks(context, [
    { ...call, result: { status, context_updates, ...(failure_reason === undefined ? {} : { failure_reason }) } },
  ])
  return outcome
}

/**
 * Returns the command of a hook, or `true` for a function of the host: that of the node, else of the graph, else of the host
 * (reference pipeline 10.3).
 */
function hookOf({ attributes, typed, permissions }: NodeContext, phase: Phase): string | true | undefined {
  const key = `tool_hooks.${phase}`
  return textOf(attributes, key)?.trim() || textOf(typed.graph.attributes, key)?.trim() || permissions.toolHooks?.[phase]
}

function hookAsk(context: NodeContext, hook: string | true, phase: Phase, { tool, id, ...more }: HookedCall): EffectAsk {
  const facts: JsonObject = { phase, tool_name: tool, tool_call_id: id, node_id: context.node.id, arguments: more.args, ...resultOf(more) }
  if (hook === true) return { effect: 'tool_hook', args: facts }
  const payload = JSON.stringify(facts)
  const { arguments: _arguments, result: _result, ...about } = facts
  const environment = {
    TOOL_NAME: tool,
    TOOL_CALL_ID: id,
    TOOL_HOOK_PHASE: phase,
    TOOL_HOOK_PAYLOAD: payload.length <= MOST_VARIABLE ? payload : JSON.stringify({ ...about, truncated: true }),
  }
  const stage = stageFolder(context)
  const args = { command: hook, environment, stdin: payload, timeout: TIMEOUT, stage, ...sandboxOf(context) }
  return { effect: 'tool', args: { tool: 'shell', args } }
}

function resultOf(more: object): JsonObject {
  return 'result' in more ? { result: more.result as Json } : {}
}

/** True if a hook approves a call: a command that ended with code 0, or a function that did not refuse. */
function isApproved(settled: Settled | undefined): boolean {
  if (settled === undefined || settled.error !== undefined) return false
  const { ok } = settled
  return isObject(ok) ? (ok['code'] ?? 0) === 0 && ok['skip'] !== true : ok !== false && ok !== 'skip'
}
