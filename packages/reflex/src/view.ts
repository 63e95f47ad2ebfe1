import { type OpenQuestion, questionsOf } from './handle.ts'
import {
  type BoardReader,
  type Choice,
  type Frame,
  type InboxMessage,
  type Json,
  type Kind,
  type Peek,
  type RunRow,
  topOf,
} from './kernel/index.ts'

/** What a stored run looks like after one of its records. */
export interface RunView {
  readonly row: RunRow
  /** The record shown. */
  readonly at: number
  /** Milliseconds since the epoch: the time of that record. */
  readonly time: number
  /** Programs and nodes of the call stack, outermost first. */
  readonly stack: readonly { readonly program: string; readonly node: string | undefined }[]
  readonly choices: readonly Choice[]
  /** What can be read at the top of the stack, nearest scope first. */
  readonly board: readonly {
    readonly key: string
    readonly value: Json
    readonly node: string | undefined
    readonly record: number
    readonly known?: string | undefined
  }[]
  readonly questions: readonly OpenQuestion[]
  /** What was told to the run and no record has taken; of a run that has ended, nobody ever will. */
  readonly inbox: readonly InboxMessage[]
}

/** What a run looks like at the record that was folded last; its questions and its inbox only if that is its newest. */
export function viewOf({ row, state, definitions }: Peek, newest: boolean, inbox: readonly InboxMessage[]): RunView {
  const frame = topOf(state.root)
  const stack: Frame[] = []
  for (let at: Frame | undefined = frame; at !== undefined; at = at.link?.caller) stack.unshift(at)
  const node = (at: Frame, position: Json | undefined) => {
    const program = definitions.program(at.pin)
    return definitions.kind(program.kind).where?.(program.def, position)
  }
  const { def, kind } = definitions.program(frame.pin)
  return {
    row,
    at: state.n,
    time: state.time,
    stack: stack.map((at) => ({ program: definitions.program(at.pin).name, node: node(at, at.position) })),
    choices: definitions.kind(kind).choices?.(def, frame) ?? [],
    board: boardOf(frame.reader(), node, definitions.kind(kind), frame),
    questions: newest ? questionsOf(row.id, row.waits) : [],
    inbox: newest ? inbox : [],
  }
}

function boardOf(
  reader: BoardReader,
  node: (frame: Frame, position: Json | undefined) => string | undefined,
  kind: Kind,
  frame: Frame,
): RunView['board'] {
  return reader.keys().flatMap((key) => {
    const entry = kind.own?.(key) === true ? undefined : reader.entry(key)
    if (entry?.value === undefined) return []
    const known = kind.tells?.(reader, key)
    return [{ key, value: entry.value, node: node(frame, entry.label), record: entry.record, ...(known === undefined ? {} : { known }) }]
  })
}
