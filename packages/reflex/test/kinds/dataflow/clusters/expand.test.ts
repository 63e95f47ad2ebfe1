// proves: dataflow D.1, dataflow E.5, dataflow D.5, dataflow D.8, dataflow D.9
// proves: dataflow I.3, dataflow I.5, dataflow I.6, dataflow I.7, dataflow E.9
// proves: dataflow 9
// proves: dataflow 10
// proves: dataflow 11
// proves: dataflow 12
// proves: dataflow 13
// proves: dataflow 15
// proves: dataflow D.1
// proves: dataflow D.5
// proves: dataflow D.8
// proves: dataflow D.9
// proves: dataflow I.3
// proves: dataflow I.4
// proves: dataflow I.5
// proves: dataflow I.6
// proves: dataflow I.7
// proves: dataflow E.1
// proves: dataflow E.2
// proves: dataflow E.4
// proves: dataflow E.5
// proves: dataflow E.6
// proves: dataflow E.7
// proves: dataflow E.8
// proves: dataflow E.9
// proves: dataflow X.9
import { describe, expect, it } from 'vitest'
import { nodeName } from '../../../../src/kinds/dataflow/model/graph.ts'
import { compile, findingTexts, graphOf, sourceOf } from '../compile.ts'

/** A cluster whose input passes through an inner cluster, and whose output comes from it. */
const INNER = {
  id: 'inner',
  version: 1,
  inputs: [{ name: 'x', type: 'Number' }],
  parameters: [{ name: 'limit', type: 'Number' }],
  nodes: {
    limit: { impl: 'number_source@0.1', params: { value: { exposed: 'limit' } } },
    above: { impl: 'gt@0.1' },
    below: { impl: 'lt@0.1' },
  },
  edges: ['$x -> above.a', 'limit.value -> above.b', '$x -> below.a', 'limit.value -> below.b'],
  outputs: { over: 'above.result', under: 'below.result' },
}
const OUTER = {
  id: 'outer',
  version: '1.2.0',
  inputs: [{ name: 'value', type: 'Number' }],
  parameters: [{ name: 'top', type: 'Int', default: 7 }],
  nodes: { check: { cluster: 'inner@^1', params: { limit: { exposed: 'top' } } }, not: { impl: 'not@0.1' } },
  edges: ['$value -> check.x', 'check.over -> not.value'],
  outputs: { low: 'not.result', high: 'check.over' },
}
const ROOT = {
  id: 'root',
  version: 1,
  parameters: [{ name: 'deep', type: 'Int', default: 3 }],
  nodes: {
    src: { impl: 'context_number_source@^0.1' },
    a: { cluster: 'outer@1', params: { top: { exposed: 'deep' } } },
    b: { cluster: 'outer@>=1 <2' },
    c: { cluster: 'outer@1.2', params: { top: 5 } },
    fire: { impl: 'emit_if_true@0.1' },
  },
  edges: ['src.value -> a.value', 'src.value -> b.value', 'src.value -> c.value', 'a.low -> fire.input'],
  outputs: { low: 'a.low', high: 'b.high', fired: 'fire.event' },
}
const CLUSTERS = [INNER, OUTER]

const CLUSTER = (parts: object): object => ({ id: 'g', version: 1, nodes: { a: { impl: 'number_source@0.1' } }, ...parts })
const rules = (document: object, clusters: readonly unknown[] = []): string[] => findingTexts(compile(document, { clusters }).findings)

