// proves: dataflow 19
// proves: dataflow 20
// proves: dataflow 22
// proves: dataflow S2
// proves: dataflow V.1
// proves: dataflow V.3
// proves: dataflow V.5
// proves: dataflow V.6
// proves: dataflow V.7
// proves: dataflow V.8
// proves: dataflow X.3
// proves: dataflow D.2
// proves: dataflow D.4
// proves: dataflow D.10
// proves: dataflow D.11
// proves: dataflow E.3
// proves: dataflow I.1
// proves: dataflow I.2
// proves: dataflow ACT-12
// proves: dataflow ACT-14
import { describe, expect, it } from 'vitest'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import { compile, findingTexts } from '../compile.ts'

const GATE = {
  id: 'gate',
  version: 1,
  inputs: [
    { name: 'on', type: 'Bool' },
    { name: 'extra', type: 'Bool', required: false },
    { name: 'idle', type: 'Bool', required: false },
  ],
  nodes: { both: { impl: 'or@0.1' }, emit: { impl: 'emit_if_true@0.1' } },
  edges: ['$on -> both.a', '$extra -> both.b', 'both.result -> emit.input'],
  outputs: { event: 'emit.event' },
}
const NODES = {
  n: { impl: 'number_source@0.1' },
  b: { impl: 'boolean_source@0.1' },
  and: { impl: 'and@0.1' },
  emit: { impl: 'emit_if_true@0.1' },
  ack: { impl: 'ack_action@0.1' },
}
const EDGES = ['b.value -> and.a', 'b.value -> and.b', 'and.result -> emit.input', 'emit.event -> ack.event']
const of = (parts: object, clusters: readonly unknown[] = [GATE]): string[] =>
  findingTexts(compile({ id: 'g', version: 1, nodes: NODES, edges: EDGES, ...parts }, { clusters }).findings)
const gated = (...edges: string[]): string[] => of({ nodes: { ...NODES, gate: { cluster: 'gate@1' } }, edges: [...EDGES, ...edges] })

