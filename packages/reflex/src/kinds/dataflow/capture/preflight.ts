import { canonicalJson, type Fault, isObject, type Json } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { graphNeeds } from '../adapter/graph-needs.ts'
import type { Adapter } from '../model/adapter.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { type Scalar, typeOf } from '../model/value.ts'
import { type Bundle, CAPTURE_VERSION, type CapturedDecision, type CapturedEvent } from './bundle.ts'
import { BundleChain } from './chain.ts'
import { faults } from './faults.ts'
import { hashJson, hashText } from './hash.ts'
import { adapterProvenance, runtimeProvenance } from './provenance.ts'
import { versionFault } from './read-bundle.ts'

/** The program with which a capture is replayed. */
export interface ReplayProgram {
  readonly graph: ValidatedGraph
  readonly adapter?: Adapter | undefined
}

type Code = Parameters<typeof faults.make>[0]

/**
 * Returns why a capture cannot be replayed strictly (reference 8.2), in the order of the checks: version, hashes of payloads, ids of events,
 * adapter, graph, payloads as objects, id of the graph, kinds of effects, hashes of effects, chain. A strict replay stops at the first and
 * evaluates nothing; later ones may be consequences of it.
 */
export function preflight(bundle: Bundle, { graph, adapter }: ReplayProgram): Fault[] {
  if (bundle.capture_version !== CAPTURE_VERSION) return [versionFault(bundle.capture_version)]
  return [
    ...bundle.events.flatMap(payloadHashes),
    ...repeatedIds(bundle.events),
    ...adapterFindings(bundle, adapter),
    ...graphFindings(bundle, graph),
    ...bundle.events.flatMap(rehydration),
    ...graphId(bundle, graph),
    ...unrepresentable(graph, adapter),
    ...bundle.decisions.flatMap(effectHashes),
    ...chainFindings(bundle),
  ]
}

function found(code: Code, rule: string, message: string, path: string, fix: string, data?: Readonly<Record<string, Json>>): Fault {
  return faults.finding(code, message, { rule: `replay.${rule}`, path, fix, ...(data === undefined ? {} : { data }) })
}

const ORIGINAL = 'use the original file'

function payloadHashes({ event_id, payload, payload_hash, incoming, incoming_hash }: CapturedEvent, index: number): Fault[] {
  const path = `events[${index}]`
  const message = `of event ${quote(event_id)} is not the one that was captured`
  const wrong: Fault[] = []
  if (hashText(payload) !== payload_hash) wrong.push(found('R1391', 'hash_mismatch', `the payload ${message}`, `${path}.payload`, ORIGINAL))
  if ((incoming === undefined ? undefined : hashText(incoming)) !== incoming_hash)
    wrong.push(found('R1391', 'hash_mismatch', `the incoming payload ${message}`, `${path}.incoming`, ORIGINAL))
  return wrong
}

function repeatedIds(events: readonly CapturedEvent[]): Fault[] {
  const seen = new Set<string>()
  return events.flatMap(({ event_id }, index) => {
    const isRepeated = seen.has(event_id)
    seen.add(event_id)
    const message = `event id ${quote(event_id)} occurs twice`
    return isRepeated ? [found('R1391', 'duplicate_event_id', message, `events[${index}].event_id`, ORIGINAL)] : []
  })
}

function adapterFindings({ adapter_provenance: captured }: Bundle, adapter: Adapter | undefined): Fault[] {
  const path = 'adapter_provenance'
  if (adapter === undefined) {
    if (captured === 'none') return []
    return [
      found('R1392', 'adapter_required', `the capture was made with ${captured.split(';')[0]}`, path, 'pass this adapter: --adapter FILE'),
    ]
  }
  if (captured === 'none') return [found('R1392', 'unexpected_adapter', 'the capture was made without an adapter', path, 'pass no adapter')]
  const present = adapterProvenance(adapter)
  if (present === captured) return []
  const message = `the adapter is not the one of the capture: ${captured.split(';')[0]}`
  return [
    found('R1392', 'adapter_provenance_mismatch', message, path, 'use the adapter of that time', { expected: captured, actual: present }),
  ]
}

function graphFindings({ runtime_provenance: captured }: Bundle, graph: ValidatedGraph): Fault[] {
  const present = runtimeProvenance(graph)
  if (present === captured) return []
  const message = 'the graph, a parameter or a primitive is not the one of the capture'
  const data = { expected: captured, actual: present }
  return [found('R1392', 'runtime_provenance_mismatch', message, 'runtime_provenance', 'use the files of that time', data)]
}

/** Finds payloads that are no objects, or whose text is not canonical: two texts of one value would have two hashes. */
function rehydration({ event_id, payload, incoming }: CapturedEvent, index: number): Fault[] {
  return [payload, ...(incoming === undefined ? [] : [incoming])].flatMap((text, which) => {
    const value = rehydrate(text)
    if (value !== undefined && canonicalJson(value) === text) return []
    const path = `events[${index}].${which === 0 ? 'payload' : 'incoming'}`
    const message = `the payload of event ${quote(event_id)} is not a context as canonical JSON`
    return [found('R1391', value === undefined ? 'event_rehydrate_failed' : 'invalid_payload', message, path, ORIGINAL)]
  })
}

/** Returns the values of a captured payload; undefined for a text that is not an object of values that a context holds. */
export function rehydrate(text: string): Readonly<Record<string, Scalar>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && Object.values(value).every((inner) => typeOf(inner) !== undefined)
      ? (value as Record<string, Scalar>)
      : undefined
  } catch {
    return undefined
  }
}

function graphId({ graph_id }: Bundle, { id }: ValidatedGraph): Fault[] {
  if (graph_id === id) return []
  const message = `the capture is of the graph ${quote(graph_id)}, and this is ${quote(id)}`
  return [found('R1392', 'graph_id_mismatch', message, 'graph_id', 'use the graph of the capture')]
}

function unrepresentable(graph: ValidatedGraph, adapter: Adapter | undefined): Fault[] {
  const accepted = (adapter?.accepts?.effects ?? []).map(({ name }) => name)
  const kinds = graphNeeds(graph).emittable.filter((kind) => kind !== SET_CONTEXT && !accepted.includes(kind))
  return kinds.map((kind) => {
    const message = `the graph emits ${quote(kind)}, which the adapter does not accept`
    return found('R1392', 'external_effect_kind_unrepresentable', message, 'adapter_provenance', 'add it to accepts.effects')
  })
}

function effectHashes({ event_id, effects }: CapturedDecision, index: number): Fault[] {
  return effects.flatMap(({ effect, effect_hash }, which) => {
    if (hashJson(effect) === effect_hash) return []
    const message = `effect ${which} of event ${quote(event_id)} is not the one that was captured`
    return [
      found('R1393', 'effect_mismatch', message, `decisions[${index}].effects[${which}]`, ORIGINAL, { event_id, effect_index: which }),
    ]
  })
}

function chainFindings(bundle: Bundle): Fault[] {
  const chain = new BundleChain(bundle)
  for (const [index, event] of bundle.events.entries()) chain.add(event, bundle.decisions[index])
  if (chain.head === bundle.chain) return []
  const message = 'the header, the order of the events, an acknowledgement or an interruption is not the one that was captured'
  return [found('R1391', 'chain_mismatch', message, 'chain', ORIGINAL)]
}
