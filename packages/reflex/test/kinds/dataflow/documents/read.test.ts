// proves: dataflow 7
// proves: dataflow 8
// proves: dataflow 34
// proves: dataflow D.6
// proves: dataflow D.7
// proves: dataflow X.11
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDefinition, definitionOf, readDefinition } from '../../../../src/kinds/dataflow/documents/read.ts'
import { clusterSchema } from '../../../../src/kinds/dataflow/documents/schema.ts'
import { definitionJson } from '../../../../src/kinds/dataflow/documents/write.ts'
import { schemaIssues } from '../../../../src/text/json-schema/check.ts'

const HELLO = {
  kind: 'cluster',
  id: 'hello',
  version: '0.1.0',
  nodes: {
    a: { impl: 'number_source@0.1.0', params: { value: 3 } },
    cmp: { impl: 'gt@^0.1' },
    twice: { cluster: 'once@>=1 <2', params: { key: { exposed: 'key' }, on: true } },
  },
  inputs: [{ name: 'go', type: 'Event' }],
  parameters: [
    { name: 'key', type: 'String', default: { derive_key: 'fired' } },
    { name: 'n', type: 'Int' },
  ],
  edges: ['a.value -> cmp.a', { from: { node: 'a', port: 'value' }, to: { node: 'cmp', port: 'b' } }, ['$go', 'twice.event']],
  outputs: { fired: 'twice.event' },
}

/** Returns the code, rule, path and message of each finding. */
function found(document: unknown): string[] {
  const text = typeof document === 'string' ? document : JSON.stringify(document, null, 1)
  return readDefinition(text, 'g.dataflow.json').findings.map(
    ({ code, rule, path, message, line }) => `${code}${rule === undefined ? '' : ` ${rule}`} ${path ?? `line ${line}`}: ${message}`,
  )
}

const doc = (parts: object): object => ({ id: 'g', version: 1, nodes: { a: { impl: 'x@1' } }, ...parts })

describe('a document', () => {
  it('is a definition: nodes in the order of the text, edges of each form, versions with three parts', () => {
    const { source, findings } = readDefinition(`// a comment\n${JSON.stringify(HELLO).slice(0, -1)},}`)
    expect(findings).toEqual([])
    expect(source?.definition).toMatchInlineSnapshot(`
      {
        "edges": [
          {
            "from": {
              "node": "a",
              "port": "value",
            },
            "to": {
              "node": "cmp",
              "port": "a",
            },
          },
          {
            "from": {
              "node": "a",
              "port": "value",
            },
            "to": {
              "node": "cmp",
              "port": "b",
            },
          },
          {
            "from": {
              "external": "go",
            },
            "to": {
              "node": "twice",
              "port": "event",
            },
          },
        ],
        "id": "hello",
        "inputs": [
          {
            "name": "go",
            "required": true,
            "type": "Event",
          },
        ],
        "nodes": [
          {
            "id": "a",
            "is": "impl",
            "params": {
              "value": 3,
            },
            "selector": "0.1.0",
            "target": "number_source",
          },
          {
            "id": "cmp",
            "is": "impl",
            "params": {},
            "selector": "^0.1",
            "target": "gt",
          },
          {
            "id": "twice",
            "is": "cluster",
            "params": {
              "key": {
                "exposed": "key",
              },
              "on": true,
            },
            "selector": ">=1 <2",
            "target": "once",
          },
        ],
        "outputs": [
          {
            "from": {
              "node": "twice",
              "port": "event",
            },
            "name": "fired",
          },
        ],
        "parameters": [
          {
            "default": {
              "derive_key": "fired",
            },
            "name": "key",
            "required": false,
            "type": "String",
          },
          {
            "name": "n",
            "required": true,
            "type": "Int",
          },
        ],
        "version": "0.1.0",
      }
    `)
  })

  it.each([
    ['1', '1.0.0'],
    ['1.2', '1.2.0'],
    ['1.10', '1.10.0'],
    ['"1"', '1.0.0'],
    ['"1.10"', '1.10.0'],
    ['"2.0.0-rc.1+b"', '2.0.0-rc.1+b'],
  ])('widens version %s to %s', (written, version) => {
    const text = JSON.stringify(doc({})).replace('"version":1', `"version":${written}`)
    expect(readDefinition(text).source?.definition.version).toBe(version)
  })

  it('means the same with edges as texts, pairs and objects', () => {
    const forms = [
      'a.x -> b.y',
      'a.x->b.y',
      ' a.x  ->\tb.y ',
      ['a.x', 'b.y'],
      { from: { node: 'a', port: 'x' }, to: { node: 'b', port: 'y' } },
    ]
    for (const edge of forms) {
      const { source } = readDefinition(JSON.stringify(doc({ edges: [edge] })))
      expect(source?.definition.edges).toEqual([{ from: { node: 'a', port: 'x' }, to: { node: 'b', port: 'y' } }])
    }
  })

  it('is written with edges as texts, and read again it is the same', () => {
    const definition = definitionOf(HELLO)
    expect(definitionJson(definition)).toMatchObject({ edges: ['a.value -> cmp.a', 'a.value -> cmp.b', '$go -> twice.event'] })
    expect(definitionOf(definitionJson(definition))).toEqual(definition)
  })

  it('fits the published schema', () => {
    expect(schemaIssues(clusterSchema(), HELLO)).toEqual([])
    expect(schemaIssues(clusterSchema(), definitionJson(definitionOf(HELLO)))).toEqual([])
    expect(schemaIssues(clusterSchema(), { ...HELLO, nodes: { a: { impl: 'x@1', cluster: 'y@1' } } })).not.toEqual([])
  })

  it('never makes the reader throw, whatever the value is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        decodeDefinition(value)
        readDefinition(text)
        readDefinition(JSON.stringify(doc({ nodes: value, edges: [value, text], outputs: { [text]: text } })))
      }),
    )
  })
})

