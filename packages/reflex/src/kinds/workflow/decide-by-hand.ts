import { faults } from '../../kernel/journal/faults.ts'
import type { PendingEffect } from '../../kernel/state/frame.ts'
import type { Json } from '../../kernel/journal/json.ts'
import type { EdgeState } from '../../programs/kind-view.ts'
import { didYouMean, suggest } from '../../text/index.ts'
import { type CompiledWorkflow, DECIDE, nodeAt } from './compile.ts'

/**
 * Returns the value that decides an effect in flight by hand, for an edge named by its id, its event or its target. The value is
 * one that the port accepts from an agent. Throws `R2064` for an unknown or closed edge.
 */
export function decideByHand(
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