describe('expanding', () => {
  it('leaves primitives, with their ids in the order of names, their versions, parameters and paths', () => {
    const graph = graphOf(ROOT, { clusters: CLUSTERS })
    expect(
      graph.nodes.map(
        (node) => `${node.id} ${nodeName(node)} ${node.primitive.manifest.id} ${node.selector} ${JSON.stringify(node.params)}`,
      ),
    ).toMatchInlineSnapshot(`
        [
          "n0 a/check/above gt 0.1 {}",
          "n1 a/check/below lt 0.1 {}",
          "n2 a/check/limit number_source 0.1 {"value":3}",
          "n3 a/not not 0.1 {}",
          "n4 b/check/above gt 0.1 {}",
          "n5 b/check/below lt 0.1 {}",
          "n6 b/check/limit number_source 0.1 {"value":7}",
          "n7 b/not not 0.1 {}",
          "n8 c/check/above gt 0.1 {}",
          "n9 c/check/below lt 0.1 {}",
          "n10 c/check/limit number_source 0.1 {"value":5}",
          "n11 c/not not 0.1 {}",
          "n12 fire emit_if_true 0.1 {}",
          "n13 src context_number_source ^0.1 {"key":"x"}",
        ]
      `)
    expect(graph.nodes[0]?.path).toEqual([
      ['root', 'a'],
      ['outer', 'check'],
      ['inner', 'above'],
    ])
    expect(graph.edges.map(({ from, to }) => `n${from.node}.${from.port} -> n${to.node}.${to.port}`)).toMatchInlineSnapshot(`
      [
        "n2.value -> n0.b",
        "n2.value -> n1.b",
        "n0.result -> n3.value",
        "n6.value -> n4.b",
        "n6.value -> n5.b",
        "n4.result -> n7.value",
        "n10.value -> n8.b",
        "n10.value -> n9.b",
        "n8.result -> n11.value",
        "n13.value -> n0.a",
        "n13.value -> n1.a",
        "n13.value -> n4.a",
        "n13.value -> n5.a",
        "n13.value -> n8.a",
        "n13.value -> n9.a",
        "n3.result -> n12.input",
      ]
    `)
    expect(graph.outputs).toMatchInlineSnapshot(`
      [
        {
          "name": "low",
          "node": 3,
          "port": "result",
          "type": "Bool",
        },
        {
          "name": "high",
          "node": 4,
          "port": "result",
          "type": "Bool",
        },
        {
          "name": "fired",
          "node": 12,
          "port": "event",
          "type": "Event",
        },
      ]
    `)
    expect(graph.producers[0]).toEqual({ a: { node: 13, port: 'value' }, b: { node: 2, port: 'value' } })
  })

  it('takes the values of parameters of the graph', () => {
    const limits = (parameters: Record<string, number>) =>
      graphOf(ROOT, { clusters: CLUSTERS, parameters })
        .nodes.filter(({ primitive }) => primitive.manifest.id === 'number_source')
        .map(({ params }) => params.value)
    expect(limits({})).toEqual([3, 7, 5])
    expect(limits({ deep: 10 })).toEqual([10, 7, 5])
  })

  it('selects the highest version that fits, and keeps the selector', () => {
    const version = (v: string) => ({
      ...INNER,
      version: v,
      nodes: { ...INNER.nodes, limit: { impl: 'number_source@0.1', params: { value: 1 } } },
      parameters: [{ name: 'limit', type: 'Number', default: Number(v[2]) }],
    })
    const use = (selector: string) => ({
      id: 'g',
      version: 1,
      nodes: { i: { cluster: `inner@${selector}` }, s: { impl: 'number_source@0.1' } },
      edges: ['s.value -> i.x'],
    })
    const clusters = ['1.3.0', '2.0.0', '1.0.0', '3.0.0-rc.1'].map(version)
    const selected = (selector: string) => {
      const { expanded } = compile(use(selector), { clusters })
      return expanded.nodes[0]?.source.definition.version
    }
    expect(['^1.0', '1.0.0', '~1.0', '>=1', '*', '3.0.0-rc.1', '>=3.0.0-rc'].map(selected)).toEqual([
      '1.3.0',
      '1.0.0',
      '1.0.0',
      '2.0.0',
      '2.0.0',
      '3.0.0-rc.1',
      '3.0.0-rc.1',
    ])
    for (const selector of ['latest', '', ' ', '^4', '1.0.1']) expect(rules(use(selector), clusters)).toHaveLength(1)
    expect(rules(use('latest'), clusters)).toMatchInlineSnapshot(`
      [
        "I.6 $.nodes.i.cluster: "latest" is neither a version nor a range",
      ]
    `)
    expect(rules(use('^4'), clusters)).toMatchInlineSnapshot(`
      [
        "I.6 $.nodes.i.cluster: no version of "inner" fits "^4"; there are "1.0.0", "1.3.0", "2.0.0", "3.0.0-rc.1"",
      ]
    `)
  })

  it('does not change definitions', () => {
    const source = sourceOf(ROOT)
    const before = structuredClone(source.definition)
    graphOf(ROOT, { clusters: CLUSTERS })
    expect(source.definition).toEqual(before)
  })
})

