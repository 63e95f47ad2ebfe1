// proves: dataflow 16
// proves: dataflow F.1
// proves: dataflow F.2
// proves: dataflow F.3
// proves: dataflow F.4
// proves: dataflow F.5
// proves: dataflow F.6
import { describe, expect, it } from 'vitest'
import type { Signature } from '../../../../src/kinds/dataflow/clusters/signature.ts'
import { toGraph } from '../../../../src/kinds/dataflow/graph/drawing.ts'
import { contextKeys, emittableKinds, requiresAdapter } from '../../../../src/kinds/dataflow/graph/keys.ts'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import { compile, graphOf } from '../compile.ts'

const HEATER = definePrimitive(
  {
    kind: 'action',
    id: 'set_heater',
    version: '1.0.0',
    inputs: [
      { name: 'event', type: 'Event' },
      { name: 'on', type: 'Bool' },
    ],
    outputs: [{ name: 'outcome', type: 'Event' }],
    parameters: [{ name: 'zone', type: 'String' }],
    execution: { deterministic: true },
    state: { allowed: false },
    side_effects: true,
    effects: {
      intents: [
        {
          name: 'heater_command',
          fields: [{ name: 'on', type: 'Bool', from_input: 'on' }],
          mirror_writes: [{ name: 'heater_on', type: 'Bool', from_field: 'on' }],
        },
      ],
    },
  } as const,
  () => 'Attempted',
)
const GATE = {
  id: 'gate',
  version: 1,
  inputs: [{ name: 'on', type: 'Bool' }],
  nodes: { yes: { impl: 'and@0.1' }, emit: { impl: 'emit_if_true@0.1' } },
  edges: ['$on -> yes.a', '$on -> yes.b', 'yes.result -> emit.input'],
  outputs: { event: 'emit.event' },
}
const ROOT = {
  id: 'g',
  version: 1,
  nodes: {
    on: { impl: 'context_bool_source@0.1', params: { key: 'wanted' } },
    old: { impl: 'context_bool_source@0.1', params: { key: 'heater_on' } },
    gate: { cluster: 'gate@1' },
    act: { impl: 'set_heater@1', params: { zone: 'hall' } },
    save: { impl: 'context_set_bool@0.1', params: { key: 'seen' } },
    again: { impl: 'context_set_bool@0.1', params: { key: 'seen' } },
  },
  edges: [
    'on.value -> gate.on',
    'gate.event -> act.event',
    'on.value -> act.on',
    'gate.event -> save.event',
    'on.value -> save.value',
    'gate.event -> again.event',
    'old.value -> again.value',
  ],
  outputs: { done: 'act.outcome' },
}
const graph = graphOf(ROOT, { clusters: [GATE], primitives: [HEATER] })
const signature = (document: object, clusters: readonly unknown[] = []): Signature =>
  compile(document, { clusters, primitives: [HEATER] }).expanded.signature

describe('a graph', () => {
  it('tells the keys that it reads and writes, and the effects that it can emit', () => {
    expect(contextKeys(graph)).toEqual({
      reads: [
        { key: 'heater_on', type: 'Bool', required: false, nodes: [4] },
        { key: 'wanted', type: 'Bool', required: false, nodes: [5] },
      ],
      writes: [
        { key: 'heater_on', type: 'Bool', required: false, nodes: [0] },
        { key: 'seen', type: 'Bool', required: false, nodes: [1, 6] },
      ],
    })
    expect(emittableKinds(graph)).toEqual(['heater_command', 'set_context'])
    expect(requiresAdapter(graph)).toBe(true)
    const quiet = graphOf({ id: 'q', version: 1, nodes: { on: { impl: 'context_bool_source@0.1' } } })
    expect([emittableKinds(quiet), requiresAdapter(quiet)]).toEqual([[], false])
  })

  it('is drawn with a group for each cluster', () => {
    const drawn = toGraph(graph)
    expect(drawn.nodes.map(({ id, form, entry, end, deed }) => [id, form, entry, end, deed])).toEqual([
      ['act', 'step', undefined, true, 'set_heater: zone = "hall"'],
      ['again', 'step', undefined, true, 'context_set_bool: key = "seen"'],
      ['gate/emit', 'choice', undefined, undefined, 'emit_if_true'],
      ['gate/yes', 'step', undefined, undefined, 'and'],
      ['old', 'step', true, undefined, 'context_bool_source: key = "heater_on"'],
      ['on', 'step', true, undefined, 'context_bool_source: key = "wanted"'],
      ['save', 'step', undefined, true, 'context_set_bool: key = "seen"'],
    ])
    expect(drawn.groups).toEqual([{ label: 'gate (gate)', nodes: ['gate/emit', 'gate/yes'] }])
    expect(drawn.edges.map(({ id }) => id)).toContain('gate/emit.event -> act.event')
    expect(new Set(drawn.edges.map(({ id }) => id)).size).toBe(drawn.edges.length)
  })
})

describe('the signature of a cluster', () => {
  it('follows from its outputs, inputs and actions', () => {
    expect(signature(GATE)).toEqual({
      kind: 'TriggerLike',
      inputs: [{ name: 'on', type: 'Bool', required: true, wireable: false }],
      outputs: [{ name: 'event', type: 'Event', wireable: true }],
      has_side_effects: false,
      is_origin: false,
    })
    expect(signature({ ...GATE, outputs: { yes: 'yes.result' } }).kind).toBe('ComputeLike')
    const source = { id: 's', version: 1, nodes: { n: { impl: 'number_source@0.1' } }, outputs: { n: 'n.value' } }
    expect(signature(source)).toMatchObject({ kind: 'SourceLike', is_origin: true })
    expect(signature(ROOT, [GATE])).toMatchObject({
      kind: 'ActionLike',
      outputs: [{ name: 'done', type: 'Event', wireable: false }],
      has_side_effects: true,
      is_origin: true,
    })
  })

  it('is that of an action when its wireable outputs are hidden', () => {
    expect(signature({ ...GATE, outputs: {} }).kind).toBe('ActionLike')
  })

  it('is no origin if a constant starts it, also one inside a cluster', () => {
    const constant = {
      id: 'c',
      version: 1,
      inputs: [{ name: 'x', type: 'Bool', required: false }],
      nodes: { k: { impl: 'const_bool@0.1', params: { value: true } } },
      edges: ['$x -> k.unit'],
      outputs: { v: 'k.value' },
    }
    const use = (edges: string[]) =>
      signature({ id: 'g', version: 1, nodes: { c: { cluster: 'c@1' }, b: { impl: 'boolean_source@0.1' } }, edges }, [constant])
    expect(use([]).is_origin).toBe(false)
    expect(use(['b.value -> c.x']).is_origin).toBe(true)
  })
})
