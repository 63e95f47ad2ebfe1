import type { TypedNode } from '../model/typed.ts'
import { isOn } from '../dot/graph.ts'
import type { Route } from './routing.ts'
import { isGood, type Outcome } from '../contract/outcome.ts'
import { reachable } from '../contract/skip.ts'
import type { FrameStep } from './frame-step.ts'

type Pending = readonly (readonly [node: string, edge: number])[]

const NO_PENDING: Pending = []

/** The next node of a walk, and the nodes that remain after it. */
interface NextNode {
  readonly to: string
  readonly edge?: number | undefined
  readonly pending: Pending
}

/**
 * Returns the nodes that a node with `fan_out` leaves to be walked: the targets of its unconditional edges besides the
 * one that is followed (reference pipeline 3.9.1). Returns undefined if it does not fan out.
 */
export function pendingAfter(step: FrameStep, node: TypedNode, outcome: Outcome, { edge, conditional }: Route): Pending | undefined {
  if (!isOn(node.node.attributes, 'fan_out') || node.canonical === 'parallel' || !isGood(outcome.status)) return undefined
  if (edge === undefined || conditional === true) return undefined
  const open = (step.typed.outgoing.get(node.id) ?? []).filter(({ condition }) => condition === undefined)
  if (open.length < 2) return undefined
  step.note('fan_out_detected', { node_id: node.id, branch_count: open.length, targets: open.map((one) => one.edge.to) })
  const before = step.position.pending ?? []
  const known = new Set([...before.map(([id]) => id), edge.edge.to])
  const added = open.filter((one) => !known.has(one.edge.to)).map((one) => [one.edge.to, one.edge.index] as const)
  return [...before, ...added]
}

export function takePending(step: FrameStep, here: { readonly to: string; readonly edge: number | undefined }): NextNode
export function takePending(step: FrameStep, here: undefined): NextNode | undefined
/**
 * Returns the next node of a walk that has reached a node: that node, unless it waits for branches that remain; then
 * one of these. Without a node, it returns one that remains, if any. If no node is ready, it does not wait.
 */
export function takePending(
  step: FrameStep,
  here: { readonly to: string; readonly edge: number | undefined } | undefined,
): NextNode | undefined {
  const { pending: before = NO_PENDING } = step.position
  const left = before.length === 0 ? before : before.filter(([id]) => id !== here?.to)
  if (left.length === 0) return here === undefined ? undefined : { to: here.to, edge: here.edge, pending: NO_PENDING }
  const all: readonly (readonly [string, number | undefined])[] = here === undefined ? left : [[here.to, here.edge], ...left]
  const isExit = (id: string): boolean => step.typed.nodes.get(id)?.canonical === 'exit'
  const ready = all.findIndex(
    ([id], i) =>
      !isExit(id) &&
      waitingFor(
        step,
        id,
        all.filter((_, other) => other !== i),
      ).length === 0,
  )
  const at =
    ready >= 0
      ? ready
      : Math.max(
          0,
          all.findIndex(([id]) => !isExit(id)),
        )
  const [to = '', edge] = all[at] ?? []
  if (here !== undefined && to !== here.to) step.note('fan_in_deferred', { node_id: here.to, waiting_for: waitingFor(step, here.to, left) })
  const pending = all.filter((_, i) => i !== at).map(([id, index]) => [id, index ?? -1] as const)
  if (here === undefined || to !== here.to) step.note('fan_out_branch_resuming', { node_id: to, pending_count: pending.length })
  return { to, ...(edge === undefined || edge < 0 ? {} : { edge }), pending }
}

/** Returns the predecessors of a node that the remaining branches can still complete. */
function waitingFor(step: FrameStep, id: string, others: readonly (readonly [string, number | undefined])[]): string[] {
  const { typed, engineBoard } = step
  const reach = reachable(
    typed,
    others.map(([other]) => other),
    id,
  )
  const before = new Set((typed.incoming.get(id) ?? []).map(({ edge }) => edge.from))
  return [...before].filter((from) => reach.has(from) && engineBoard.outcome(from) === undefined)
}
