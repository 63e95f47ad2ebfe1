import type { JsonObject } from '../../../../kernel/index.ts'
import { listOf } from '../../dot/graph.ts'
import { perform } from '../../contract/asks.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { stageFolder } from '../commands/hooks.ts'
import { agentOf } from '../models/session-values.ts'
import { type ActionResult, type ActionSteps, type Action, problemOf } from './action.ts'
import { gitBranch, gitCommit, gitPr, shellRun } from './shell-and-git.ts'
import { decideCouncil } from './council.ts'
import { EVALUATION_ACTIONS } from './evaluations.ts'
import { executeActions } from './execute-actions.ts'
import { ACTION_FACTS, canonicalAction } from '../../model/action-facts.ts'
import { plainAction } from '../../model/action-names.ts'
import { applyChanges, fileGlob, fileList, fileRead, fileSearch, fileWrite } from './files.ts'
import { type Parameter, readParameters } from '../../model/action-parameters.ts'
import { runPipeline, validatePipeline } from './pipelines.ts'
import { SEARCHES, searchWith } from './search.ts'
import { SESSION_ACTIONS } from './session-actions.ts'
import { runTests } from './tests.ts'
import { implementationPrompt, recordAttempt, synthesizeReviews } from './tdd-and-reviews.ts'

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
  ['session_execute_actions', executeActions(runAgentAction)],
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
