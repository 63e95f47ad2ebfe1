import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import type { NodeContext } from '../../contract/handler.ts'
import type { ActionSteps, Action } from './action.ts'
import { ACTION_FACTS, canonicalAction } from '../../model/action-facts.ts'

/** The limits of actions in one turn, and of characters of one result. */
const MOST = 20
const SHOWN = 4_000
/** Actions that an agent must not perform through its session: running programs, its own session, evaluations. */
const REFUSED = /^(?:pipeline_|session_|eval_pipeline_)/

/**
 * Performs the actions that an agent has chosen, in order, and returns their results to it. Each is checked like any other
 * action when it is performed. A failed action is a result, not a failure of the node.
 */
export const executeActions = (perform: (context: NodeContext, name: string, params: JsonObject) => ActionSteps): Action =>
  function* (context, values) {
    const list = values['actions'] ?? []
    const actions = (isList(list) ? list : []).filter(isObject).slice(0, MOST)
    const percepts: JsonObject[] = []
    for (const action of actions) percepts.push(yield* perceptOf(context, action, perform))
    const before = Number(values['tool_turn'] ?? context.get('session.tool_turn') ?? 0)
    const turn = (Number.isFinite(before) ? before : 0) + (percepts.length > 0 ? 1 : 0)
    return { result: { has_action_results: percepts.length > 0, percepts, tool_turn: turn } }
  }

function* perceptOf(
  context: NodeContext,
  action: JsonObject,
  perform: (context: NodeContext, name: string, params: JsonObject) => ActionSteps,
) {
  const type = renderText(action['type'] ?? action['action'])
  const { type: _type, action: _action, params, ...others } = action
  const report = (status: string, result: Json): JsonObject => ({ type, status, result })
  if (REFUSED.test(canonicalAction(type))) return report('refused', 'an agent must not perform this action')
  // The result influences the next decision of the agent, so it must not contain text from outside.
  if (ACTION_FACTS.get(canonicalAction(type))?.origin === 'outside')
    return report('refused', 'an action that reads from outside needs its own node')
  const done = yield* perform(context, type, isObject(params) ? params : others)
  if ('problem' in done) return report('failed', done.problem)
  const text = renderText(done.result)
  return report('done', text.length <= SHOWN ? done.result : `${text.slice(0, SHOWN)}…`)
}
