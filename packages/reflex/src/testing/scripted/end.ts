import type { OpenQuestion, RunHandle } from '../../runs/handle.ts'
import type { FaultData, Rec, RunStatus } from '../../kernel/index.ts'
import type { Reflex } from '../../app/reflex.ts'
import type { StoryLine } from '../../history/trace.ts'
import type { WorkflowTypes } from '../../programs/program-types.ts'
import type { PerformedEffect } from './outside.ts'

/** The state of a run at rest. It does not change when the run continues. */
export interface End<Types extends WorkflowTypes> {
  readonly status: RunStatus
  /** The result of the run, after it has ended; for a failed run, `failure` as JSON. */
  readonly value: Types['value'] | undefined
  readonly failure: FaultData | undefined
  /**
   * The nodes of the program in the order in which they were entered, without the nodes of called programs and of branches, and without the
   * ends of a pipeline.
   */
  readonly path: readonly string[]
  /** The open questions to people. */
  readonly questions: readonly OpenQuestion[]
  /** The journal. */
  readonly records: readonly Rec[]
  /** Everything that has reached the outside: tools, models and scripted decisions, in order, with arguments and keys. */
  readonly effects: readonly PerformedEffect[]
  /** Returns the latest value of a key on the root's board. */
  get<Key extends keyof Types['values'] & string>(key: Key): Types['values'][Key] | undefined
}

/** Returns the current state of a run. */
export async function endOf<Types extends WorkflowTypes>(
  reflex: Reflex,
  handle: RunHandle<Types>,
  performed: readonly PerformedEffect[],
): Promise<End<Types>> {
  const { lines } = await reflex.trace(handle.id)
  const board: Readonly<Record<string, unknown>> = handle.run.state.root.reader().snapshot()
  return {
    status: handle.status,
    value: handle.value,
    failure: handle.failure,
    path: pathOf(lines),
    questions: handle.questions,
    records: await reflex.runtime.journal(handle.id),
    effects: [...performed],
    get: (key) => (Object.hasOwn(board, key) ? (board[key] as Types['values'][typeof key]) : undefined),
  }
}

/** Returns the nodes that the root entered. */
export function pathOf(lines: readonly StoryLine[]): readonly string[] {
  return lines.flatMap(({ depth, branch, event: { mark, node, facts } }) => {
    if (depth > 0 || branch !== undefined || node === undefined) return []
    // An edge that leads back to its own node has no `enter` event.
    const reenters = (mark === 'decide' || mark === 'done') && facts?.['to'] === node
    return mark === 'enter' || reenters ? [node] : []
  })
}
