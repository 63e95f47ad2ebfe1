import { isList, isObject, type Json, type JsonObject, type Ref, type TakenMessage } from '../../../kernel/index.ts'
import type { EventSource, GraphArgs } from './args.ts'
import type { CompiledGraph } from './compiled.ts'
import type { Arrived } from './taken.ts'
import type { ReadPlace } from './read-place.ts'

/** An event of a source that the run reads itself. */
export interface SourcedEvent extends Arrived {
  readonly name: string
  /** The place of the source behind it. */
  readonly read: ReadPlace
}

/** Stands for no event: the end of a source. */
export const NOTHING: Json = { kind: 'episode_start' }

/** Returns messages as events. Those of the port `ingress` have no author. */
export function messageArrivals(messages: readonly TakenMessage[]): (Arrived | SourcedEvent)[] {
  return messages.map(([id, body, by]) =>
    by === undefined ? sourcedEvent(id, body) : { id, body: body ?? NOTHING, isClose: body === null },
  )
}

/** Reads a message of the port `ingress`: `{source: [name, offset, line], event}`; without an event, the source has ended. */
function sourcedEvent(id: string, body: Json): Arrived | SourcedEvent {
  if (!isObject(body) || !isList(body.source)) return { id, body: body ?? NOTHING, isClose: body === null }
  const [name, offset, line] = body.source as unknown as readonly [string, number, number]
  if (body.event === undefined) return { id, body: NOTHING, name, read: [-1, line] }
  return { id: `${name}:${line}`, body: body.event, name, read: [offset, line] }
}

/** True if an event says that none follows, or ends the last source. */
export function isLast(
  arrived: readonly (Arrived | SourcedEvent)[],
  sources: readonly EventSource[],
  read: Readonly<Record<string, ReadPlace>>,
): boolean {
  if (arrived.some(({ isClose }) => isClose === true)) return true
  const hasEnd = arrived.some((one) => one.read?.[0] === -1)
  return hasEnd && sources.every(({ from, name }) => from === 'timer' || read[name]?.[0] === -1)
}

/** Returns the one event of a graph that is called: a command with the inputs as its payload. No other call of any run has its id. */
export function callArrival({ input }: GraphArgs, run: string, frame: Ref): Arrived {
  const { semantic_kind: kind, ...payload } = input
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
  return { id, body: { event_id: id, at: now / 1000, semantic_kind, payload } }
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
  return { id, body: { event_id: id, kind: 'Command', at: now / 1000, semantic_kind: kind, payload } }
}
