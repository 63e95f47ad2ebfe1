import {
  type Change,
  framePath,
  type History,
  isObject,
  type JournalPart,
  type Json,
  nodePath,
  readCancel,
  type Rec,
  State,
  strandName,
} from '../kernel/index.ts'
import { definitionFinder, type KindEvent, type StoryEvent } from '../programs/kind-view.ts'
import type { ViewedDefinitions, ViewedPrograms } from '../programs/kinds.ts'

/** A line of a trace: the meaning of a record and its place in the call stack. */
export interface StoryLine {
  /** The number of the record. */
  readonly n: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The node path of the frame, outermost first. */
  readonly path: string
  /** The path of the event's node. */
  readonly place: string
  /** The branch of the frame, if it is one of several parallel branches. */
  readonly branch?: string | undefined
  /** The depth on the call stack, and in the program if its nodes contain nodes; the root has depth 0. */
  readonly depth: number
  readonly event: StoryEvent
}

/** Returns further events of a record, after those of its kind and of the kernel. */
export type MoreEvents = (change: Change, definitions: ViewedDefinitions, events: readonly StoryEvent[]) => readonly StoryEvent[]

/** Returns the lines of one record. */
export function linesOf(change: Change, definitions: ViewedDefinitions, more?: MoreEvents): StoryLine[] {
  const { frame, n, at } = change
  const { kind } = definitions.program(frame.pin)
  const path = framePath(frame, definitions)
  const branch = strandName(frame, definitions)
  const node = definitions.kind(kind).node?.(change.def, frame.position)
  const story = definitions.view(kind).story?.(change, definitionFinder(change.state, definitions)) ?? []
  const events = [
    ...kernelStory(change),
    ...deferredStory(change, node),
    ...raisedStory(change, node),
    ...retriedStory(change, node),
    ...story,
  ]
  return [...events, ...(more?.(change, definitions, events) ?? [])].map((event) => ({
    n,
    at,
    path,
    place: nodePath(frame, event.node, definitions),
    ...(branch === undefined ? {} : { branch }),
    depth: frame.depth + (event.depth ?? 0),
    event,
  }))
}

/** Returns the events of one record, as its kind names them; empty for a kind without events. */
export function eventsOf(change: Change, definitions: ViewedDefinitions): readonly KindEvent[] {
  const { kind } = definitions.program(change.frame.pin)
  return definitions.view(kind).events?.(change, definitionFinder(change.state, definitions)) ?? []
}

/** Returns the story of forks, cancellations and refused inputs, which the kernel records for every kind. */
function kernelStory({ record: { input }, state }: Change): StoryEvent[] {
  if (input?.[0] === 'kernel' && input[1] === 'cancel') return [cancelStory(readCancel(input[2]))]
  if (input?.[0] === 'kernel' && input[1] === 'refused') return [refusedStory(input[2])]
  if (input?.[0] === 'kernel' && input[1] === 'late') return [lateStory(input[2])]
  if (input?.[0] !== 'kernel' || (input[1] !== 'fork' && input[1] !== 'resume')) return []
  const { by, set } = isObject(input[2]) ? input[2] : {}
  const [run, at] = state.start?.fork ?? []
  const what = input[1] === 'resume' ? 'resumed' : `forked from ${run}@${at}`
  const actor = typeof by === 'string' ? { by } : {}
  const text = [what, ...(typeof by === 'string' ? [`by ${by}`] : []), ...(isObject(set) ? [`sets ${Object.keys(set).join(', ')}`] : [])]
  return [{ mark: 'note', text: text.join(', '), facts: { ...actor, ...(set === undefined ? {} : { wrote: set }) } }]
}

const HAS_ROOM = 'has room in the queue'

/** True for the event that an effect no longer waits for room: it begins. */
export function beginsWithRoom({ effect, text = '' }: StoryEvent): boolean {
  return effect !== undefined && text.startsWith(`${HAS_ROOM} `)
}

/**
 * Returns the story of an effect that waits for other effects of the run, because the budget may not cover both, or for room where an operator
 * limits calls; and that it has room.
 */
function deferredStory({ record: { input }, frame }: Change, node: string | undefined): StoryEvent[] {
  const place = node === undefined ? {} : { node }
  if (input?.[0] === 'again') {
    const { waitsFor } = frame.pendingEffects.find(({ id }) => id === input[1]) ?? {}
    if (waitsFor === undefined || input.length > 2) return []
    return [{ mark: 'step', ...place, text: `${HAS_ROOM} ${waitsFor}`, effect: input[1] }]
  }
  if (input?.[0] !== 'later') return []
  if (input[2] !== undefined) return [{ mark: 'step', ...place, text: `waits for room in the queue ${input[2]}`, effect: input[1] }]
  return [{ mark: 'note', ...place, text: 'waits: the budget may not cover it beside the other calls', effect: input[1] }]
}