describe('findings of clusters', () => {
  it('name the rule of each mistake', () => {
    const once = {
      id: 'once',
      version: 1,
      parameters: [{ name: 'key', type: 'String' }],
      nodes: { s: { impl: 'string_source@0.1', params: { value: { exposed: 'key' } } } },
      outputs: { v: 's.value' },
    }
    const of = (parts: object) => rules(CLUSTER(parts), [once])
    expect({
      'D.1': of({ nodes: {} }),
      'D.5': of({
        inputs: [
          { name: 'x', type: 'Bool' },
          { name: 'x', type: 'Bool' },
        ],
      }),
      'D.9': of({
        parameters: [
          { name: 'p', type: 'Int', default: 1 },
          { name: 'p', type: 'Bool', default: true },
        ],
      }),
      'D.8 type': of({ parameters: [{ name: 'p', type: 'Int', default: 1.5 }] }),
      'D.8 enum': of({ parameters: [{ name: 'p', type: 'Enum', values: ['up'], default: 'upp' }] }),
      'D.8 no values': of({ parameters: [{ name: 'p', type: 'Enum', default: 'a' }] }),
      'D.8 derived': of({ parameters: [{ name: 'p', type: 'Int', default: { derive_key: 'k' } }] }),
      'D.8 slot': of({ parameters: [{ name: 'p', type: 'String', default: { derive_key: '' } }] }),
      'I.3': of({ nodes: { o: { cluster: 'once@1' } } }),
      'I.3 primitive': of({ nodes: { o: { impl: 'const_bool@0.1' } } }),
      'I.3 root': of({ parameters: [{ name: 'p', type: 'Int' }] }),
      'I.3 optional': of({
        parameters: [{ name: 'p', type: 'String', required: false }],
        nodes: { o: { cluster: 'once@1', params: { key: { exposed: 'p' } } } },
      }),
      'I.4': of({ nodes: { o: { cluster: 'once@1', params: { key: 5 } } } }),
      'I.4 primitive': of({ nodes: { a: { impl: 'number_source@0.1', params: { value: '5' } } } }),
      'I.4 exposed': of({
        parameters: [{ name: 'p', type: 'Int', default: 1 }],
        nodes: { o: { cluster: 'once@1', params: { key: { exposed: 'p' } } } },
      }),
      'I.5': of({
        parameters: [{ name: 'kee', type: 'String', default: '' }],
        nodes: { o: { cluster: 'once@1', params: { key: { exposed: 'key' } } } },
      }),
      'I.6': of({ nodes: { o: { cluster: 'once@2', params: { key: 'x' } } } }),
      'I.7': of({ nodes: { o: { cluster: 'once@1', params: { key: 'x', kee: 'x' } } } }),
      'E.9': of({ nodes: { o: { cluster: 'onec@1' } } }),
      'E.9 primitive': of({ nodes: { o: { cluster: 'gt@0.1' } } }),
    }).toMatchInlineSnapshot(`
      {
        "D.1": [
          "D.1 $.nodes: "g" has no nodes",
        ],
        "D.5": [
          "D.5 $.inputs[1].name: the input "x" is declared twice",
        ],
        "D.8 derived": [
          "D.8 $.parameters[0].default: parameter "p" is of type Int, and a derived key is a text",
        ],
        "D.8 enum": [
          "D.8 $.parameters[0].default: the default does not fit: parameter "p" takes "up" and cannot be "upp"; did you mean "up"?",
        ],
        "D.8 no values": [
          "D.8 $.parameters[0].type: parameter "p" is an Enum without values",
        ],
        "D.8 slot": [
          "D.8 $.parameters[0].default: the derived key of parameter "p" has no name",
        ],
        "D.8 type": [
          "D.8 $.parameters[0].default: the default does not fit: parameter "p" is an Int and cannot be 1.5",
        ],
        "D.9": [
          "D.9 $.parameters[1].name: the parameter "p" is declared twice",
        ],
        "E.9": [
          "E.9 $.nodes.o.cluster: there is no cluster "onec"",
        ],
        "E.9 primitive": [
          "E.9 $.nodes.o.cluster: there is no cluster "gt"",
        ],
        "I.3": [
          "I.3 $.nodes.o: node "o" does not state the parameter "key" of "once"",
        ],
        "I.3 optional": [
          "I.3 $.nodes.o.params.key: the parameter "p" can be without a value, and "once" needs one",
        ],
        "I.3 primitive": [
          "I.3 $.nodes.o: node "o" does not state the parameter "value" of "const_bool"",
        ],
        "I.3 root": [
          "I.3 $.parameters[0]: "g" is run without its parameter "p"",
        ],
        "I.4": [
          "I.4 $.nodes.o.params.key: parameter "key" of node "o" is a String and cannot be 5",
        ],
        "I.4 exposed": [
          "I.4 $.nodes.o.params.key: parameter "key" of node "o" is a String and cannot take "p", which is an Int",
        ],
        "I.4 primitive": [
          "I.4 $.nodes.a.params.value: parameter "value" of node "a" is a Number and cannot be "5"",
        ],
        "I.5": [
          "I.5 $.nodes.o.params.key.exposed: node "o" exposes "key", and "g" has no such parameter",
        ],
        "I.6": [
          "I.6 $.nodes.o.cluster: no version of "once" fits "2"; there are "1.0.0"",
        ],
        "I.7": [
          "I.7 $.nodes.o.params.kee: node "o" binds "kee", and "once" has no such parameter",
        ],
      }
    `)
  })

  it('name what a caller states wrongly', () => {
    const { findings } = compile(ROOT, { clusters: CLUSTERS, parameters: { deep: 1.5, depth: 2 } })
    expect(findingTexts(findings)).toMatchInlineSnapshot(`
      [
        "I.7 $.parameters: "root" has no parameter "depth"",
        "I.4 $.parameters[0]: parameter "deep" of "root" is an Int and cannot be 1.5",
      ]
    `)
  })

  it('are reported once for each definition, whatever it is used for', () => {
    const bad = { ...INNER, edges: [...INNER.edges, 'above.result -> below.c'] }
    const { findings } = compile(ROOT, { clusters: [bad, OUTER] })
    expect(findingTexts(findings)).toMatchInlineSnapshot(`
      [
        "D.2 $.edges[4]: cluster inner@1.0.0: the edge names the input "c" of "below", which does not exist",
      ]
    `)
  })

  it('report clusters that contain themselves, with the way', () => {
    const use = (id: string, other: string) => ({ id, version: 1, nodes: { [`to_${other}`]: { cluster: `${other}@1` } } })
    expect(rules(use('a', 'b'), [use('b', 'c'), use('c', 'b')])).toMatchInlineSnapshot(`
      [
        "R1317 $.nodes.to_b.cluster: cluster c@1.0.0: cluster b@1.0.0 contains itself: b@1.0.0 (node "to_c") → c@1.0.0 (node "to_b") → b@1.0.0",
      ]
    `)
    expect(rules(use('a', 'a'))).toMatchInlineSnapshot(`
      [
        "R1317 $.nodes.to_a.cluster: cluster a@1.0.0 contains itself: a@1.0.0 (node "to_a") → a@1.0.0",
      ]
    `)
  })

  it('refuse 2^40 nodes and 300 levels before anything is expanded', () => {
    const level = (i: number) => ({ id: `c${i}`, version: 1, nodes: { a: { cluster: `c${i - 1}@1` }, b: { cluster: `c${i - 1}@1` } } })
    const bottom = { id: 'c0', version: 1, nodes: { s: { impl: 'number_source@0.1' } } }
    const bomb = [bottom, ...Array.from({ length: 39 }, (_, i) => level(i + 1))]
    expect(rules(level(40), bomb)).toMatchInlineSnapshot(`
      [
        "R1318 $.nodes: "c40" has 1,099,511,627,776 primitives in its clusters; the limit is 1,000,000",
      ]
    `)
    const chain = (i: number) => ({ id: `c${i}`, version: 1, nodes: { a: { cluster: `c${i - 1}@1` } } })
    const chains = [bottom, ...Array.from({ length: 299 }, (_, i) => chain(i + 1))]
    expect(rules(chain(300), chains)).toMatchInlineSnapshot(`
      [
        "R1318 $.nodes.a.cluster: cluster c45@1.0.0: clusters are nested more than 256 levels deep",
      ]
    `)
    // A chain that is known from a shorter way is too deep on a longer one.
    expect(rules({ id: 'g', version: 1, nodes: { a: { cluster: 'c200@1' }, b: { cluster: 'c299@1' } } }, chains)).toHaveLength(1)
  })

  it('are bounded, and take little work, for wide clusters and for many mistakes', () => {
    const names = Array.from({ length: 4_000 }, (_, i) => `p${i}`)
    const wide = {
      id: 'wide',
      version: 1,
      inputs: names.map((name) => ({ name, type: 'Bool' })),
      parameters: names.map((name) => ({ name, type: 'Int' })),
      nodes: { s: { impl: 'number_source@0.1' } },
    }
    const many = (node: object) => ({ id: 'g', version: 1, nodes: Object.fromEntries(names.map((name) => [name, node])) })
    expect(rules(many({ cluster: 'wide@1' }), [wide])).toContain(
      'R1318 $.nodes: "g" has too many parameters, inputs and levels in its clusters',
    )
    const params = Object.fromEntries(names.map((name) => [`q${name}`, 1]))
    expect(rules({ id: 'g', version: 1, nodes: { w: { cluster: 'wide@1', params } } }, [wide])).toHaveLength(10_000)
    const loops = { ...many({ impl: 'not@0.1' }), edges: names.map((name) => `${name}.result -> ${name}.value`) }
    expect(rules(loops)).toHaveLength(4_000)
  })

  it('keep nodes of a cluster out of the names of the graph', () => {
    const edges = [...ROOT.edges, 'check.over -> fire.input']
    expect(rules({ ...ROOT, edges }, CLUSTERS)).toEqual([
      expect.stringContaining('D.2 $.edges[4]: the edge names the node "check", which does not exist'),
      expect.stringContaining('V.7'),
    ])
  })
})
