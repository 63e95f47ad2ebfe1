import type { JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { callTool, perform } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext, Settled } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { commandResult } from './command-result.ts'

/** The timeout of a hook in milliseconds (reference pipeline 10.3). */
const TIMEOUT = 60_000

/**
 * Runs a hook in a shell, with the sandbox and the capability of the node's commands. Values are passed as variables and on
 * standard input, never in the text of the command.
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

/** True if a stage has a hook: its own, one of the host, or, at the start, one of the graph. */
export function hasHook(context: NodeContext, phase: 'pre' | 'post'): boolean {
  if (context.attributes.has(`${phase}_hook`) || context.permissions.hooks?.node?.[phase] !== undefined) return true
  return phase === 'pre' && context.node.canonical === 'start' && graphHook(context, 'pre') !== undefined
}

/** Runs the hooks of a stage. A failed pre hook fails the stage; a failed post hook is only noted (reference pipeline 10.3). */
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

/** Returns the hook of a pipeline: its own, otherwise that of the host. */
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

/** Returns the folder of a stage, below that of the round. Node ids are safe path components. */
export function stageFolder({ folder, node }: NodeContext): string {
  return `${folder}/${node.id}`
}

/** Returns the sandbox that a node states. Default: `strict` (decisions, commands). */
export function sandboxOf({ attributes }: NodeContext): JsonObject {
  const word = textOf(attributes, 'sandbox')?.trim()
  return word === undefined || word === '' ? {} : { sandbox: word }
}
