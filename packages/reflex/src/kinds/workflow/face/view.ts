import { basename } from 'node:path'
import { type Frame, type PendingEffect, faults, type Json } from '../../../kernel/index.ts'
import type { AgentChoice } from '../../../policy/index.ts'
import type { EdgeState, KindView } from '../../../programs/kind-view.ts'
import { type CompiledWorkflow, nodeAt, DECIDE, type CompiledNode } from '../model/compile.ts'
import { explainGuard } from '../guards/guards.ts'
import { frameReader } from '../step/scopes.ts'
import { workflowSignature } from './signature.ts'
import { workflowStory } from './story.ts'
import { didYouMean, suggest } from '../../../text/index.ts'
import type { Graph, GraphNode } from '../../../programs/graph.ts'
import type { Guard } from '../types/index.ts'

/** The display of workflows and their runs. */
export const workflowView: KindView<CompiledWorkflow> = {
  graph: graphView,
  signature: workflowSignature,
  story: workflowStory,
  edges,
  decide: (def, effect, edgeName, by) => decideByHand(edges(def, effect.frame), def, effect, edgeName, by),
  decides,
}

function edges(def: CompiledWorkflow, frame: Frame): EdgeState[] {
  const reader = frameReader(frame)
  return (def.nodes.get(nodeAt(frame.position) ?? '')?.edges ?? []).map((edge) => {
    const state = edge.guard === undefined ? { open: true, why: '' } : explainGuard(edge.guard, reader)
    return { id: edge.id, label: edge.event, open: state.open, ...(state.why === '' ? {} : { why: state.why }) }
  })
}

/** Returns a line about the agents that decide where a program names none, and the configured model. */
function decides(choice: AgentChoice | undefined, configured: string | undefined): string {
  const { default: all, perNode = {}, model = configured, recorded } = choice ?? {}
  const single = Object.entries(perNode).map(([node, name]) => `${name} at ${node}`)
  const ready =
    recorded !== undefined ? `replies from ${basename(recorded)}` : model === undefined ? 'no model configured' : `model ${model}`
  if (all === 'model') return [`${ready === 'no model configured' ? 'a model' : ready} decides`, ...single].join(', ')
  const general = all === undefined ? 'rules decide' : all === 'script' ? 'a script decides' : `${all} decides`
  return [general, ...single, ...(all === undefined || model !== undefined || recorded !== undefined ? [ready] : [])].join(', ')
}

/**
 * Returns the value that decides an effect in flight by hand, for an edge named by its id, its event or its target. The value is
 * one that the port accepts from an agent. Throws `R2064` for an unknown or closed edge.
 */
function decideByHand(
  edgeStates: readonly EdgeState[],
  { workflow }: CompiledWorkflow,
  { port, frame }: PendingEffect,
  edgeName: string,
  by: string,
): { readonly value: Json; readonly chose: string } | undefined {
  if (port !== DECIDE) return undefined
  const node = nodeAt(frame.position) ?? ''
  const edges = workflow.edges.filter(({ from }) => from === node)
  const named = [
    edges.filter(({ id }) => id === edgeName),
    edges.filter(({ event }) => event === edgeName),
    edges.filter(({ to }) => to === edgeName),
  ]
  const folded = edges.filter(({ id, event }) => [id, event].some((name) => name.toLowerCase() === edgeName.toLowerCase()))
  const found = [...named, folded].find(({ length }) => length === 1)?.[0]
  const edgeState = edgeStates.find(({ id }) => id === found?.id)
  const place = `${workflow.id}/${node}`
  const open = edgeStates.filter((one) => one.open).map(({ id }) => id)
  const fix = open.length === 0 ? 'fork at another record: no edge is open here' : `name one of ${open.join(', ')}`
  if (edgeState === undefined) {
    const hint = didYouMean(
      suggest(
        edgeName,
        edges.flatMap(({ id, event, to }) => [id, event, to]),
      ),
    )
    throw faults.make('R2064', `${place} has no edge ${JSON.stringify(edgeName)}${hint === undefined ? '' : `; ${hint}`}`, {
      path: place,
      fix,
    })
  }
  if (!edgeState.open)
    throw faults.make('R2064', `${edgeState.id} is closed at ${place}: ${edgeState.why ?? 'its guard does not pass'}`, { path: place, fix })
  return { value: [edgeState.id, 0, { by }], chose: edgeState.id }
}

/** Returns the graph of a workflow: nodes and edges in the order of the program, guards in words. */
function graphView({ workflow, nodes }: CompiledWorkflow): Graph {
  return {
    nodes: [...nodes].map(([id, node]) => nodeOf(id, node, id === workflow.entry)),
    edges: workflow.edges.map(({ id, from, to, event, guard }) => ({
      id,
      from,
      to,
      label: event,
      ...(guard === undefined ? {} : { guard: guardText(guard) }),
    })),
  }
}

function nodeOf(id: string, { node, edges, call }: CompiledNode, entry: boolean): GraphNode {
  return {
    id,
    form: call === undefined ? (edges.length > 1 ? 'choice' : 'step') : 'call',
    ...(entry ? { entry } : {}),
    ...(edges.length === 0 ? { end: true } : {}),
    ...(call === undefined ? {} : { calls: call.program }),
    ...(node.description === undefined ? {} : { about: node.description }),
    spec: node.spec,
  }
}

function guardText(guard: Guard): string {
  switch (guard.type) {
    case 'exists':
      return `${guard.key} is there`
    case 'not-exists':
      return `${guard.key} is not there`
    case 'equals':
      return `${guard.key} = ${JSON.stringify(guard.value)}`
    case 'not-equals':
      return `${guard.key} is not ${JSON.stringify(guard.value)}`
    case 'cel':
      return guard.expr
    case 'custom':
    default:
      return guard.name === undefined ? 'a function says yes' : `${guard.name} says yes`
  }
}