describe('findings of a document', () => {
  it.each(['a.b', 'a@b', 'a$b', 'a/b', 'a\\b', 'a:b', 'a b', '', 'a\u0000b', 'a\u2028b', 'a->b'])(
    'refuse the name %j at each place, without a rule',
    (name) => {
      const inputs = found(doc({ inputs: [{ name, type: 'Bool' }], parameters: [{ name, type: 'Int' }], outputs: { [name]: 'a.x' } }))
      expect(inputs.map((finding) => finding.slice(0, 8))).toEqual(['R1300 $.', 'R1300 $.', 'R1300 $.'])
      expect(found(doc({ id: name, nodes: { [name]: { impl: 'x@1' } } }))).toHaveLength(2)
    },
  )

  it('refuse half a surrogate pair and "__proto__"', () => {
    expect(found('{"id": "\\ud800", "version": 1, "nodes": {"__proto__": {"impl": "x@1"}}}')).toMatchInlineSnapshot(`
      [
        "R1300 $.id: the id "\\ud800" contains "\\ud800"",
        "R1300 $.nodes.__proto__: the name of a node is "__proto__"",
      ]
    `)
  })

  it('name each mistake of edges and ports, and mark it', () => {
    const edges = ['a.x > b.y', 'a.x -> b.y -> c.z', 'ax -> b.y', 'a.x -> b.y.z', 'a.x -> $go', '$og -> a.x', ['a.x', 'b'], ['a. x', '$go']]
    expect(found(doc({ inputs: [{ name: 'go', type: 'Bool' }], edges, outputs: { o: 'a' } }))).toMatchInlineSnapshot(`
      [
        "R1301 $.edges[0]: the edge "a.x > b.y" does not have two ends",
        "R1301 $.edges[1]: the edge "a.x -> b.y -> c.z" does not have two ends",
        "R1301 $.edges[2]: "ax" names no port",
        "R1301 $.edges[3]: the port "y.z" contains "."",
        "R1305 $.edges[4]: an edge leads into the input "$go"",
        "R1305 $.edges[5]: the input "og" is not declared",
        "R1301 $.edges[6][1]: "b" names no port",
        "R1301 $.edges[7][0]: the port " x" contains " "",
        "R1305 $.edges[7][1]: an edge leads into the input "$go"",
        "R1301 $.outputs.o: "a" names no port",
      ]
    `)
    const { findings } = readDefinition(JSON.stringify(doc({ inputs: [{ name: 'going', type: 'Bool' }], edges: ['$goinng -> a.x'] })))
    expect(findings[0]?.frame).toMatchInlineSnapshot(`
      "1 │ …me":"going","type":"Bool"}],"edges":["$goinng -> a.x"]}
        │                                        ^^^^^^^ did you mean "going"?"
    `)
  })

  it('name what is unknown, missing or of another shape', () => {
    expect(
      found(
        doc({ kind: 'graph', node: {}, edges: [{ form: 1, to: { node: 'a', port: 'x' } }], parameters: [{ name: 'p', type: 'Integer' }] }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "R1014 $.kind: kind cannot be "graph"",
        "R1014 D.7 $.parameters[0].type: parameters[0].type cannot be "Integer"",
        "R1011 $.edges[0].form: no attribute "form" in edges[0]",
        "R1011 $.node: no attribute "node"",
      ]
    `)
    expect(found(doc({ version: 'latest', nodes: { a: {}, b: { impl: 'x', cluster: 'y' } } }))).toMatchInlineSnapshot(`
      [
        "R1303 $.version: "latest" is not a version",
        "R1304 $.nodes.a: node "a" has neither "impl" nor "cluster"",
        "R1304 $.nodes.b: node "b" has both "impl" and "cluster"",
      ]
    `)
  })

  it('refuse a key that occurs twice', () => {
    const text = '{"id":"g","version":1,"nodes":{"a":{"impl":"x@1"},"a":{"impl":"y@1"}},"outputs":{"o":"a.x","o":"a.y"}}'
    expect(found(text)).toMatchInlineSnapshot(`
      [
        "R1002 line 1: the key "a" occurs twice; the last one counts",
        "R1002 D.6 line 1: the key "o" occurs twice; the last one counts",
      ]
    `)
  })

  it('refuse numbers that a double cannot hold as they are written', () => {
    const numbers = [
      '9007199254740992',
      '9007199254740993',
      '-9007199254740993',
      '9007199254740992.5',
      '4.0000000000000001',
      '4.0',
      '1e16',
      '0.1',
    ]
    const text = `{"id":"g","version":1,"nodes":{"a":{"impl":"x@1","params":{${numbers.map((n, i) => `"p${i}":${n}`).join(',')}}}}}`
    expect(found(text)).toMatchInlineSnapshot(`
      [
        "R1302 X.11 $.nodes.a.params.p1: 9007199254740993 is read as 9007199254740992",
        "R1302 X.11 $.nodes.a.params.p2: -9007199254740993 is read as -9007199254740992",
        "R1302 X.11 $.nodes.a.params.p3: 9007199254740992.5 is read as 9007199254740992",
        "R1302 X.11 $.nodes.a.params.p4: 4.0000000000000001 is read as 4",
      ]
    `)
    expect(found('{"id":"g","version":1,"nodes":{"a":{"impl":"x@1","params":{"p":1e999}}}}')).toMatchInlineSnapshot(`
      [
        "R1001 line 1: "1e999" is too large for a number",
      ]
    `)
  })

  it('are thrown for a stored source that cannot be read', () => {
    expect(() => definitionOf({ id: 'g' })).toThrow('has no "version"')
  })
})
