import { type Json, type JsonObject } from '../../../kernel/index.ts'
import { textAs } from '../../../people/index.ts'
import { programFaults } from '../../../programs/faults.ts'
import type { ProgramSignature } from '../../../programs/kind-view.ts'
import { quote, suggest } from '../../../text/index.ts'
import { propertiesOf, requiredOf, SCHEMA_OF } from '../adapter/payload-schema.ts'
import type { EventForm } from '../adapter/event-form.ts'
import { keyOf } from '../adapter/graph-needs.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { nodeName } from '../model/graph.ts'
import type { ScalarType } from '../model/value.ts'

/** The input that selects the kind of the event, for a graph whose adapter has several. */
const SELECTOR = 'semantic_kind'

/** Returns named inputs as the payload of one event: text becomes the type of its field. Throws `R2045` for an unknown name. */
export function graphInputs(def: CompiledGraph, input: JsonObject, texts: readonly string[]): JsonObject {
  const form = formOf(def, input)
  const types = typesOf(def, form)
  const kind: JsonObject = form === undefined ? {} : { [SELECTOR]: form.kind }
  const given = Object.entries(input).filter(([key]) => key !== SELECTOR)
  const values = given.map(([key, value]): [string, Json] => {
    const type = types.get(key)
    if (type === undefined) throw unknownInput(def.id, key, [...types.keys()])
    return [key, typeof value === 'string' && texts.includes(key) ? textOf(def.id, key, type, value) : value]
  })
  return given.length === 0 && input[SELECTOR] === undefined ? {} : { ...kind, ...Object.fromEntries(values) }
}

/** Returns a text as a value of a type. Throws `R2045` for a text that is none. */
function textOf(id: string, key: string, type: ScalarType, text: string): Json {
  const value = textAs(SCHEMA_OF[type], text)
  if (typeof value !== 'string' || type === 'String') return value
  const [noun, sample] = EXPECTED[type]
  throw programFaults.make('R2045', `the input "${key}" of ${id} is ${noun}, and ${JSON.stringify(text)} is none`, {
    path: key,
    fix: `write ${key}${sample}`,
  })
}

const EXPECTED: Readonly<Record<Exclude<ScalarType, 'String'>, readonly [noun: string, sample: string]>> = {
  Number: ['a number', '=1.5'],
  Bool: ['true or false', '=true'],
  Series: ['a list of numbers', ':=[1,2]'],
}

/** Returns the schema of the event that inputs stand for; undefined for a graph without an adapter. */
function formOf({ id, adapter }: CompiledGraph, input: JsonObject): EventForm | undefined {
  if (adapter === undefined) return undefined
  const named = input[SELECTOR]
  const kinds = [...adapter.forms.keys()]
  if (named === undefined) {
    if (kinds.length === 1) return adapter.forms.get(kinds[0] ?? '')
    if (Object.keys(input).length === 0) return undefined
    throw programFaults.make('R2045', `${id} takes events of several kinds: ${kinds.join(', ')}`, {
      path: id,
      fix: `add semantic_kind=${kinds[0] ?? ''}`,
    })
  }
  const form = typeof named === 'string' ? adapter.forms.get(named) : undefined
  if (form !== undefined) return form
  const guess = typeof named === 'string' ? suggest(named, kinds) : undefined
  throw programFaults.make(
    'R2045',
    `${id} takes no events of the kind ${JSON.stringify(named)}${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`,
    {
      path: id,
      fix: guess === undefined ? `write one of ${kinds.join(', ')}` : `write ${guess}`,
    },
  )
}

/** Returns the types of the fields of an event; without an adapter, of the keys that sources read. */
function typesOf({ graph }: CompiledGraph, form: EventForm | undefined): Map<string, ScalarType> {
  if (form !== undefined) return new Map(form.fields.map(({ name, type }) => [name, type]))
  return new Map(
    graph.nodes.flatMap((node) =>
      (node.primitive.manifest.requires?.context ?? []).map(({ name, type }) => [keyOf(node, name) ?? nodeName(node), type] as const),
    ),
  )
}

/** Returns the inputs of a graph: the fields of its one kind of event, or of each kind; its outputs are those of the graph. */
export function graphSignature(def: CompiledGraph): ProgramSignature {
  const forms = [...(def.adapter?.forms.values() ?? [])]
  const schemas = forms.map(({ kind, schema }) => inputSchema(kind, schema, forms.length > 1))
  const plain: JsonObject = {
    type: 'object',
    properties: Object.fromEntries([...typesOf(def, undefined)].map(([key, type]) => [key, SCHEMA_OF[type]])),
  }
  const outputs = def.graph.outputs.map(({ name, type }) => [name, type === 'Event' ? { type: 'string' } : SCHEMA_OF[type]] as const)
  return {
    inputs: schemas.length === 0 ? plain : schemas.length === 1 ? (schemas[0] ?? plain) : { type: 'object', anyOf: schemas },
    output: { type: 'object', properties: Object.fromEntries(outputs) },
    ...(def.graph.about === undefined ? {} : { about: def.graph.about }),
  }
}

function inputSchema(kind: string, schema: JsonObject, isOneOfSeveral: boolean): JsonObject {
  const required = [...(isOneOfSeveral ? [SELECTOR] : []), ...requiredOf(schema)]
  return {
    type: 'object',
    properties: { ...(isOneOfSeveral ? { [SELECTOR]: { const: kind } } : {}), ...propertiesOf(schema) },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

function unknownInput(id: string, key: string, known: readonly string[]): Error {
  const guess = suggest(key, known)
  return programFaults.make('R2045', `${id} has no input ${quote(key)}${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`, {
    path: id,
    fix: guess === undefined ? `it takes ${known.join(', ') || 'no inputs'}` : `write ${guess}`,
  })
}
