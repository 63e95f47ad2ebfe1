import type { Frame, Json, BoardReader } from '../../../kernel/index.ts'
import type { EdgeState } from '../../../programs/kind-view.ts'
import type { TypedGraph } from '../model/typed.ts'
import { edgeIds } from '../dot/edge-ids.ts'
import { mentionsOutcome } from '../language/condition.ts'
import { levelOf, SENSITIVITIES, unpackLabel, LABELS } from '../../../policy/label.ts'
import { closedEdges } from './routing.ts'
import { permissionsOf } from '../contract/permissions.ts'
import type { Outcome } from '../contract/outcome.ts'
import { nodeOf, type Position } from '../contract/position.ts'
import { contextReader } from '../contract/node-context.ts'
import { EngineBoard } from '../contract/engine-board.ts'

/**
 * Returns the edges that leave the node of a frame: which are open and which are closed, with the values that their
 * conditions read. The outcome of the node is not known yet, so an edge whose condition reads it is open with that
 * remark. At a branch node the outcome is that of the stage before it.
 */
export function openEdges(typed: TypedGraph, frame: Frame): EdgeState[] {
  const node = nodeOf(frame.position)
  // The frame has not begun, or its branches have: then it follows none of these edges.
  if (node === undefined || (frame.strandResults?.size ?? 0) > 0) return []
  const edges = typed.outgoing.get(node) ?? []
  const ids = edgeIds(typed.graph.edges)
  const asks = typed.nodes.get(node)?.canonical === 'branch'
  const closed = new Map(
    closedEdges({ typed, node, outcome: outcomeAt(frame), get: readerOf(typed, frame) }).map(({ edge, why }) => [edge, why]),
  )
  return edges.map((typedEdge): EdgeState => {
    const { edge, label, condition } = typedEdge
    const edgeChoice = { id: ids.get(edge) ?? edge.to, label: label === '' ? edge.to : label }
    if (!asks && condition !== undefined && mentionsOutcome(condition)) return { ...edgeChoice, open: true, when: condition.text }
    const why = closed.get(typedEdge)
    return why === undefined ? { ...edgeChoice, open: true } : { ...edgeChoice, open: false, why }
  })
}

/** Returns the outcome of the stage before. */
function outcomeAt({ position }: Frame): Outcome {
  const { status = 'success', label } = position as unknown as Position
  return { status, ...(label === undefined ? {} : { preferred_label: label }) }
}

function readerOf(typed: TypedGraph, frame: Frame): (key: string) => Json | undefined {
  const position = frame.position as unknown as Position
  const reader = frame.reader()
  const engineBoard = EngineBoard.of(frame.kindReader(), position.round ?? 0)
  return contextReader({
    typed,
    position,
    engineBoard,
    permissions: permissionsOf(frame),
    read: (key) => reader.get(key),
    budget: () => reader.get('budget_status') ?? 'normal',
  })
}

/** Returns the label of a value of the context as text, if it is worth showing: `untrusted, from fetch`. */
export function labelAt(reader: BoardReader, key: string): string | undefined {
  const packed = reader.get(`${LABELS}${key}`)
  if (packed === undefined || packed === null) return undefined
  const label = unpackLabel(packed)
  const sensitivity = SENSITIVITIES[label.sensitivity]
  const parts = [
    levelOf(label),
    ...(sensitivity === undefined || label.sensitivity === 0 ? [] : [sensitivity]),
    ...(label.from === undefined ? [] : [`from ${label.from}`]),
  ]
  return parts.join(', ')
}
