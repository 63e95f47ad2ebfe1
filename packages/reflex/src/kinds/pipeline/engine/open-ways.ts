import type { Frame } from '../../../kernel/state/frame.ts'
import type { Json } from '../../../kernel/journal/json.ts'
import type { Choice } from '../../../kernel/step/kind.ts'
import type { BoardReader } from '../../../kernel/state/scope.ts'
import type { TypedGraph } from '../model/typed.ts'
import { edgeIds } from '../dot/edge-ids.ts'
import { mentionsOutcome } from '../language/condition.ts'
import { levelOf, SENSITIVITIES, unpackLabel, LABELS } from '../contract/label.ts'
import { closedEdges } from './routing.ts'
import type { Charter } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'
import { nodeOf, type Position } from '../contract/position.ts'
import { contextReader } from '../contract/scene.ts'
import { Tally } from '../contract/tally.ts'

/** Of a frame that has not asked what its operator has settled. */
const NO_CHARTER: Charter = { trust: '', denied: {}, workdir: '', folder: '', run: '', limits: {} }

/**
 * The ways on from where a frame stands: those that are closed, with what their conditions saw. How the node will end is
 * not known yet, so a condition that asks for it is open with that remark; but at a branch node, which is left as the stage
 * before it ended.
 */
export function openWays(typed: TypedGraph, frame: Frame): Choice[] {
  const node = nodeOf(frame.position)
  // It has not begun; or its branches have, and they are no ways on from here any more.
  if (node === undefined || (frame.kids?.size ?? 0) > 0) return []
  const edges = typed.outgoing.get(node) ?? []
  const ids = edgeIds(typed.graph.edges)
  const asks = typed.nodes.get(node)?.canonical === 'branch'
  const closed = new Map(
    closedEdges({ typed, node, outcome: outcomeAt(frame), get: readerOf(typed, frame) }).map(({ edge, why }) => [edge, why]),
  )
  return edges.map((typedEdge): Choice => {
    const { edge, label, condition } = typedEdge
    const way = { id: ids.get(edge) ?? edge.to, label: label === '' ? edge.to : label }
    if (!asks && condition !== undefined && mentionsOutcome(condition)) return { ...way, open: true, when: condition.text }
    const why = closed.get(typedEdge)
    return why === undefined ? { ...way, open: true } : { ...way, open: false, why }
  })
}

/** How the stage before ended. */
function outcomeAt({ position }: Frame): Outcome {
  const { status = 'success', label } = position as unknown as Position
  return { status, ...(label === undefined ? {} : { preferred_label: label }) }
}

function readerOf(typed: TypedGraph, frame: Frame): (key: string) => Json | undefined {
  const position = frame.position as unknown as Position
  const reader = frame.reader()
  const tally = Tally.of(frame.books(), position.lap ?? 0)
  const charter = tally.charter ?? NO_CHARTER
  return contextReader({
    typed,
    position,
    tally,
    charter,
    read: (key) => reader.get(key),
    budget: () => reader.get('budget_status') ?? 'normal',
  })
}

/** Where a value of the context comes from, where that is worth saying: `untrusted, from fetch`. */
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
