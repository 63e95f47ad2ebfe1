import type { Definitions } from './decide.ts'
import type { Frame } from './frame.ts'
import type { Batch, OpenWait, RunStatus } from './store.ts'
import type { State } from './state.ts'

/** Where a run stands. `going`: something is in flight or queued. */
export function runStatus(state: State, going: boolean): RunStatus {
  if (state.ended !== undefined) return state.ended.status === 'done' ? 'completed' : state.ended.status
  return !going && state.waits.size > 0 ? 'suspended' : 'running'
}

/** What lists show of a run, kept beside its journal so that no list has to fold one. */
export function summary(state: State, definitions: Definitions, status: RunStatus): Batch['row'] {
  const waits = [...state.waits.values()].map(
    (wait): OpenWait => ({
      id: wait.id,
      type: wait.type,
      name: wait.name,
      number: wait.number,
      ...(wait.due === undefined ? {} : { due: wait.due }),
      ...(wait.about === undefined ? {} : { about: wait.about }),
      since: wait.since,
      path: framePath(wait.frame, definitions),
    }),
  )
  const due = waits.reduce<number | null>(
    (least, wait) => (wait.due !== undefined && wait.due < (least ?? Number.POSITIVE_INFINITY) ? wait.due : least),
    null,
  )
  return { status, updated: state.time, due, waits, ...(state.ended?.value === undefined ? {} : { value: state.ended.value }) }
}

/** The node path of a frame, outermost first: `verify/score`. */
export function framePath(frame: Frame, definitions: Definitions): string {
  const steps: string[] = []
  for (let at: Frame | undefined = frame; at !== undefined; at = at.link?.caller) {
    const program = definitions.program(at.pin)
    const node = definitions.kind(program.kind).where?.(program.def, at.position)
    if (node !== undefined) steps.unshift(node)
  }
  return steps.join('/')
}
