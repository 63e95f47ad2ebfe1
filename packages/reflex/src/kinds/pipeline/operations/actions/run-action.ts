import { type JsonObject, isList, isObject, type Json } from '../../../../kernel/index.ts'
import { listOf } from '../../dot/graph.ts'
import { perform } from '../../contract/asks.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { stageFolder } from '../commands/hooks.ts'
import { agentOf } from '../models/session-values.ts'
import { type ActionResult, type ActionSteps, type Action, problemOf } from './action.ts'
import { gitBranch, gitCommit, gitPr, shellRun } from './shell-and-git.ts'
import { decideCouncil } from './council.ts'
import { EVALUATION_ACTIONS } from './evaluations.ts'
import { ACTION_FACTS, canonicalAction } from '../../model/action-facts.ts'
import { plainAction } from '../../model/action-names.ts'
import { applyChanges, fileGlob, fileList, fileRead, fileSearch, fileWrite } from './files.ts'
import { type Parameter, readParameters } from '../../model/action-parameters.ts'
import { runPipeline, validatePipeline } from './pipelines.ts'
import { SEARCHES, searchWith } from './search.ts'
import { SESSION_ACTIONS } from './session-actions.ts'
import { runTests } from './tests.ts'
import { implementationPrompt, recordAttempt, synthesizeReviews } from './tdd-and-reviews.ts'
import { renderText } from '../../language/render.ts'

/** The built-in actions; their facts are in `action-facts.ts`. */
const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['file_write', fileWrite],
  ['file_read', fileRead],
  ['file_search', fileSearch],
  ['file_glob', fileGlob],
  ['file_list', fileList],
  ['shell_run', shellRun],
  ['apply_changes', applyChanges],
  ['git_branch', gitBranch],
  ['git_commit', gitCommit],
  ['git_pr', gitPr],
  ...SEARCHES.map((name): [string, Action] => [name, searchWith(name)]),
  ['mix_test', runTests],
  ['run_tests', runTests],
  ['tdd_build_impl_prompt', implementationPrompt],
  ['tdd_record_attempt', recordAttempt],
  ['review_synthesize', synthesizeReviews],
  ['consensus_decide', decideCouncil],
  ['pipeline_validate', validatePipeline],
  ['pipeline_run', runPipeline],
  ...SESSION_ACTIONS,
  ...EVALUATION_ACTIONS,
  ['session_execute_actions', executeActions],
])

/**
 * Performs an action by name: an action of the host, otherwise a built-in one. An unknown name is a failure that an edge can
 * handle (reference pipeline 4.5). The capabilities of the node were checked before; ports check the files and commands that an
 * action really touches.
 */
export function* runAction(context: NodeContext, name: string, params: JsonObject): ActionSteps {
  const contextNames = listOf(context.attributes, 'context_keys').map((key) => key.split('.').at(-1) ?? key)
  return yield* performChecked(context, name, params, isAuthored, contextNames)
}

const isAuthored = (parameter: Parameter): boolean => parameter.authored === true

/** Performs an action that an agent has chosen. The agent cannot set `control` parameters, except paths, which are confined. */
function runAgentAction(context: NodeContext, name: string, params: JsonObject): ActionSteps {
  return performChecked(context, name, params, isControlled, Object.keys(params))
}

const isControlled = ({ control, authored }: Parameter): boolean => control === true || authored === true

function* performChecked(
  context: NodeContext,
  name: string,
  params: JsonObject,
  isClosed: (parameter: Parameter) => boolean,
  unauthored: readonly string[],
): ActionSteps {
  const plain = plainAction(name)
  const canonical = canonicalAction(name)
  const action = ACTIONS.get(canonical)
  if (action === undefined || context.permissions.actions?.includes(plain) === true) {
    const agent = isClosed === isControlled
    return yield* performHostAction(context, plain, params, { unauthored, ...(agent ? { by: 'agent' } : {}) })
  }
  const { parameters } = ACTION_FACTS.get(canonical) ?? { parameters: {} }
  const closed = Object.entries(parameters).flatMap(([own, parameter]) => (isClosed(parameter) ? [own, ...(parameter.also ?? [])] : []))
  const forbidden = unauthored.find((one) => closed.includes(one) && Object.hasOwn(params, one))
  if (forbidden !== undefined) return { problem: `${plain}: only the author of the pipeline writes the parameter ${forbidden}` }
  const read = readParameters(parameters, params)
  if ('problem' in read) return { problem: `${plain}: ${read.problem}` }
  const started = action(context, read.values)
  return withName(plain, 'next' in started ? yield* started : started)
}

function withName(name: string, result: ActionResult): ActionResult {
  return 'problem' in result ? { ...result, problem: `${name}: ${result.problem}` } : result
}

/** The code of a missing port: this runtime has no actions of a host. */
const NO_PORT = 'R2013'

/** `given` has the parameters that the author did not write, and whether an agent chose them; the port decides which are allowed. */
function* performHostAction(
  context: NodeContext,
  action: string,
  params: JsonObject,
  restrictions: { readonly unauthored: readonly string[]; readonly by?: string },
): ActionSteps {
  const { node, permissions } = context
  const settled = yield* perform('action', {
    action,
    params,
    ...restrictions,
    node: node.id,
    agent: agentOf(context, params['agent_id']),
    workdir: context.text('workdir') || permissions.workdir,
    stage: stageFolder(context),
  })
  if (settled.error === undefined) return { result: settled.ok }
  return settled.error.code === NO_PORT ? { problem: `unknown action ${JSON.stringify(action)}` } : problemOf(settled.error)
}

/** The limits of actions in one turn, and of characters of one result. */
const MOST = 20
const SHOWN = 4_000
/** Actions that an agent must not perform through its session: running programs, its own session, evaluations. */
const REFUSED = /^(?:pipeline_|session_|eval_pipeline_)/

/**
 * Performs the actions that an agent has chosen, in order, and returns their results to it. Each is checked like any other
 * action when it is performed. A failed action is a result, not a failure of the node.
 */
function* executeActions(context: NodeContext, values: JsonObject): ActionSteps {
  const list = values['actions'] ?? []
  const actions = (isList(list) ? list : []).filter(isObject).slice(0, MOST)
  const percepts: JsonObject[] = []
  for (const action of actions) percepts.push(yield* perceptOf(context, action))
  const before = Number(values['tool_turn'] ?? context.get('session.tool_turn') ?? 0)
  const turn = (Number.isFinite(before) ? before : 0) + (percepts.length > 0 ? 1 : 0)
  return { result: { has_action_results: percepts.length > 0, percepts, tool_turn: turn } }
}

function* perceptOf(context: NodeContext, action: JsonObject) {
  const type = renderText(action['type'] ?? action['action'])
  const { type: _type, action: _action, params, ...others } = action
  const report = (status: string, result: Json): JsonObject => ({ type, status, result })
  if (REFUSED.test(canonicalAction(type))) return report('refused', 'an agent must not perform this action')
  // The result influences the next decision of the agent, so it must not contain text from outside.
  if (ACTION_FACTS.get(canonicalAction(type))?.origin === 'outside')
    return report('refused', 'an action that reads from outside needs its own node')
  const done = yield* runAgentAction(context, type, isObject(params) ? params : others)
  if ('problem' in done) return report('failed', done.problem)
  const text = renderText(done.result)
  return report('done', text.length <= SHOWN ? done.result : `${text.slice(0, SHOWN)}…`)
}
