import { isList, isObject, type Json, type JsonObject, type Ref, type TakenMessage } from '../../../kernel/index.ts'
import type { Instant } from '../model/event.ts'
import type { EventSource, GraphArgs } from './args.ts'
import type { CompiledGraph } from './compiled.ts'
import type { GraphPosition } from './position.ts'
import { placeOfSource, type ReadPlace } from './read-place.ts'
import type { Arrived } from './taken.ts'

/** An event of a source that the run reads itself. */
export interface SourcedEvent extends Arrived {
  readonly name: string
  /** The place of the source behind it. */
  readonly read: ReadPlace
}

/** Stands for no event: the end of a source. */
export const NOTHING: Json = { kind: 'episode_start' }

/** Returns messages as events. Those of the port `ingress` have no author. `read`: how far the sources were read before. */
export function messageArrivals(messages: readonly TakenMessage[], read: GraphPosition['read']): (Arrived | SourcedEvent)[] {
  const lines = new Map(Object.entries(read).map(([name, [, line]]) => [name, line]))
  return messages.map(([id, body, by]) => {
    const arrived = by === undefined ? sourcedEvent(id, body, lines) : undefined
    return arrived ?? { id, body: body ?? NOTHING, isClose: body === null }
  })
}

/**
 * Reads a message of the port `ingress`: `{source: [name, offset, line, before], event}`; in place of an event `problem` for a line that cannot
 * be one, or `due` for a capture whose deferred items ran at that time, with the `fork` that took it; without them, the source has ended.
 * `before`, the line before it, is absent if that is `line - 1`. A line that does not follow the last one is passed over: its source has sent it
 * before, or sends it again behind one that is missing.
 */
function sourcedEvent(id: string, body: Json, lines: Map<string, number>): Arrived | SourcedEvent | undefined {
  if (!isObject(body) || !isList(body.source)) return undefined
  const { source, event, problem, due, fork } = body
  const isEnd = event === undefined && problem === undefined && due === undefined
  const [name, offset, line, before = isEnd ? line : line - 1] = source as unknown as readonly [string, number, number, number?]
  if ((lines.get(name) ?? 0) !== before) return { id, body: NOTHING }
  if (isEnd) return { id, body: NOTHING, name, read: [-1, line] }
  lines.set(name, line)
  const mark = typeof fork === 'string' ? { fork } : {}
  const own = { id: `${name}:${line}`, name, read: [offset, line], ...mark } as const
  if (typeof problem === 'string') return { ...own, body: NOTHING, problem }
  return event === undefined ? { ...own, body: NOTHING, due: due as unknown as Instant } : { ...own, body: event }
}

/** True if an event says that none follows, or ends the last source. */
export function isLast(
  arrived: readonly (Arrived | SourcedEvent)[],
  sources: readonly EventSource[],
  read: GraphPosition['read'],
): boolean {
  if (arrived.some(({ isClose }) => isClose === true)) return true
  const hasEnd = arrived.some((one) => one.read?.[0] === -1)
  return hasEnd && sources.every(({ from, name }) => from === 'timer' || placeOfSource(read, name)?.[0] === -1)
}

/**
 * Returns the one event of a graph that is called: a command with the inputs as its payload, of the kind that they name, else of the only one.
 * No other call of any run has its id.
 */
export function callArrival({ adapter }: CompiledGraph, { input }: GraphArgs, run: string, frame: Ref): Arrived {
  const [only, ...others] = adapter?.forms.keys() ?? []
  const { semantic_kind: kind = others.length === 0 ? only : undefined, ...payload } = input
  const id = `${run}/${frame}`
  return { id, body: { event_id: id, kind: 'Command', payload, ...(kind === undefined ? {} : { semantic_kind: kind }) } }
}

/** Returns the event of a timer that is a source. `record`: the number of the record that it fires in. */
export function timerArrival(
  { name, semantic_kind, time_field: field }: Extract<EventSource, { from: 'timer' }>,
  record: number,
  now: number,
): Arrived {
  const id = `${name}/${record}`
  const payload = field === undefined ? {} : { [field]: now / 1000 }
  return { id, isOwn: true, body: { event_id: id, at: now / 1000, semantic_kind, payload } }
}

/** Returns the end of a program that an intent has started, as an event: with the values of its result that the schema of the kind has. */
export function endArrival(
  { adapter }: CompiledGraph,
  kind: string,
  {
    intent,
    status,
    value,
    now,
  }: { readonly intent: string; readonly status: string; readonly value: Json | undefined; readonly now: number },
): Arrived {
  const values: JsonObject = { ...(isObject(value) ? value : { value: value ?? null }), intent_id: intent, status }
  const fields = adapter?.forms.get(kind)?.fields
  const payload =
    fields === undefined ? values : Object.fromEntries(Object.entries(values).filter(([key]) => fields.some(({ name }) => name === key)))
  const id = `${intent}/end`
  return { id, isOwn: true, body: { event_id: id, kind: 'Command', at: now / 1000, semantic_kind: kind, payload } }
}
