import type { Definitions } from '../step/decide.ts'
import type { Frame } from '../state/frame.ts'
import type { Kind } from '../step/kind.ts'
import type { Batch, OpenWait, RowUsage, RunStatus } from '../ports/store.ts'
import type { State } from '../state/state.ts'
import { amountsOf } from '../journal/usage.ts'

/** Returns the status of a run. `isActive`: something is in flight or queued. */
export function runStatus(state: State, isActive: boolean): RunStatus {
  if (state.ended !== undefined) return state.ended.status === 'done' ? 'completed' : state.ended.status
  return !isActive && state.waits.size > 0 ? 'suspended' : 'running'
}

/**
 * Returns the row of a run for lists, stored with its journal so that no list folds journals. An idle fork never has anything
 * due, so workers ignore it.
 */
export function summary(state: State, definitions: Definitions, status: RunStatus): Batch['row'] {
  const waits = [...state.waits.values()].map(
    (wait): OpenWait => ({
      id: wait.id,
      type: wait.type,
      name: wait.name,
      asker: wait.asker,
      number: wait.number,
      ...(wait.due === undefined ? {} : { due: wait.due }),
      ...(wait.rules?.every === undefined ? {} : { every: wait.rules.every }),
      ...(wait.about === undefined ? {} : { about: wait.about }),
      since: wait.since,
      path: framePath(wait.frame, definitions),
      ...(wait.type === 'message' ? { frame: wait.frame.id } : {}),
    }),
  )
  const due = waits.reduce<number | null>(
    (least, wait) => (wait.due !== undefined && wait.due < (least ?? Number.POSITIVE_INFINITY) ? wait.due : least),
    null,
  )
  const standing = state.isIdle && state.ended === undefined ? ({ status: 'suspended', due: null } as const) : { status, due }
  const { value } = state.ended ?? {}
  return { ...standing, updated: state.time, waits, used: usageForLists(state), ...(value === undefined ? {} : { value }) }
}

const NO_USAGE: RowUsage = {}

function usageForLists({ meter: { total } }: State): RowUsage {
  // Most runs call no model, and each commit writes the row.
  if (total.calls === 0 && total.tokens === 0 && total.cost === 0) return NO_USAGE
  const { steps: _steps, ...used } = amountsOf(total)
  return used
}

/** Returns the path of a frame's current node, outermost first: `verify/score`. */
export function framePath(frame: Frame, definitions: Definitions): string {
  const { kind, def } = programOf(frame, definitions)
  return nodePath(frame, kind.node?.(def, frame.position), definitions)
}

/** Returns the path of a node in a frame. The name of a strand precedes its nodes, unless a node has the same name: `fan/security`. */
export function nodePath(frame: Frame, node: string | undefined, definitions: Definitions): string {
  const strand = strandName(frame, definitions)
  const above = frame.link === undefined ? undefined : framePath(frame.link.caller, definitions)
  return [above, strand, node === strand ? undefined : node].filter((step) => step !== undefined && step !== '').join('/')
}

/** Returns the name of a strand among its siblings; undefined for other frames. */
export function strandName(frame: Frame, definitions: Definitions): string | undefined {
  return programOf(frame, definitions).kind.strand?.(frame)
}

function programOf({ pin }: Frame, definitions: Definitions): { readonly kind: Kind; readonly def: unknown } {
  const { kind, def } = definitions.program(pin)
  return { kind: definitions.kind(kind), def }
}
