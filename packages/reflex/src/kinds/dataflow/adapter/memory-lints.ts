import type { Fault } from '../../../kernel/index.ts'
import { quote, quoteAll } from '../../../text/index.ts'
import type { Adapter } from '../model/adapter.ts'
import { type GraphNode, nodeName, type ValidatedGraph } from '../model/graph.ts'
import { ZERO } from '../model/value.ts'
import { type NodeLocator, nodePath } from './compose.ts'
import { faults } from './faults.ts'
import { graphNeeds, type GraphNeeds } from './graph-needs.ts'
import { propertiesOf, propertyType, requiredOf } from './payload-schema.ts'

interface Lint {
  readonly message: string
  readonly fix: string
  readonly node?: GraphNode | undefined
}

/**
 * Returns what is probably wrong with the memory of a graph (reference 11, 4): the warning `R1365` for keys that two actions write, that no
 * source reads, that no event shows or that no event provides; the remark `R1366` for values that are absent at first, and for effects that
 * do not depend on the outcome of their action. Without an adapter only the graph is judged. The order is that of the checks, then of the nodes.
 */
export function memoryFindings(graph: ValidatedGraph, adapter?: Adapter, locate: NodeLocator = nodePath): Fault[] {
  const needs = graphNeeds(graph)
  const fault = (code: 'R1365' | 'R1366', { message, fix, node }: Lint): Fault =>
    faults.finding(code, message, { ...(node === undefined ? {} : locate(node)), fix })
  const warnings = [...severalWriters(needs), ...unread(needs), ...(adapter === undefined ? [] : adapterLints(needs, adapter))]
  const remarks = [
    ...(adapter === undefined ? [] : absentNumbers(needs, adapter)),
    ...firstDivisions(graph, needs),
    ...effectsOfEveryOutcome(graph),
  ]
  return [...warnings.map((lint) => fault('R1365', lint)), ...remarks.map((lint) => fault('R1366', lint))]
}

function* severalWriters({ writes }: GraphNeeds): Generator<Lint> {
  for (const [key, uses] of Map.groupBy(writes, (write) => write.key)) {
    const nodes = [...new Set(uses.map(({ node }) => node))]
    if (key === undefined || nodes.length < 2) continue
    const names = quoteAll(nodes.map(nodeName))
    const message = `${names} write the key ${quote(key)}; if several run in a pass, the last one wins`
    yield { message, fix: 'let one action write it, and select its value before', node: nodes[0] }
  }
}

function* unread({ reads, writes }: GraphNeeds): Generator<Lint> {
  const read = new Set(reads.map(({ key }) => key))
  for (const [key, [first]] of Map.groupBy(writes, (write) => write.key)) {
    if (key === undefined || first === undefined || read.has(key)) continue
    const message = `${nodeName(first.node)} writes the key ${quote(key)}, which no source of the graph reads`
    yield { message, fix: 'read it with a context source, or remove the write', node: first.node }
  }
}

function* adapterLints(needs: GraphNeeds, adapter: Adapter): Generator<Lint> {
  yield* hiddenKeys(needs, adapter)
  yield* unprovidedKeys(needs, adapter)
  yield* refusedEvents(adapter)
}

function kindsWithout({ event_kinds }: Adapter, key: string): readonly string[] {
  return event_kinds.filter(({ payload_schema }) => !Object.hasOwn(propertiesOf(payload_schema), key)).map(({ name }) => name)
}

/** Finds state that the passes of some events do not see: each schema must have the key for it to be merged. */
function* hiddenKeys({ reads, writes }: GraphNeeds, adapter: Adapter): Generator<Lint> {
  const read = new Set(reads.map(({ key }) => key))
  for (const [key, [first]] of Map.groupBy(writes, (write) => write.key)) {
    if (key === undefined || first === undefined || !read.has(key)) continue
    const without = kindsWithout(adapter, key)
    if (without.length === 0) continue
    const whose = without.length === adapter.event_kinds.length ? 'no event has' : `events of ${quoteAll(without)} do not have`
    const message = `${nodeName(first.node)} writes the key ${quote(key)}, which ${whose}: their passes read it as absent`
    yield { message, fix: `add ${quote(key)} to the properties of these schemas, not as required`, node: first.node }
  }
}

