import { type OpenQuestion, questionsOf } from './handle.ts'
import {
  type Frame,
  framePath,
  hidesContents,
  type InboxMessage,
  type Json,
  keptRecords,
  type Peek,
  readRecords,
  type RunRow,
  type Segment,
  type State,
  type Store,
  strandName,
  summary,
  topOf,
} from '../kernel/index.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'
import { pictureOf } from './picture.ts'
import type { EdgeState, PastFailure, PictureLine } from '../programs/kind-view.ts'

/** A program on the call stack of a run, with its current node. */
export interface StackStep {
  readonly program: string
  readonly node: string | undefined
  /** The branch that the frame belongs to, if there are several. */
  readonly branch?: string
}

/** The state of a stored run after one of its records. */
export interface RunView {
  readonly row: RunRow
  /** The number of the record shown. */
  readonly at: number
  /** Milliseconds since the epoch: the time of that record. */
  readonly time: number
  /** Programs and nodes of the call stack, outermost first. */
  readonly stack: readonly StackStep[]
  /** The stacks of parallel branches, outermost frame first. */
  readonly branches: readonly (readonly StackStep[])[]
  /** The edges that leave the current node; if there are branches, those that leave their nodes. */
  readonly choices: readonly EdgeState[]
  /** The nodes of the program at the top of the stack with their states, if its kind draws them. */
  readonly picture: readonly PictureLine[]
  /** The failures that the program at the top of the stack remembers, oldest first, if its kind keeps them. */
  readonly failures: readonly PastFailure[]
  /** The board as the top of the stack reads it, nearest scope first. */
  readonly board: readonly {
    readonly key: string
    readonly value: Json
    readonly node: string | undefined
    readonly record: number
    readonly known?: string | undefined
    /** The author of the value, if no node wrote it. */
    readonly by?: string | undefined
  }[]
  /** The effects that had not begun at the record shown because there was no room for them: their nodes, and the queues of the operator. */
  readonly waiting: readonly { readonly path: string; readonly queue: string }[]
  /** The questions that were open after the record shown. */
  readonly questions: readonly OpenQuestion[]
  /** Messages that no record has taken. If the run has ended, none will be taken. */
  readonly inbox: readonly InboxMessage[]
  /** The segments of the run. There is one unless the run was sealed. */
  readonly segments: readonly Segment[]
  /** The run keeps hashes in place of contents: only its decisions can be replayed. */
  readonly replayable?: 'decisions'
}

/** A run as it was read, with the views of its programs. */
interface ViewedRun extends Pick<Peek, 'row' | 'state'> {
  readonly definitions: ViewedPrograms
}

/** The facts about a run in addition to its state at the record shown. */
interface ViewFacts {
  /** True if the record shown is the newest. */
  readonly newest: boolean
  readonly inbox: readonly InboxMessage[]
  /** The records that forked the run and wrote to its board. */
  readonly forks: ReadonlySet<number>
  readonly segments: readonly Segment[]
}

/** Returns the records that forked a run, as far as they wrote values of the board that is shown. */
export async function forksOnBoard(store: Store, { root, start, n: at }: State): Promise<ReadonlySet<number>> {
  if (start?.fork === undefined) return new Set()
  const reader = topOf(root).reader()
  const written = new Set(reader.keys().flatMap((key) => reader.entry(key)?.record ?? []))
  const { first } = await keptRecords(store, start.run)
  const forks = new Set<number>()
  if (written.size === 0) return forks
  for await (const [n, { input }] of readRecords(store, start.run, Math.max(first, Math.min(...written)), at))
    if (written.has(n) && input?.[0] === 'kernel' && input[1] === 'fork') forks.add(n)
  return forks
}

/** Returns the view of a run at the record folded last. The inbox is filled only for the newest record. */
export function viewOf({ row, state, definitions }: ViewedRun, { newest, inbox, forks, segments }: ViewFacts): RunView {
  const frame = topOf(state.root)
  const tops = [...state.frames.values()].filter(({ link }) => link?.role === 'strand').map(topOf)
  const stackOf = (top: Frame): StackStep[] => {
    const stack: StackStep[] = []
    for (let at: Frame | undefined = top; at !== undefined; at = at.link?.caller) stack.unshift(stepOf(at, definitions))
    return stack
  }
  const waits = newest ? row.waits : summary(state, definitions, row.status).waits
  return {
    row,
    at: state.n,
    time: state.time,
    stack: stackOf(frame),
    branches: tops.map(stackOf),
    choices: (tops.length === 0 ? [frame] : tops).flatMap((top) => edgesOf(top, definitions)),
    picture: pictureOf(frame, state, definitions),
    failures: failuresOf(frame, definitions),
    board: boardOf(frame, definitions, forks),
    waiting: waitingIn(state, definitions),
    questions: questionsOf(row.id, waits),
    inbox: newest ? inbox : [],
    segments,
    ...(hidesContents(state) ? { replayable: 'decisions' } : {}),
  }
}

function waitingIn(state: State, definitions: ViewedPrograms): RunView['waiting'] {
  return [...state.pendingEffects()].flatMap(({ frame, isPostponed, waitsFor }) =>
    isPostponed && waitsFor !== undefined ? [{ path: framePath(frame, definitions), queue: waitsFor }] : [],
  )
}

function stepOf(frame: Frame, definitions: ViewedPrograms): StackStep {
  const { name } = definitions.program(frame.pin)
  const branch = strandName(frame, definitions)
  return { program: name, node: nodeAt(frame, frame.position, definitions), ...(branch === undefined ? {} : { branch }) }
}

function nodeAt({ pin }: Frame, position: Json | undefined, definitions: ViewedPrograms): string | undefined {
  const { kind, def } = definitions.program(pin)
  return definitions.kind(kind).node?.(def, position)
}

function edgesOf(frame: Frame, definitions: ViewedPrograms): readonly EdgeState[] {
  const { def, kind } = definitions.program(frame.pin)
  return definitions.view(kind).edges?.(def, frame) ?? []
}

function failuresOf(frame: Frame, definitions: ViewedPrograms): readonly PastFailure[] {
  const { def, kind } = definitions.program(frame.pin)
  return definitions.view(kind).failures?.(def, frame) ?? []
}

function boardOf(frame: Frame, definitions: ViewedPrograms, forks: ReadonlySet<number>): RunView['board'] {
  const reader = frame.reader()
  const { kind } = definitions.program(frame.pin)
  const [stepper, view] = [definitions.kind(kind), definitions.view(kind)]
  return reader.keys().flatMap((key) => {
    const entry = stepper.isInternal?.(key) === true ? undefined : reader.entry(key)
    if (entry?.value === undefined) return []
    const { value, record } = entry
    const known = view.provenance?.(reader, key)
    const from = forks.has(record) ? { node: undefined, by: 'the fork' } : { node: nodeAt(frame, entry.label, definitions) }
    return [{ key, value, record, ...from, ...(known === undefined ? {} : { known }) }]
  })
}
