import type { JsonObject } from '../../../kernel/index.ts'
import type { Adapter, ContextKey } from '../model/adapter.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { captureFields } from './check-adapter.ts'
import { graphNeeds, type GraphNeeds, type IntentUse } from './graph-needs.ts'
import { propertiesOf, SCHEMA_OF } from './payload-schema.ts'

export interface WriteAdapterOptions {
  /** The adapter to which is added what the graph needs. Nothing is removed from it. */
  readonly existing?: Adapter | undefined
  /** The version of the runtime, for a new adapter. */
  readonly runtime: string
}

/**
 * Returns the adapter that a graph needs: its keys, the fields of events that its sources read, and its effects with their schemas. Added to an
 * existing adapter, a key that the graph writes becomes writable, and a key that the graph reads becomes a field of events, of all kinds if the
 * graph writes it, because a kind without the field hides the state. Types that contradict each other are left, and composition names them.
 */
export function writeAdapter(graph: ValidatedGraph, { existing, runtime }: WriteAdapterOptions): Adapter {
  const needs = graphNeeds(graph)
  const context_keys = neededKeys(needs, existing?.context_keys ?? [])
  const event_kinds = neededEvents(needs, context_keys, existing?.event_kinds ?? [])
  const effects = neededEffects(needs, existing?.accepts?.effects ?? [])
  if (existing === undefined) {
    return {
      kind: 'adapter',
      id: identifier(graph.id),
      version: '0.1.0',
      runtime_compatibility: runtime,
      context_keys,
      event_kinds,
      ...(effects.length === 0 ? {} : { accepts: { effects } }),
      capture: { format_version: '1', fields: captureFields(event_kinds) },
    }
  }
  const added = event_kinds.slice(existing.event_kinds.length).map(({ name }) => `event.${name}`)
  return {
    ...existing,
    context_keys,
    event_kinds,
    ...(effects.length === 0 ? {} : { accepts: { ...existing.accepts, effects } }),
    capture: { ...existing.capture, fields: [...existing.capture.fields, ...added] },
  }
}

function identifier(id: string): string {
  const plain = id.toLowerCase().replace(/[^a-z0-9_]/g, '_')
  return /^[a-z]/.test(plain) ? plain : `adapter_${plain}`
}

function neededKeys({ reads, writes }: GraphNeeds, existing: readonly ContextKey[]): ContextKey[] {
  const written = new Set(writes.map(({ key }) => key))
  const keys = new Map(existing.map((key) => [key.name, written.has(key.name) ? { ...key, writable: true, required: false } : key]))
  for (const { key, type, required } of [...reads, ...writes.map((write) => ({ ...write, required: false }))]) {
    if (key === undefined) continue
    const writable = written.has(key)
    const before = keys.get(key)
    if (before === undefined) keys.set(key, { name: key, type, required: required && !writable, writable })
    else if (required && !writable && !existing.includes(before)) keys.set(key, { ...before, required: true })
  }
  return [...keys.values()]
}

type EventKinds = Adapter['event_kinds']

function neededEvents({ reads, writes }: GraphNeeds, keys: readonly ContextKey[], existing: EventKinds): EventKinds {
  const written = new Set(writes.map(({ key }) => key))
  const types = new Map(reads.flatMap(({ key, type }) => (key === undefined ? [] : [[key, type] as const])))
  const isAbsent = (name: string): boolean => !existing.some(({ payload_schema }) => Object.hasOwn(propertiesOf(payload_schema), name))
  const wanted = [...types].filter(([name]) => written.has(name) || isAbsent(name))
  const properties = Object.fromEntries(wanted.map(([name, type]) => [name, SCHEMA_OF[type]]))
  if (existing.length > 0) return existing.map((kind) => ({ ...kind, payload_schema: withProperties(kind.payload_schema, properties) }))
  const required = keys.filter((key) => key.required && Object.hasOwn(properties, key.name)).map(({ name }) => name)
  return [{ name: 'event', payload_schema: objectSchema(properties, required) }]
}

function objectSchema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', additionalProperties: false, properties, ...(required.length === 0 ? {} : { required }) }
}

/** Returns an object schema with the properties that it does not have yet. */
function withProperties(schema: JsonObject, properties: JsonObject): JsonObject {
  const before = propertiesOf(schema)
  const added = Object.entries(properties).filter(([name]) => !Object.hasOwn(before, name))
  return added.length === 0 ? schema : { ...schema, properties: { ...before, ...Object.fromEntries(added) } }
}

type Effects = NonNullable<Adapter['accepts']>['effects']

function neededEffects({ intents, writes }: GraphNeeds, existing: Effects): Effects {
  const byKind = Map.groupBy(intents, ({ intent }) => intent.name)
  const kept = existing.map((effect) => {
    const uses = byKind.get(effect.name)
    return uses === undefined ? effect : { ...effect, payload_schema: withProperties(effect.payload_schema, fieldsOf(uses)) }
  })
  const isNew = (kind: string): boolean => existing.every(({ name }) => name !== kind)
  const set = { name: SET_CONTEXT, payload_schema: objectSchema({ key: { type: 'string' }, value: {} }, ['key', 'value']) }
  const added = [...byKind]
    .filter(([kind]) => isNew(kind))
    .map(([kind, uses]) => ({ name: kind, payload_schema: objectSchema(fieldsOf(uses), commonFields(uses)) }))
  return [...kept, ...(writes.length > 0 && isNew(SET_CONTEXT) ? [set] : []), ...added]
}

function fieldsOf(uses: readonly IntentUse[]): JsonObject {
  return Object.fromEntries(uses.flatMap(({ intent }) => intent.fields.map(({ name, type }) => [name, SCHEMA_OF[type]])))
}

/** Returns the fields that every action of a kind of intent states. */
function commonFields(uses: readonly IntentUse[]): readonly string[] {
  const [first, ...others] = uses.map(({ intent }) => intent.fields.map(({ name }) => name))
  return (first ?? []).filter((name) => others.every((fields) => fields.includes(name)))
}
