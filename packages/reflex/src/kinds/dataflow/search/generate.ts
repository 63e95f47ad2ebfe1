import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { EventField } from '../adapter/event-form.ts'
import { graphNeeds, keyOf } from '../adapter/graph-needs.ts'
import { SCHEMA_OF } from '../adapter/payload-schema.ts'
import type { HostedEvent } from '../model/event.ts'
import { numbersOf, valuesOf } from '../proofs/field-values.ts'
import { planOf } from '../pass/plan.ts'
import type { CompiledGraph } from '../run/compiled.ts'

/** The most numbers of a graph at and beside which events have theirs. */
const MOST_NUMBERS = 200

/** The events of one kind, with the values that are tried for each field. */
interface EventTable {
  /** Absent for a graph without an adapter. */
  readonly kind: string | undefined
  readonly fields: readonly { readonly field: EventField; readonly values: readonly Json[] }[]
}

/** Returns an event by its place in a run. */
export function eventAt(place: number, kind: string | undefined, payload: JsonObject): HostedEvent {
  const semantic = kind === undefined ? {} : { semantic_kind: kind }
  return { event_id: `e${place + 1}`, kind: 'DataAvailable', at: { secs: place, nanos: 0 }, ...semantic, payload }
}

/** Makes events that fit the schemas of an adapter, with numbers at and beside those that the graph states. */
export class EventMaker {
  readonly #tables: readonly EventTable[]
  readonly #numbers: readonly number[]

  constructor(def: CompiledGraph) {
    const stated = numbersOf(planOf(def.graph)).slice(0, MOST_NUMBERS)
    this.#numbers = [...new Set([...stated, ...stated.flatMap((number) => [number - 1, number + 1])])]
    this.#tables = tablesOf(def, this.#numbers)
  }

  /** Returns a random event after another one; undefined if no event fits. `roll` returns a whole number below a limit. */
  next(place: number, roll: (limit: number) => number, before: JsonObject | undefined): HostedEvent | undefined {
    const table = this.#tables[roll(this.#tables.length)]
    if (table === undefined) return undefined
    const payload: Record<string, Json> = {}
    for (const { field, values } of table.fields) {
      if (field.required === undefined && roll(10) < 3) continue
      const value = this.#value(field, values, { roll, before: before?.[field.name] })
      if (value !== undefined) payload[field.name] = value
      else if (field.required !== undefined) return undefined
    }
    return eventAt(place, table.kind, payload)
  }

  /** Returns a value: often the last one, or that plus a number of the graph, as times and counters have them. */
  #value(
    { read }: EventField,
    values: readonly Json[],
    { roll, before }: { readonly roll: (limit: number) => number; readonly before: Json | undefined },
  ): Json | undefined {
    const choice = roll(10)
    const step = this.#numbers[roll(this.#numbers.length || 1)] ?? 1
    if (typeof before === 'number' && choice < 4) {
      const moved = choice === 0 ? before : before + step
      if (read(moved) !== undefined) return moved
    }
    return values[roll(values.length || 1)]
  }
}

function tablesOf({ graph, adapter }: CompiledGraph, numbers: readonly number[]): EventTable[] {
  const { reads, writes } = graphNeeds(graph)
  const written = new Set(writes.map(({ key }) => key))
  // Keys that actions write come from them: an event that states one would replace the memory of the graph.
  const rowsOf = (fields: readonly EventField[]): EventTable['fields'] =>
    fields
      .filter(({ name, required }) => required !== undefined || !written.has(name))
      .map((field) => ({ field, values: valuesOf(field, numbers) }))
  if (adapter !== undefined) return [...adapter.forms.values()].map(({ kind, fields }) => ({ kind, fields: rowsOf(fields) }))
  const fields = new Map(
    reads.flatMap(({ node, stated, type }): [string, EventField][] => {
      const name = keyOf(node, stated)
      const field = { type, schema: SCHEMA_OF[type], isKey: false, required: undefined, keyType: undefined }
      return name === undefined ? [] : [[name, { ...field, name, read: (value) => value as never }]]
    }),
  )
  return [{ kind: undefined, fields: rowsOf([...fields.values()]) }]
}
