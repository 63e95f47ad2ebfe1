import type { JsonObject } from '../../kernel/json.ts'
import { textOf } from '../dot/graph.ts'
import { callTool, perform } from '../engine/asks.ts'
import type { Answer, Ask, Handler, Scene, Settled } from '../engine/handler.ts'
import { type Outcome, refusal } from '../engine/outcome.ts'
import { commandResult } from './command-result.ts'

/** Milliseconds for a hook (reference pipeline 10.3). */
const TIMEOUT = 60_000

/**
 * Runs a hook in a shell, as a command of the node: same sandbox, same capability. The values that it gets reach it as
 * variables and on its standard input, never as text of the command.
 */
export function* runHook(
  scene: Scene,
  of: 'graph' | 'node',
  phase: 'pre' | 'post',
  command: string | true,
  outcome?: Outcome,
): Generator<Ask, Settled | undefined, Answer> {
  if (command !== true && command.trim() === '') return undefined
  const facts: JsonObject = {
    run_id: scene.charter.run,
    graph_id: scene.typed.graph.id,
    node_id: scene.node.id,
    phase,
    ...(outcome === undefined ? {} : { outcome: outcome.status }),
  }
  if (command === true) {
    const settled = yield* perform('hook', { of, ...facts })
    scene.note('hook', { of, phase, ok: succeeded(settled) })
    return settled
  }
  const environment: JsonObject = {
    ARBOR_RUN_ID: scene.charter.run,
    ARBOR_GRAPH_ID: scene.typed.graph.id,
    ARBOR_NODE_ID: scene.node.id,
    ARBOR_STAGE_DIR: stageFolder(scene),
    HOOK_PHASE: phase,
    ...(outcome === undefined ? {} : { ARBOR_OUTCOME: outcome.status }),
  }
  const settled = yield* callTool('shell', {
    command,
    environment,
    stdin: JSON.stringify(facts),
    timeout: TIMEOUT,
    stage: stageFolder(scene),
    ...sandboxOf(scene),
  })
  scene.note('hook', { of, phase, ok: succeeded(settled) })
  return settled
}

/** A handler with the hooks of its node around it; the graph's first one before the start (reference pipeline 10.3). */
export function hooked(handler: Handler): Handler {
  return (scene) => {
    const { hooks = {} } = scene.charter
    const own = {
      pre: textOf(scene.attributes, 'pre_hook') ?? hooks.node?.pre,
      post: textOf(scene.attributes, 'post_hook') ?? hooks.node?.post,
    }
    const graph = scene.node.canonical === 'start' ? graphHook(scene, 'pre') : undefined
    if (own.pre === undefined && own.post === undefined && graph === undefined) return handler(scene)
    return withHooks(scene, handler, own, graph)
  }
}

function* withHooks(
  scene: Scene,
  handler: Handler,
  own: { readonly pre: string | true | undefined; readonly post: string | true | undefined },
  graph: string | true | undefined,
): Generator<Ask, Outcome, Answer> {
  if (graph !== undefined && !succeeded(yield* runHook(scene, 'graph', 'pre', graph))) return refusal('the pre_hook of the graph failed')
  if (own.pre !== undefined && scene.attempt === 1 && !succeeded(yield* runHook(scene, 'node', 'pre', own.pre)))
    return refusal(`${scene.node.id}: the pre_hook failed`)
  const begun = handler(scene)
  const outcome = 'next' in begun ? yield* begun : begun
  if (own.post !== undefined) yield* runHook(scene, 'node', 'post', own.post, outcome)
  return outcome
}

/** The hook of a pipeline: its own, else that of the host. */
export function graphHook({ typed, charter }: Pick<Scene, 'typed' | 'charter'>, phase: 'pre' | 'post'): string | true | undefined {
  return textOf(typed.graph.attributes, `${phase}_hook`) ?? charter.hooks?.graph?.[phase]
}

function succeeded(settled: Settled | undefined): boolean {
  if (settled === undefined) return true
  if (settled.error === undefined && typeof settled.ok === 'boolean') return settled.ok
  return settled.error === undefined && commandResult(settled.ok)['code'] === 0
}

/** The folder of a stage, below that of the lap. Ids of nodes are safe parts of a path. */
export function stageFolder({ folder, node }: Scene): string {
  return `${folder}/${node.id}`
}

/** How a command is to be confined, as its node says; `strict` where it says nothing (decisions, commands). */
export function sandboxOf({ attributes }: Scene): JsonObject {
  const word = textOf(attributes, 'sandbox')?.trim()
  return word === undefined || word === '' ? {} : { sandbox: word }
}
