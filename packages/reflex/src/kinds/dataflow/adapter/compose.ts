import { type Fault, type FaultDetails, isObject, type JsonObject } from '../../../kernel/index.ts'
import { quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Adapter } from '../model/adapter.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import { type GraphNode, nodeName, type ValidatedGraph } from '../model/graph.ts'
import { faults } from './faults.ts'
import { graphNeeds, type GraphNeeds, type IntentUse, type KeyUse, type KeyWrite } from './graph-needs.ts'
import { propertiesOf, propertyType, requiredOf } from './payload-schema.ts'

/** Returns the place of a node in the text of its graph. */
export type NodeLocator = (node: GraphNode) => FaultDetails

type Code = Parameters<typeof faults.finding>[0]
interface Violation {
  readonly node?: GraphNode
  readonly message: string
  readonly fix: string
}
interface Rule {
  readonly id: string
  readonly code: Code
  readonly find: (needs: GraphNeeds, adapter: Adapter) => Iterable<Violation>
}

/**
 * Returns the rules that a graph breaks together with an adapter (reference 6.4), all of them, in the order of their numbers and then of the
 * nodes. COMP-4 to COMP-10 are rules of the graph alone (V.2, V.4). Mirror writes are judged as writes are. An action that writes one key
 * twice, which its manifest cannot show for keys in parameters, breaks ACT-14.
 */
export function compositionFindings(graph: ValidatedGraph, adapter: Adapter, locate: NodeLocator = nodePath): Fault[] {
  const needs = graphNeeds(graph)
  return RULES.flatMap(({ id, code, find }) =>
    [...find(needs, adapter)].map(({ node, message, fix }) =>
      faults.finding(code, message, { rule: id, ...(node === undefined ? {} : locate(node)), fix }),
    ),
  )
}

/** Returns the path of a node, for a graph that was never text. */
export const nodePath: NodeLocator = (node) => ({ path: `nodes.${nodeName(node)}` })

const RULES: readonly Rule[] = [
  { id: 'COMP-1', code: 'R1361', find: unprovided },
  { id: 'COMP-2', code: 'R1361', find: ({ reads }, adapter) => otherTypes(reads, adapter, 'reads') },
  { id: 'COMP-3', code: 'R1364', find: unknownFormat },
  { id: 'COMP-11', code: 'R1362', find: undeclared },
  { id: 'COMP-12', code: 'R1362', find: notWritable },
  { id: 'COMP-13', code: 'R1362', find: ({ writes }, adapter) => otherTypes(writes, adapter, 'writes') },
  { id: 'COMP-14', code: 'R1362', find: noSetContext },
  { id: 'COMP-16', code: 'R1362', find: unresolved },
  { id: 'COMP-17', code: 'R1363', find: unaccepted },
  { id: 'COMP-18', code: 'R1363', find: withoutSchema },
  { id: 'COMP-19', code: 'R1363', find: unfit },
  { id: 'ACT-14', code: 'R1362', find: writtenTwice },
]

function keyIn({ context_keys }: Adapter, name: string): Adapter['context_keys'][number] | undefined {
  return context_keys.find((key) => key.name === name)
}

function meant(name: string, { context_keys }: Adapter, otherwise: string): string {
  const guess = suggest(
    name,
    context_keys.map((key) => key.name),
  )
  return guess === undefined ? otherwise : `write ${quote(guess)}, or ${otherwise}`
}

function* unprovided({ reads }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  for (const { node, key, type, required } of reads) {
    if (!required || key === undefined || keyIn(adapter, key) !== undefined) continue
    const message = `${nodeName(node)} needs the key ${quote(key)}, which the adapter does not provide`
    yield { node, message, fix: meant(key, adapter, `declare it in the adapter as a ${type}`) }
  }
}

function* otherTypes(uses: readonly KeyUse[], adapter: Adapter, verb: 'reads' | 'writes'): Generator<Violation> {
  for (const { node, key, type } of uses) {
    const declared = key === undefined ? undefined : keyIn(adapter, key)
    if (declared === undefined || declared.type === type) continue
    const message = `${nodeName(node)} ${verb} the key ${quote(declared.name)} as a ${type}; in the adapter it is a ${declared.type}`
    yield { node, message, fix: `declare it as a ${type}, or use a primitive for ${declared.type}` }
  }
}

function* unknownFormat(_needs: GraphNeeds, { capture }: Adapter): Generator<Violation> {
  if (capture.format_version === '1') return
  yield { message: `the capture format ${quote(capture.format_version)} of the adapter is unknown`, fix: 'write "format_version": "1"' }
}

