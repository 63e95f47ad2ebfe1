import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { listOf } from '../../dot/graph.ts'
import { perform } from '../../contract/asks.ts'
import type { Scene } from '../../contract/handler.ts'
import { stageFolder } from '../commands/hooks.ts'
import { agentOf } from '../models/session-values.ts'
import { type Acted, type Acting, type Action, problemOf } from './action.ts'
import { gitBranch, gitCommit, gitPr, shellRun } from './commands.ts'
import { decide } from './councils.ts'
import { EVALUATION_ACTIONS } from './evaluations.ts'
import { executeActions } from './executing.ts'
import { ACTION_FACTS, ownAction, plainAction } from '../../model/action-facts.ts'
import { applyChanges, fileGlob, fileList, fileRead, fileSearch, fileWrite } from './files.ts'
import { type Parameter, readParameters } from '../../model/action-parameters.ts'
import { runPipeline, validatePipeline } from './pipelines.ts'
import { searchWith } from './searching.ts'
import { SESSION_ACTIONS } from './session.ts'
import { runTests } from './tests.ts'
import { implementationPrompt, recordAttempt, synthesizeReviews } from './writing.ts'

/** What performs each action that comes with Reflex; its facts are in `facts.ts`. */
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
  ...['web_search', 'exa_search', 'tinyfish_search', 'brave_search'].map((name): [string, Action] => [name, searchWith(name)]),
  ['mix_test', runTests],
  ['run_tests', runTests],
  ['tdd_build_impl_prompt', implementationPrompt],
  ['tdd_record_attempt', recordAttempt],
  ['review_synthesize', synthesizeReviews],
  ['consensus_decide', decide],
  ['pipeline_validate', validatePipeline],
  ['pipeline_run', runPipeline],
  ...SESSION_ACTIONS,
  ...EVALUATION_ACTIONS,
  ['session_execute_actions', executeActions(byAgent)],
])

/**
 * Performs an action by name: one of the host where the host has it, else one that comes with Reflex, else a failure that
 * says so and can be routed (reference pipeline 4.5). Capabilities of the node are checked before; what an action really
 * touches is judged by the ports that it asks.
 */
export function* runAction(scene: Scene, name: string, params: JsonObject): Acting {
  const handed = listOf(scene.attributes, 'context_keys').map((key) => key.split('.').at(-1) ?? key)
  return yield* performed(scene, name, params, isAuthored, handed)
}

const isAuthored = (parameter: Parameter): boolean => parameter.authored === true

/** The same of an action that an agent has decided on: it chooses nothing that decides what runs, but paths, which are confined. */
function byAgent(scene: Scene, name: string, params: JsonObject): Acting {
  return performed(scene, name, params, decides, Object.keys(params))
}

const decides = ({ control, authored }: Parameter): boolean => control === true || authored === true

function* performed(
  scene: Scene,
  name: string,
  params: JsonObject,
  isClosed: (parameter: Parameter) => boolean,
  loose: readonly string[],
): Acting {
  const plain = plainAction(name)
  const own = ownAction(name)
  const action = ACTIONS.get(own)
  if (action === undefined || scene.charter.actions?.includes(plain) === true) {
    const agent = isClosed === decides
    return yield* ofHost(scene, plain, params, { loose, ...(agent ? { by: 'agent' } : {}) })
  }
  const { parameters } = ACTION_FACTS.get(own) ?? { parameters: {} }
  const closed = Object.entries(parameters).flatMap(([own, parameter]) => (isClosed(parameter) ? [own, ...(parameter.also ?? [])] : []))
  const wrong = loose.find((one) => closed.includes(one) && Object.hasOwn(params, one))
  if (wrong !== undefined) return { problem: `${plain}: only the author of the pipeline writes the parameter ${wrong}` }
  const read = readParameters(parameters, params)
  if ('problem' in read) return { problem: `${plain}: ${read.problem}` }
  const begun = action(scene, read.values)
  return named(plain, 'next' in begun ? yield* begun : begun)
}

function named(name: string, acted: Acted): Acted {
  return 'problem' in acted ? { ...acted, problem: `${name}: ${acted.problem}` } : acted
}

/** No port of that name: this runtime has no actions but its own. */
const NO_PORT = 'R2013'

/** `given`: the parameters that the author did not write, and whether an agent has chosen them; the port knows which it may. */
function* ofHost(
  scene: Scene,
  action: string,
  params: JsonObject,
  given: { readonly loose: readonly string[]; readonly by?: string },
): Acting {
  const { node, charter } = scene
  const settled = yield* perform('action', {
    action,
    params,
    ...given,
    node: node.id,
    agent: agentOf(scene, params['agent_id']),
    workdir: scene.text('workdir') || charter.workdir,
    stage: stageFolder(scene),
  })
  if (settled.error === undefined) return { result: settled.ok }
  return settled.error.code === NO_PORT ? { problem: `unknown action ${JSON.stringify(action)}` } : problemOf(settled.error)
}