/** Finds keys that a source reads and no event can have. */
function* unprovidedKeys({ reads, writes }: GraphNeeds, adapter: Adapter): Generator<Lint> {
  const written = new Set(writes.map(({ key }) => key))
  for (const { node, key, type } of reads) {
    if (key === undefined || written.has(key)) continue
    const kinds = adapter.event_kinds.filter(({ payload_schema }) => Object.hasOwn(propertiesOf(payload_schema), key))
    if (kinds.length === 0) {
      const message = `${nodeName(node)} reads the key ${quote(key)}, which no event has and no action writes: it is always ${JSON.stringify(ZERO[type])}`
      yield { message, fix: 'correct the key, or add it to the schema of an event', node }
    }
    const isKey = adapter.context_keys.some(({ name }) => name === key)
    for (const { name, payload_schema } of kinds) {
      const other = propertyType(propertiesOf(payload_schema)[key])
      // COMP-2 judges keys of the adapter.
      if (isKey || other === undefined || other === type) continue
      const message = `${nodeName(node)} reads the key ${quote(key)} as a ${type}; in events of ${quote(name)} it is a ${other}, and their passes fail`
      yield { message, fix: `declare it as a ${type}, or use a source for ${other}`, node }
    }
  }
}

/** Finds kinds of events that are always refused, or whenever they have a field. */
function* refusedEvents({ context_keys, event_kinds }: Adapter): Generator<Lint> {
  for (const { name: kind, payload_schema: schema } of event_kinds) {
    const properties = propertiesOf(schema)
    for (const { name, type, required } of context_keys) {
      const property = Object.hasOwn(properties, name) ? propertyType(properties[name]) : undefined
      if (required && property === undefined) {
        const message = `the adapter requires ${quote(name)}, which events of ${quote(kind)} cannot have: they are all refused`
        yield { message, fix: `add it to the schema of ${quote(kind)}, or write "required": false` }
      } else if (property !== undefined && property !== type && !requiredOf(schema).includes(name)) {
        const message = `${quote(name)} is a ${type}, and a ${property} in events of ${quote(kind)}: events that have it are refused`
        yield { message, fix: 'make the two types equal' }
      }
    }
  }
}

/** Finds numbers of events that may be absent: they are read as 0, which is a value, too. */
function* absentNumbers({ reads, writes }: GraphNeeds, { event_kinds, context_keys }: Adapter): Generator<Lint> {
  const written = new Set(writes.map(({ key }) => key))
  const promised = new Set(context_keys.filter(({ required }) => required).map(({ name }) => name))
  for (const { node, key, type } of reads) {
    if (key === undefined || type !== 'Number' || written.has(key) || promised.has(key)) continue
    const optional = event_kinds.filter(
      ({ payload_schema }) => propertyType(propertiesOf(payload_schema)[key]) === type && !requiredOf(payload_schema).includes(key),
    )
    if (optional.length === 0) continue
    const message = `${nodeName(node)} reads ${quote(key)} as 0 for events of ${quoteAll(optional.map(({ name }) => name))} that leave it out`
    yield { message, fix: 'make the field required, or add a Bool field that states its presence', node }
  }
}

/** Finds divisions by state that nothing has written before the first event. */
function* firstDivisions({ nodes, producers }: ValidatedGraph, { reads, writes }: GraphNeeds): Generator<Lint> {
  const written = new Set(writes.map(({ key }) => key))
  const state = new Map(reads.flatMap(({ node, key }) => (key !== undefined && written.has(key) ? [[node, key] as const] : [])))
  for (const [index, node] of nodes.entries()) {
    const divisor = node.primitive.manifest.id === 'divide' ? producers[index]?.['b'] : undefined
    const source = divisor === undefined ? undefined : nodes[divisor.node]
    const key = source === undefined ? undefined : state.get(source)
    if (key === undefined) continue
    const message = `${nodeName(node)} divides by the key ${quote(key)}, which is 0 until an action has written it: the first pass fails`
    yield { message, fix: 'use safe_divide', node }
  }
}

/** Finds actions of the host whose effects are performed whatever they return. Built-in and declared actions, without a function, have one outcome. */
function* effectsOfEveryOutcome({ nodes }: ValidatedGraph): Generator<Lint> {
  for (const node of nodes) {
    const { manifest, op, digest } = node.primitive
    const { writes = [], intents = [] } = manifest.effects ?? {}
    if (manifest.kind !== 'action' || op !== undefined || digest === undefined || writes.length + intents.length === 0) continue
    const message = `the effects of ${nodeName(node)} are performed whatever outcome ${quote(manifest.id)} returns, also "Rejected"`
    yield { message, fix: 'gate the action by a trigger, if it must not act', node }
  }
}