/** Returns the story of an answer that raises the limits of the run. */
function raisedStory({ record: { more } }: Change, node: string | undefined): StoryEvent[] {
  if (more?.raise === undefined) return []
  const limits = Object.entries(more.raise).map(([limit, amount]) => `${limit} ${amount}`)
  return [
    {
      mark: 'note',
      ...(node === undefined ? {} : { node }),
      text: `the budget is raised: ${limits.join(', ')}`,
      facts: { limits: { ...more.raise } },
    },
  ]
}

/** Returns the story of a repeated effect. The try that a crash interrupted counts with its estimated usage. */
function retriedStory({ record: { input } }: Change, node: string | undefined): StoryEvent[] {
  if (input?.[0] !== 'again' || !isObject(input[2])) return []
  const { input: read, output } = input[2]
  const total = [read, output].reduce<number>((sum, tokens) => sum + (typeof tokens === 'number' ? tokens : 0), 0)
  const text = `interrupted and performed again; the lost try counts as ${total} tokens (estimated)`
  return [
    {
      mark: 'note',
      ...(node === undefined ? {} : { node }),
      text,
      facts: { used: { ...input[2], tries: 1, estimated: true } },
      effect: input[1],
    },
  ]
}

/** Returns the story of an answer that came too late, or of a damaged message. */
function refusedStory(detail: Json | undefined): StoryEvent {
  const { fault, by } = isObject(detail) ? detail : {}
  const { code, message } = isObject(fault) ? fault : {}
  const text = [code, message].filter((part) => typeof part === 'string').join(' ')
  return { mark: 'warn', text, facts: { ...(typeof by === 'string' ? { by } : {}), ...(fault === undefined ? {} : { fault }) } }
}

/** Returns the story of an effect that has happened although it was dropped. */
function lateStory(detail: Json | undefined): StoryEvent {
  const { port, result, used } = isObject(detail) ? detail : {}
  const facts = { ...(result === undefined ? {} : { result }), ...(used === undefined ? {} : { used }) }
  return { mark: 'warn', text: `${typeof port === 'string' ? port : 'an effect'} was dropped and has happened nevertheless`, facts }
}

function cancelStory({ reason, by }: ReturnType<typeof readCancel>): StoryEvent {
  const text = by === undefined ? 'cancelled' : `cancelled by ${by}`
  return { mark: 'note', text: reason === 'cancelled' ? text : `${text}: ${reason}`, ...(by === undefined ? {} : { facts: { by } }) }
}

/** Returns the lines of a whole journal. It applies the records again in order. */
export function linesOfHistory({ records }: Pick<History, 'records'>, definitionsFor: (state: State) => ViewedPrograms): StoryLine[] {
  const lines: StoryLine[] = []
  const state = new State()
  const definitions = definitionsFor(state)
  for (const change of applyAll(records, state, definitions)) lines.push(...linesOf(change, definitions))
  return lines
}

/** Applies the records of a part of a journal in order, and yields what each has changed, with the programs of the run. */
export async function* changesOfPart(
  part: JournalPart,
  definitionsFor: (state: State) => ViewedPrograms,
): AsyncGenerator<readonly [Change, ViewedPrograms]> {
  const state = part.opening()
  const definitions = definitionsFor(state)
  for await (const [, record] of part.records()) {
    const change = applyRecord(state, record, definitions)
    // Dropped effects matter only to the process that performs them.
    state.droppedEffects.length = 0
    if (change !== undefined) yield [change, definitions]
  }
}

/** Returns the lines of a part of a journal, record by record. */
export async function* linesOfPart(
  part: JournalPart,
  definitionsFor: (state: State) => ViewedPrograms,
  more?: MoreEvents,
): AsyncGenerator<StoryLine> {
  for await (const [change, definitions] of changesOfPart(part, definitionsFor)) yield* linesOf(change, definitions, more)
}

/** Returns the events of a part of a journal, record by record, from a record on. */
export async function* eventsOfPart(
  part: JournalPart,
  from: number,
  definitionsFor: (state: State) => ViewedPrograms,
): AsyncGenerator<KindEvent> {
  for await (const [change, definitions] of changesOfPart(part, definitionsFor)) if (change.n >= from) yield* eventsOf(change, definitions)
}

function* applyAll(records: readonly Rec[], state: State, definitions: ViewedPrograms): Generator<Change> {
  for (const record of records) {
    const change = applyRecord(state, record, definitions)
    if (change !== undefined) yield change
  }
}

/** Applies a record to a state and returns the change; undefined for a record of a frame that is not there. */
export function applyRecord(state: State, record: Rec, definitions: ViewedPrograms): Change | undefined {
  const frame = state.frames.get(record.frame)
  const before: Json | undefined = frame?.position
  state.apply(record)
  if (frame === undefined) return undefined
  return { n: state.n, at: state.time, record, state, frame, def: definitions.program(frame.pin).def, before }
}
