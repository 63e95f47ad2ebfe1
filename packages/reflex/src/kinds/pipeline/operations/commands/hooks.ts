import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { callTool, perform } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext, Settled } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { commandResult } from './command-result.ts'

/** Milliseconds for a hook (reference pipeline 10.3). */
const TIMEOUT = 60_000

/**
 * Runs a hook in a shell, as a command of the node: same sandbox, same capability. The values that it gets reach it as
 * variables and on its standard input, never as text of the command.
 */
export function* runHook(
  context: NodeContext,
  of: 'graph' | 'node',
  phase: 'pre' | 'post',
  command: string | true,
  outcome?: Outcome,
): Generator<Ask, Settled | undefined, Answer> {
  if (command !== true && command.trim() === '') return undefined
  const facts: JsonObject = {
    run_id: context.permissions.run,
    graph_id: context.typed.graph.id,
    node_id: context.node.id,
    phase,
    ...(outcome === undefined ? {} : { outcome: outcome.status }),
  }
  if (command === true) {
    const settled = yield* perform('hook', { of, ...facts })
    context.note('hook', { of, phase, ok: succeeded(settled) })
    return settled
  }
  const environment: JsonObject = {
    ARBOR_RUN_ID: context.permissions.run,
    ARBOR_GRAPH_ID: context.typed.graph.id,
    ARBOR_NODE_ID: context.node.id,
    ARBOR_STAGE_DIR: stageFolder(context),
    HOOK_PHASE: phase,
    ...(outcome === undefined ? {} : { ARBOR_OUTCOME: outcome.status }),
  }
  const settled = yield* callTool('shell', {
    command,
    environment,
    stdin: JSON.stringify(facts),
    timeout: TIMEOUT,
    stage: stageFolder(context),
    ...sandboxOf(context),
  })
  context.note('hook', { of, phase, ok: succeeded(settled) })
  return settled
}

/** Whether a stage has a hook: its own, that of the host, or before the start that of the graph. */
export function hasHook(context: NodeContext, phase: 'pre' | 'post'): boolean {
  return hooksOf(context, phase).length > 0
}

/** Runs the hooks of a stage. What fails before it fails the stage; what fails behind it is a remark (reference pipeline 10.3). */
export function* stageHooks(context: NodeContext, phase: 'pre' | 'post', outcome?: Outcome): Generator<Ask, Outcome, Answer> {
  for (const { of, hook } of hooksOf(context, phase)) {
    const settled = yield* runHook(context, of, phase, hook, outcome)
    if (phase === 'pre' && !succeeded(settled))
      return refusal(of === 'graph' ? 'the pre_hook of the graph failed' : `${context.node.id}: the pre_hook failed`)
  }
  return success()
}

function hooksOf(context: NodeContext, phase: 'pre' | 'post'): readonly { readonly of: 'graph' | 'node'; readonly hook: string | true }[] {
  const nodeHook = textOf(context.attributes, `${phase}_hook`) ?? context.permissions.hooks?.node?.[phase]
  const graph = phase === 'pre' && context.node.canonical === 'start' ? graphHook(context, 'pre') : undefined
  return [
    ...(graph === undefined ? [] : [{ of: 'graph' as const, hook: graph }]),
    ...(nodeHook === undefined ? [] : [{ of: 'node' as const, hook: nodeHook }]),
  ]
}

/** The hook of a pipeline: its own, else that of the host. */
export function graphHook(
  { typed, permissions }: Pick<NodeContext, 'typed' | 'permissions'>,
  phase: 'pre' | 'post',
): string | true | undefined {
  return textOf(typed.graph.attributes, `${phase}_hook`) ?? permissions.hooks?.graph?.[phase]
}

function succeeded(settled: Settled | undefined): boolean {
  if (settled === undefined) return true
  if (settled.error === undefined && typeof settled.ok === 'boolean') return settled.ok
  return settled.error === undefined && commandResult(settled.ok)['code'] === 0
}

/** The folder of a stage, below that of the lap. Ids of nodes are safe parts of a path. */
export function stageFolder({ folder, node }: NodeContext): string {
  return `${folder}/${node.id}`
}

/** How a command is to be confined, as its node says; `strict` where it says nothing (decisions, commands). */
export function sandboxOf({ attributes }: NodeContext): JsonObject {
  const word = textOf(attributes, 'sandbox')?.trim()
  return word === undefined || word === '' ? {} : { sandbox: word }
}
