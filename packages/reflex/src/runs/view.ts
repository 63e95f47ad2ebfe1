import { type OpenQuestion, questionsOf } from './handle.ts'
import {
  type EdgeState,
  type Frame,
  type InboxMessage,
  type Json,
  type Peek,
  type RunRow,
  strandName,
  summary,
  topOf,
} from '../kernel/index.ts'

/** A program that a run is in, and where. */
export interface StackStep {
  readonly program: string
  readonly node: string | undefined
  /** The branch that goes through it, where it is one of several. */
  readonly branch?: string
}

/** What a stored run looks like after one of its records. */
export interface RunView {
  readonly row: RunRow
  /** The record shown. */
  readonly at: number
  /** Milliseconds since the epoch: the time of that record. */
  readonly time: number
  /** Programs and nodes of the call stack, outermost first. */
  readonly stack: readonly StackStep[]
  /** The stacks of branches that stand beside each other, outermost first as well. */
  readonly branches: readonly (readonly StackStep[])[]
  /** The ways on from where it stands; from where its branches stand, if it has any. */
  readonly choices: readonly EdgeState[]
  /** What can be read at the top of the stack, nearest scope first. */
  readonly board: readonly {
    readonly key: string
    readonly value: Json
    readonly node: string | undefined
    readonly record: number
    readonly known?: string | undefined
    /** Who set it, where no node wrote it. */
    readonly by?: string | undefined
  }[]
  /** Those that are open at the record shown; of an earlier record, those that were. */
  readonly questions: readonly OpenQuestion[]
  /** What was told to the run and no record has taken; of a run that has ended, nobody ever will. */
  readonly inbox: readonly InboxMessage[]
}

/** What is known of a run beside its state at the record shown. */
interface ViewFacts {
  /** It is the newest record. */
  readonly newest: boolean
  readonly inbox: readonly InboxMessage[]
  /** The records with which the run was forked, and became one of its own. */
  readonly forks: ReadonlySet<number>
}

/** What a run looks like at the record that was folded last; its inbox only if that is its newest. */
export function viewOf({ row, state, definitions }: Peek, { newest, inbox, forks }: ViewFacts): RunView {
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
    board: boardOf(frame, definitions, forks),
    questions: questionsOf(row.id, waits),
    inbox: newest ? inbox : [],
  }
}

function stepOf(frame: Frame, definitions: Peek['definitions']): StackStep {
  const { name } = definitions.program(frame.pin)
  const branch = strandName(frame, definitions)
  return { program: name, node: nodeAt(frame, frame.position, definitions), ...(branch === undefined ? {} : { branch }) }
}

function nodeAt({ pin }: Frame, position: Json | undefined, definitions: Peek['definitions']): string | undefined {
  const { kind, def } = definitions.program(pin)
  return definitions.kind(kind).node?.(def, position)
}

function edgesOf(frame: Frame, definitions: Peek['definitions']): readonly EdgeState[] {
  const { def, kind } = definitions.program(frame.pin)
  return definitions.kind(kind).edges?.(def, frame) ?? []
}

function boardOf(frame: Frame, definitions: Peek['definitions'], forks: ReadonlySet<number>): RunView['board'] {
  const reader = frame.reader()
  const kind = definitions.kind(definitions.program(frame.pin).kind)
  return reader.keys().flatMap((key) => {
    const entry = kind.isInternal?.(key) === true ? undefined : reader.entry(key)
    if (entry?.value === undefined) return []
    const { value, record } = entry
    const known = kind.provenance?.(reader, key)
    const from = forks.has(record) ? { node: undefined, by: 'the fork' } : { node: nodeAt(frame, entry.label, definitions) }
    return [{ key, value, record, ...from, ...(known === undefined ? {} : { known }) }]
  })
}