function* undeclared({ writes }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  for (const { node, key, type } of writes) {
    if (key === undefined || keyIn(adapter, key) !== undefined) continue
    const message = `${nodeName(node)} writes the key ${quote(key)}, which the adapter does not declare`
    yield { node, message, fix: meant(key, adapter, `declare it in the adapter as a writable ${type}`) }
  }
}

function* notWritable({ writes }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  for (const { node, key } of writes) {
    if (key === undefined || keyIn(adapter, key)?.writable !== false) continue
    const message = `${nodeName(node)} writes the key ${quote(key)}, which the adapter declares as read-only`
    yield { node, message, fix: 'write "writable": true in the adapter' }
  }
}

function accepted({ accepts }: Adapter, kind: string): { readonly payload_schema?: JsonObject } | undefined {
  return accepts?.effects.find(({ name }) => name === kind)
}

function* noSetContext({ writes }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  const [first] = writes
  if (first === undefined || accepted(adapter, SET_CONTEXT) !== undefined) return
  const message = `${nodeName(first.node)} writes the context, and the adapter does not accept ${SET_CONTEXT}`
  yield { node: first.node, message, fix: `add ${SET_CONTEXT} to accepts.effects` }
}

function* unresolved({ reads, writes }: GraphNeeds): Generator<Violation> {
  for (const { node, key, stated } of [...reads, ...writes]) {
    if (key !== undefined) continue
    const message = `${nodeName(node)} has no key in its parameter ${quote(stated.slice(1))}`
    yield { node, message, fix: 'set the parameter to the name of a key' }
  }
}

function* unaccepted({ intents }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  const kinds = (adapter.accepts?.effects ?? []).map(({ name }) => name)
  for (const { node, intent } of intents) {
    if (kinds.includes(intent.name)) continue
    const guess = suggest(intent.name, kinds)
    const fix = `${guess === undefined ? '' : `write ${quote(guess)}, or `}add it to accepts.effects`
    yield { node, message: `${nodeName(node)} asks for ${quote(intent.name)}, which the adapter does not accept`, fix }
  }
}

function* withoutSchema({ intents }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  for (const { node, intent } of intents) {
    const effect = accepted(adapter, intent.name)
    if (effect === undefined || isObject(effect.payload_schema)) continue
    yield { node, message: `the adapter accepts ${quote(intent.name)} without a payload_schema`, fix: 'add a payload_schema' }
  }
}

/** Keywords with which a schema says more than types. The fit of an intent is then unknown, so it is refused. */
const UNFIT = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else']

function* unfit({ intents }: GraphNeeds, adapter: Adapter): Generator<Violation> {
  for (const use of intents) {
    const schema = accepted(adapter, use.intent.name)?.payload_schema
    if (!isObject(schema)) continue
    for (const message of unfitParts(use, schema))
      yield {
        node: use.node,
        message: `${quote(use.intent.name)} of ${nodeName(use.node)}: ${message}`,
        fix: 'make schema and intent equal',
      }
  }
}

function* unfitParts({ intent }: IntentUse, schema: JsonObject): Generator<string> {
  const properties = propertiesOf(schema)
  const found = [schema, ...Object.values(properties)].flatMap((part) =>
    isObject(part) ? UNFIT.filter((keyword) => Object.hasOwn(part, keyword)) : [],
  )
  if (found.length > 0) yield `the schema has ${quoteAll([...new Set(found)])}, so its fit cannot be judged`
  if (schema.type !== 'object' || !isObject(schema.properties)) {
    yield 'the schema must be an object with properties'
    return
  }
  const fields = new Map(intent.fields.map(({ name, type }) => [name, type]))
  for (const name of requiredOf(schema)) if (!fields.has(name)) yield `the schema requires ${quote(name)}, which the intent does not have`
  for (const [name, type] of fields) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property === undefined) yield `the schema has no property ${quote(name)}`
    else if (propertyType(property) !== type || isIntegral(property))
      yield `field ${quote(name)} is a ${type}, and the schema has another type for it`
  }
}

/** True for a schema that takes whole numbers only: a Number may be any. */
function isIntegral(schema: unknown): boolean {
  return isObject(schema) && (schema.type === 'integer' || isIntegral(schema.items))
}

function* writtenTwice({ writes }: GraphNeeds): Generator<Violation> {
  const seen = new Map<GraphNode, Map<string, KeyWrite>>()
  for (const write of writes) {
    const { node, key } = write
    const own = seen.get(node) ?? new Map<string, KeyWrite>()
    seen.set(node, own)
    if (key === undefined) continue
    const before = own.get(key)
    if (before === undefined) own.set(key, write)
    else {
      const message = `${nodeName(node)} writes the key ${quote(key)} twice, as ${quote(before.stated)} and as ${quote(write.stated)}`
      yield { node, message, fix: 'use two keys' }
    }
  }
}
