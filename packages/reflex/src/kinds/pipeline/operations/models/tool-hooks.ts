import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { performAll } from '../../contract/asks.ts'
import type { Answer, Ask, EffectAsk, Handler, Scene, Settled } from '../../contract/handler.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { sandboxOf, stageFolder } from '../commands/hooks.ts'

/** Milliseconds for a hook (reference pipeline 10.3). */
const TIMEOUT = 60_000
/** Characters of a payload in a variable: systems bound what one variable may hold. The input of the command has all of it. */
const MOST_VARIABLE = 32_000

/** A call of a tool as its hooks are told of it. */
interface HookedCall {
  readonly tool: string
  readonly id: string
  readonly args: Json
}

/** What ended a call, beside it. */
type HookedEnd = HookedCall & { readonly result: Json }

type Phase = 'pre' | 'post'

/**
 * Runs the hook before calls of tools, all at once; which of the calls are to be made: not those whose hook ended with
 * another code than 0, said no, or could not be run.
 */
export function* hooksBefore<Called extends HookedCall>(scene: Scene, calls: readonly Called[]): Generator<Ask, readonly Called[], Answer> {
  const hook = hookOf(scene, 'pre')
  if (hook === undefined) return calls
  const settled = yield* performAll(calls.map((call) => hookAsk(scene, hook, 'pre', call)))
  for (const [i, { tool, id }] of calls.entries())
    scene.note('tool_hook_pre', { node_id: scene.node.id, tool, tool_call_id: id, result: agrees(settled[i]) ? 'ok' : 'skip' })
  return calls.filter((_, i) => agrees(settled[i]))
}

/** Runs the hook after calls of tools; what it says is recorded and changes nothing. */
export function* hooksAfter(scene: Scene, calls: readonly HookedEnd[]): Generator<Ask, void, Answer> {
  const hook = hookOf(scene, 'post')
  if (hook === undefined) return
  const settled = yield* performAll(calls.map((call) => hookAsk(scene, hook, 'post', call)))
  for (const [i, { tool, id }] of calls.entries())
    scene.note('tool_hook_post', { node_id: scene.node.id, tool, tool_call_id: id, result: agrees(settled[i]) ? 'ok' : 'failed' })
}

/** A handler that is itself one call of a tool, with the hooks around it: a call that is skipped skips the node. */
export function withToolHooks(handler: Handler, argsOf: (scene: Scene) => JsonObject): Handler {
  return (scene) =>
    hookOf(scene, 'pre') === undefined && hookOf(scene, 'post') === undefined ? handler(scene) : hooked(scene, handler, argsOf(scene))
}

function* hooked(scene: Scene, handler: Handler, args: JsonObject): Generator<Ask, Outcome, Answer> {
  const call = { tool: scene.node.id, id: scene.node.id, args }
  const made = yield* hooksBefore(scene, [call])
  if (made.length === 0) return { status: 'skipped', notes: 'skipped by hook' }
  const begun = handler(scene)
  const outcome = 'next' in begun ? yield* begun : begun
  const { status, context_updates = {}, failure_reason } = outcome
  yield* hooksAfter(scene, [{ ...call, result: { status, context_updates, ...(failure_reason === undefined ? {} : { failure_reason }) } }])
  return outcome
}

/** The command of a hook, or `true` for a function of the host: the node's, else the graph's, else the host's (reference pipeline 10.3). */
function hookOf({ attributes, typed, charter }: Scene, phase: Phase): string | true | undefined {
  const key = `tool_hooks.${phase}`
  return textOf(attributes, key)?.trim() || textOf(typed.graph.attributes, key)?.trim() || charter.toolHooks?.[phase]
}

function hookAsk(scene: Scene, hook: string | true, phase: Phase, { tool, id, ...more }: HookedCall): EffectAsk {
  const facts: JsonObject = { phase, tool_name: tool, tool_call_id: id, node_id: scene.node.id, arguments: more.args, ...resultOf(more) }
  if (hook === true) return { effect: 'tool_hook', args: facts }
  const payload = JSON.stringify(facts)
  const { arguments: _arguments, result: _result, ...about } = facts
  const environment = {
    TOOL_NAME: tool,
    TOOL_CALL_ID: id,
    TOOL_HOOK_PHASE: phase,
    TOOL_HOOK_PAYLOAD: payload.length <= MOST_VARIABLE ? payload : JSON.stringify({ ...about, truncated: true }),
  }
  const stage = stageFolder(scene)
  const args = { command: hook, environment, stdin: payload, timeout: TIMEOUT, stage, ...sandboxOf(scene) }
  return { effect: 'tool', args: { tool: 'shell', args } }
}

function resultOf(more: object): JsonObject {
  return 'result' in more ? { result: more.result as Json } : {}
}

/** Whether a hook lets a call be: a command that ended with 0, a function that did not say no. */
function agrees(settled: Settled | undefined): boolean {
  if (settled === undefined || settled.error !== undefined) return false
  const { ok } = settled
  return isObject(ok) ? (ok['code'] ?? 0) === 0 && ok['skip'] !== true : ok !== false && ok !== 'skip'
}
