import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { callTool, perform } from '../../contract/asks.ts'
import type { Answer, Ask, Scene, Settled } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
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

/** Whether a stage has a hook: its own, that of the host, or before the start that of the graph. */
export function hasHook(scene: Scene, phase: 'pre' | 'post'): boolean {
  return hooksOf(scene, phase).length > 0
}

/** Runs the hooks of a stage. What fails before it fails the stage; what fails behind it is a remark (reference pipeline 10.3). */
export function* stageHooks(scene: Scene, phase: 'pre' | 'post', outcome?: Outcome): Generator<Ask, Outcome, Answer> {
  for (const { of, hook } of hooksOf(scene, phase)) {
    const settled = yield* runHook(scene, of, phase, hook, outcome)
    if (phase === 'pre' && !succeeded(settled))
      return refusal(of === 'graph' ? 'the pre_hook of the graph failed' : `${scene.node.id}: the pre_hook failed`)
  }
  return success()
}

function hooksOf(scene: Scene, phase: 'pre' | 'post'): readonly { readonly of: 'graph' | 'node'; readonly hook: string | true }[] {
  const own = textOf(scene.attributes, `${phase}_hook`) ?? scene.charter.hooks?.node?.[phase]
  const graph = phase === 'pre' && scene.node.canonical === 'start' ? graphHook(scene, 'pre') : undefined
  return [
    ...(graph === undefined ? [] : [{ of: 'graph' as const, hook: graph }]),
    ...(own === undefined ? [] : [{ of: 'node' as const, hook: own }]),
  ]
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