describe('the findings of a graph', () => {
  it('are none for a graph without mistakes', () => expect(of({ outputs: { done: 'ack.outcome' } })).toEqual([]))

  it('name the rule of each mistake', () => {
    expect({
      'V.8': of({ nodes: { ...NODES, and: { impl: 'adn@0.1' } } }),
      'V.8 cluster': of({ nodes: { ...NODES, x: { impl: 'gate@1' } } }),
      'E.3 root': of({ inputs: [{ name: 'x', type: 'Bool' }], edges: [...EDGES.slice(1), '$x -> and.a'] }),
      'E.3 idle': gated('and.result -> gate.on', 'and.result -> gate.extra', 'and.result -> gate.idle'),
      'D.2 node': of({ edges: [...EDGES, 'and.result -> emitt.input'] }),
      'D.2 port': of({ edges: [...EDGES.slice(0, 3), 'emit.evnt -> ack.event'] }),
      'D.2 cluster port': gated('and.result -> gate.on', 'and.result -> gate.extra', 'and.result -> gate.off'),
      'V.7': of({ edges: [...EDGES, 'b.value -> and.a'] }),
      'V.7 cluster': gated('and.result -> gate.on', 'and.result -> gate.extra', 'and.result -> gate.on'),
      'V.1 self': of({ edges: [...EDGES.slice(1), 'and.result -> and.a'] }),
      'V.2': of({ edges: [...EDGES.slice(0, 2), 'b.value -> emit.input', EDGES[3]] }),
      'V.2 into a cluster': of({
        nodes: { ...NODES, gate: { cluster: 'gate@1' } },
        edges: [...EDGES, 'b.value -> gate.on', 'emit.event -> gate.extra'],
      }),
      'V.3': of({ edges: EDGES.slice(1) }),
      'V.3 cluster': gated('and.result -> gate.extra'),
      'V.3 inside': gated('and.result -> gate.on'),
      'V.4': of({ edges: [...EDGES.slice(1), 'n.value -> and.a'] }),
      'V.4 declared': of(
        { nodes: { ...NODES, gate: { cluster: 'gate@1' } }, edges: [...EDGES, 'n.value -> gate.on', 'and.result -> gate.extra'] },
        [{ ...GATE, inputs: [{ name: 'on', type: 'Number' }, ...GATE.inputs.slice(1)] }],
      ),
      'V.5': of({ edges: EDGES.slice(0, 3) }),
      'D.4 node': of({ outputs: { x: 'nobody.value' } }),
      'D.4 port': of({ outputs: { x: 'and.results' } }),
    }).toMatchInlineSnapshot(`
      {
        "D.2 cluster port": [
          "D.2 $.edges[6]: the edge names the input "off" of "gate", which does not exist",
        ],
        "D.2 node": [
          "D.2 $.edges[4]: the edge names the node "emitt", which does not exist",
        ],
        "D.2 port": [
          "D.2 $.edges[3]: the edge names the output "evnt" of "emit", which does not exist",
        ],
        "D.4 node": [
          "D.4 $.outputs.x: the output "x" names the node "nobody", which does not exist",
        ],
        "D.4 port": [
          "D.4 $.outputs.x: the output "x" names the output "results" of "and", which does not exist",
        ],
        "E.3 idle": [
          "E.3 $.edges[6]: the input "idle" of "gate" feeds no node of cluster gate@1.0.0",
        ],
        "E.3 root": [
          "E.3 $.edges[3]: the input "x" has nothing that feeds it: this is a graph, and no cluster is around it",
        ],
        "V.1 self": [
          "V.1 $.edges[3]: the edges form a cycle: and → and",
        ],
        "V.2": [
          "V.2 $.edges[2]: b.value -> emit.input: a source cannot feed a trigger",
        ],
        "V.2 into a cluster": [
          "V.2 $.edges[5]: emit.event -> gate.extra: a trigger cannot feed a compute",
          "V.4 $.edges[5]: emit.event -> gate.extra: the output is of type Event, and the input is of type Bool",
        ],
        "V.3": [
          "V.3 $.nodes.and: "and" has no edge into its input "a"",
        ],
        "V.3 cluster": [
          "V.3 $.nodes.gate: "gate" has no edge into its input "on"",
        ],
        "V.3 inside": [
          "V.3 $.nodes.both: cluster gate@1.0.0: "gate/both" has no edge into its input "b"",
        ],
        "V.4": [
          "V.4 $.edges[3]: n.value -> and.a: the output is of type Number, and the input is of type Bool",
        ],
        "V.4 declared": [
          "V.4 $.edges[0]: cluster gate@1.0.0: the edge $on -> both.a joins the type Number to Bool",
        ],
        "V.5": [
          "V.5 $.nodes.ack: no trigger decides about the action "ack"",
        ],
        "V.7": [
          "V.7 $.edges[4]: "and.a" has an edge already",
        ],
        "V.7 cluster": [
          "V.7 $.edges[6]: "gate.on" has an edge already",
        ],
        "V.8": [
          "V.8 $.nodes.and.impl: there is no primitive "adn"",
        ],
        "V.8 cluster": [
          "V.8 $.nodes.x.impl: there is no primitive "gate"",
        ],
      }
    `)
  })

  it('name the nodes of each cycle as people write them, once for each group of cycles', () => {
    const loop = {
      id: 'loop',
      version: 1,
      inputs: [{ name: 'x', type: 'Bool' }],
      nodes: { pass: { impl: 'not@0.1' } },
      edges: ['$x -> pass.value'],
      outputs: { y: 'pass.result' },
    }
    const nodes = {
      l: { cluster: 'loop@1' },
      m: { cluster: 'loop@1' },
      p: { impl: 'and@0.1' },
      q: { impl: 'and@0.1' },
      after: { impl: 'not@0.1' },
    }
    const edges = [
      'l.y -> m.x',
      'm.y -> l.x',
      'm.y -> after.value',
      'p.result -> q.a',
      'q.result -> p.a',
      'q.result -> p.b',
      'p.result -> q.b',
    ]
    expect(findingTexts(compile({ id: 'g', version: 1, nodes, edges }, { clusters: [loop] }).findings)).toMatchInlineSnapshot(`
      [
        "V.1 $.edges[1]: the edges form a cycle: l/pass → m/pass → l/pass",
        "V.1 $.edges[4]: the edges form a cycle: p → q → p",
      ]
    `)
  })

  it('come in the order of rules, and mark their places', () => {
    const text = `{
  "id": "g", "version": 1,
  "nodes": {
    "zero": { "impl": "number_sourc@0.1" },
    "b": { "impl": "boolean_source@0.1" },
    "ack": { "impl": "ack_action@0.1", "params": { "acept": true } },
    "emit": { "impl": "emit_if_true@0.1" }
  },
  "edges": [
    "b.value -> emit.input",
    "zero.value -> emit.input",
    "zro.value -> ack.event"
  ],
  "outputs": { "o": "ack.outcom" }
}`
    const { findings } = compile(text)
    expect(findings.map(String).join('\n')).toMatchInlineSnapshot(`
      "error R1314 (I.7)  g.dataflow.json:6:52  node "ack" binds "acept", and "ack_action" has no such parameter
      6 │     "ack": { "impl": "ack_action@0.1", "params": { "acept": true } },
        │                                                    ^^^^^^^
        │                                                    did you mean "accept"?
      error R1320 (V.8)  g.dataflow.json:4:24  there is no primitive "number_sourc"
      4 │     "zero": { "impl": "number_sourc@0.1" },
        │                        ^^^^^^^^^^^^ did you mean "number_source"?
      error R1322 (D.2)  g.dataflow.json:12:6  the edge names the node "zro", which does not exist
      12 │     "zro.value -> ack.event"
         │      ^^^ did you mean "zero"?
      error R1323 (V.7)  g.dataflow.json:11:20  "emit.input" has an edge already
      11 │     "zero.value -> emit.input",
         │                    ^^^^^^^^^^
        fix    remove one of the edges, or combine the values in a compute
      error R1325 (V.2)  g.dataflow.json:10:5  b.value -> emit.input: a source cannot feed a trigger
      10 │     "b.value -> emit.input",
         │     ^^^^^^^^^^^^^^^^^^^^^^^ source to trigger
        fix    put a compute between them; for a Bool, "and" with the value at both inputs
      error R1322 (D.4)  g.dataflow.json:14:26  the output "o" names the output "outcom" of "ack", which does not exist
      14 │   "outputs": { "o": "ack.outcom" }
         │                          ^^^^^^ did you mean "outcome"?"
    `)
  })

  it('compare a declared signature with what follows from the nodes', () => {
    const declared_signature = {
      kind: 'SourceLike',
      inputs: [{ name: 'x', type: 'Bool' }],
      outputs: [
        { name: 'done', type: 'Bool', wireable: true },
        { name: 'no', wireable: false },
      ],
      has_side_effects: false,
      is_origin: false,
    }
    expect(of({ outputs: { done: 'ack.outcome' }, declared_signature })).toMatchInlineSnapshot(`
      [
        "D.10 $.declared_signature.kind: the declared signature has kind SourceLike, and it is ActionLike",
        "D.10 $.declared_signature.has_side_effects: the declared signature has has_side_effects false, and it is true",
        "D.10 $.declared_signature.is_origin: the declared signature has is_origin false, and it is true",
        "D.10 $.declared_signature.inputs[0]: the declared signature has the input "x", which does not exist",
        "D.10 $.declared_signature.outputs[0].type: the declared signature has the output "done" of type Bool, and it is Event",
        "D.10 $.declared_signature.outputs[1]: the declared signature has the output "no", which does not exist",
        "D.11 $.declared_signature.outputs[0].wireable: the declared signature has the wireable output "done", which an action gives",
      ]
    `)
    const right = {
      kind: 'ActionLike',
      outputs: [{ name: 'done', type: 'Event', wireable: false }],
      has_side_effects: true,
      is_origin: true,
    }
    expect(of({ outputs: { done: 'ack.outcome' }, declared_signature: right })).toEqual([])
  })

  it('refuse two writes of an action to one key that its parameters name', () => {
    const twice = definePrimitive(
      {
        kind: 'action',
        id: 'twice',
        version: '1.0.0',
        inputs: [
          { name: 'event', type: 'Event' },
          { name: 'value', type: 'Number' },
        ],
        outputs: [{ name: 'outcome', type: 'Event' }],
        parameters: [
          { name: 'a', type: 'String' },
          { name: 'b', type: 'String' },
        ],
        execution: { deterministic: true },
        state: { allowed: false },
        side_effects: true,
        effects: {
          writes: [{ name: '$a', type: 'Number', from_input: 'value' }],
          intents: [
            {
              name: 'ask',
              fields: [{ name: 'v', type: 'Number', from_input: 'value' }],
              mirror_writes: [{ name: '$b', type: 'Number', from_field: 'v' }],
            },
          ],
        },
      } as const,
      () => 'Attempted',
    )
    const write = (b: string) => {
      const nodes = { ...NODES, twice: { impl: 'twice@1', params: { a: 'x', b } } }
      const edges = [...EDGES, 'emit.event -> twice.event', 'n.value -> twice.value']
      return findingTexts(compile({ id: 'g', version: 1, nodes, edges }, { primitives: [twice] }).findings)
    }
    expect(write('y')).toEqual([])
    expect(write('x')).toEqual(['ACT-14 $.nodes.twice: "twice" writes the key "x" twice, which "$a" and "$b" name'])
  })
})
