import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { valueAt } from '../../../src/text/path.ts'
import { loadWorkflow } from '../../../src/kinds/workflow/file/load.ts'
import { workflowFile } from '../../../src/kinds/workflow/file/file-schema.ts'
import { workflowSchema } from '../../../src/kinds/workflow/file/json-schema.ts'
import { readWorkflow } from '../../../src/kinds/workflow/file/read-workflow.ts'
import { serializeWorkflow } from '../../../src/kinds/workflow/file/serialize.ts'
import type { Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { WorkflowValidationError } from '../../../src/kinds/workflow/check/validation-error.ts'
import { chain } from './fixtures.ts'

function refused(act: () => unknown): WorkflowValidationError {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof WorkflowValidationError) return thrown
    throw thrown
  }
  throw new Error('was not refused')
}

const FILE = {
  $schema: 'urn:reflex:workflow',
  id: 'refund',
  entry: 'read',
  nodes: {
    read: { id: 'read', spec: { tool: 'orders.get' } },
    pay: {
      id: 'pay',
      spec: { nested: { any: [1, null, { deep: true }] } },
      description: 'Pays',
      invokes: { workflowId: 'payment', returnMap: [{ parentKey: 'receipt', childKey: 'id' }] },
      inputs: [{ key: 'order', required: true, inherited: true, description: 'What was bought' }],
      outputs: [{ key: 'receipt', guaranteed: false }],
    },
  },
  edges: [
    { id: 'e1', from: 'read', to: 'pay', event: 'YES', guard: { type: 'equals', key: 'ok', value: true } },
    { id: 'e2', from: 'read', to: 'pay', event: 'VIP', guard: { type: 'custom', name: 'isVip' } },
  ],
  metadata: { owner: 'ana' },
}
const isVip = (): boolean => true

function at(text: string, ...path: (string | number)[]): unknown {
  return valueAt(JSON.parse(text), path)
}

describe('loading a workflow', () => {
  // proves: workflow 2.1a, workflow 2.2a, workflow 2.6a, workflow 6.1a, workflow r11g, workflow r11l
  test('accepts a text or a value, and drops the schema', () => {
    const { $schema: _, ...rest } = FILE
    const expected = { ...rest, edges: [FILE.edges[0], { ...FILE.edges[1], guard: { type: 'custom', name: 'isVip', evaluate: isVip } }] }
    expect(loadWorkflow(JSON.stringify(FILE), { guards: { isVip } })).toEqual(expected)
    expect(loadWorkflow(FILE, { guards: { isVip } })).toEqual(expected)
  })

  // proves: workflow r11l, workflow d-files-json
  test('allows comments in a text, leaves out absent fields, and does not copy specs', () => {
    const text = '// mine\n{ "id": "w", "entry": "a", "nodes": { "a": { "id": "a", "spec": {} }, }, "edges": [], }'
    expect(Object.keys(loadWorkflow(text))).toEqual(['id', 'entry', 'nodes', 'edges'])
    expect(Object.keys(loadWorkflow(text).nodes.a ?? {})).toEqual(['id', 'spec'])
    expect(loadWorkflow(FILE, { guards: { isVip } }).nodes.pay?.spec).toBe(FILE.nodes.pay.spec)
  })

  // proves: workflow r11k
  test('leaves the checks of structure to the registry', () => {
    expect(loadWorkflow({ id: 'w', entry: 'nowhere', nodes: {}, edges: [{ id: 'e', from: 'x', to: 'x', event: '' }] }).entry).toBe(
      'nowhere',
    )
  })

  // proves: workflow r11h
  test('reports the place at which a text is not JSON', () => {
    const error = refused(() => loadWorkflow('{ "id": "w" "entry" }', { file: 'w.json' }))
    expect([error.code, error.workflowId]).toEqual(['SCHEMA_VIOLATION', '<unknown>'])
    expect(error.message).toBe('Invalid JSON: a comma is missing')
    expect(error.finding).toMatchObject({ code: 'R1001', rule: 'SCHEMA_VIOLATION', file: 'w.json', line: 1, column: 13 })
  })

  // proves: workflow r11i, workflow D14
  test('reports all mistakes in the shape, with the id of the workflow', () => {
    const error = refused(() => loadWorkflow('{ "id": "w", "entry": 5, "nodes": { "a": { "id": "a" } }, "edgs": [] }'))
    expect([error.code, error.workflowId]).toEqual(['SCHEMA_VIOLATION', 'w'])
    expect(error.message).toBe(
      'Schema validation failed: entry expects a string, found a number; no attribute "edgs"; nodes.a has no "spec"',
    )
    expect(error.details.errors).toHaveLength(3)
    expect(error.finding.frame).toContain('^')
  })

  // proves: workflow 6.1a, workflow r11b, workflow r11d, workflow r11e, workflow D14, workflow r18j
  test.each<[string, unknown]>([
    ['an unknown attribute', { ...FILE, nodez: {} }],
    ['an unknown attribute of a node', { ...FILE, nodes: { a: { id: 'a', spec: {}, prompt: 'x' } } }],
    ['an unknown attribute of an edge', { ...FILE, edges: [{ id: 'e', from: 'a', to: 'a', event: 'E', label: 'x' }] }],
    ['equals without a value', { ...FILE, edges: [{ id: 'e', from: 'a', to: 'a', event: 'E', guard: { type: 'equals', key: 'k' } }] }],
    [
      'exists with a value',
      { ...FILE, edges: [{ id: 'e', from: 'a', to: 'a', event: 'E', guard: { type: 'exists', key: 'k', value: 1 } }] },
    ],
    [
      'a guard value that is an object',
      { ...FILE, edges: [{ id: 'e', from: 'a', to: 'a', event: 'E', guard: { type: 'equals', key: 'k', value: {} } }] },
    ],
    ['an unknown guard type', { ...FILE, edges: [{ id: 'e', from: 'a', to: 'a', event: 'E', guard: { type: 'toString', key: 'k' } }] }],
    [
      'a guard function in JSON',
      { ...FILE, edges: [{ id: 'e', from: 'a', to: 'a', event: 'E', guard: { type: 'custom', name: 'n', evaluate: isVip } }] },
    ],
    ['a node without a spec', { ...FILE, nodes: { a: { id: 'a' } } }],
    ['a return map that is missing', { ...FILE, nodes: { a: { id: 'a', spec: {}, invokes: { workflowId: 'b' } } } }],
    ['a list', []],
    ['null', null],
    ['a node called __proto__', JSON.parse('{"id":"w","entry":"a","nodes":{"__proto__":5},"edges":[]}')],
  ])('refuses %s, with one error', (_name, value) => {
    const error = refused(() => loadWorkflow(value as object, { guards: { isVip } }))
    expect(error.code).toBe('SCHEMA_VIOLATION')
    expect(error.details.errors).toHaveLength(1)
  })

  // proves: workflow r11j, workflow D9
  test('names the missing function of a guard', () => {
    for (const guards of [{}, { isvip: isVip }, { isVip: 'yes' as never }]) {
      const error = refused(() => loadWorkflow(JSON.stringify(FILE), { guards }))
      expect([error.code, error.workflowId, error.details]).toEqual([
        'UNKNOWN_GUARD_REFERENCE',
        'refund',
        { edgeId: 'e2', guardName: 'isVip' },
      ])
      expect(error.finding.line).toBe(1)
    }
    expect(refused(() => loadWorkflow({ ...FILE, edges: [{ ...FILE.edges[1], guard: { type: 'custom', name: 'toString' } }] })).code).toBe(
      'UNKNOWN_GUARD_REFERENCE',
    )
  })
})

describe('writing a workflow', () => {
  // proves: workflow r11m
  test('has a fixed order of keys and an indent of two spaces', () => {
    const workflow = loadWorkflow(FILE, { guards: { isVip } })
    const shuffled = {
      metadata: workflow.metadata,
      edges: workflow.edges,
      nodes: workflow.nodes,
      entry: workflow.entry,
      id: workflow.id,
    } as Workflow
    const text = serializeWorkflow(shuffled)
    expect(text).toBe(serializeWorkflow(workflow))
    expect(text.startsWith('{\n  "id": "refund",\n  "entry": "read",\n  "nodes": {')).toBe(true)
    expect(Object.keys(at(text) as object)).toEqual(['id', 'entry', 'nodes', 'edges', 'metadata'])
    expect(Object.keys(at(text, 'nodes', 'pay') as object)).toEqual(['id', 'spec', 'description', 'invokes', 'inputs', 'outputs'])
  })

  const withGuard = (guard: unknown): Workflow =>
    ({ ...chain('w', 2), edges: [{ id: 'e', from: 'n0', to: 'n1', event: 'E', guard }] }) as Workflow

  // proves: workflow r11n
  test('names functions by the map, else by their own name', () => {
    const written = (guard: unknown, names?: Map<() => boolean, string>): unknown =>
      at(serializeWorkflow(withGuard(guard), names === undefined ? {} : { guardNames: names }), 'edges', 0, 'guard')
    expect(written({ type: 'custom', evaluate: isVip }, new Map([[isVip, 'vip']]))).toEqual({ type: 'custom', name: 'vip' })
    expect(written({ type: 'custom', evaluate: isVip, name: 'own', version: '2' })).toEqual({ type: 'custom', name: 'own', version: '2' })
    expect(written({ type: 'custom', evaluate: isVip, name: 'own' }, new Map([[isVip, 'vip']]))).toEqual({ type: 'custom', name: 'vip' })
  })

  // proves: workflow D10
  test.each<[string, unknown]>([
    ['a function without a name', { type: 'custom', evaluate: isVip }],
    ['equals without a value', { type: 'equals', key: 'k' }],
    ['a value that is a list', { type: 'equals', key: 'k', value: [1] }],
    ['a value that is no number', { type: 'equals', key: 'k', value: Number.NaN }],
    ['an unknown type', { type: 'regex', key: 'k' }],
  ])('refuses %s', (_name, guard) => {
    const error = refused(() => serializeWorkflow(withGuard(guard)))
    expect([error.code, error.workflowId, error.finding.code]).toEqual(['SCHEMA_VIOLATION', 'w', 'R1056'])
  })

  // proves: workflow r11n
  test('names the edge of a mistake', () => {
    expect(refused(() => serializeWorkflow(withGuard({ type: 'custom', evaluate: isVip }))).details).toEqual({ edgeId: 'e' })
    expect(refused(() => serializeWorkflow(withGuard({ type: 'equals', key: 'k' }))).details.edgeId).toBe('e')
  })

  // proves: workflow D10
  test('drops the value of a guard that does not compare, and attributes without a value', () => {
    const workflow = withGuard({ type: 'exists', key: 'k', value: 1 })
    workflow.metadata = undefined as never
    workflow.nodes.n0 = { id: 'n0', spec: { model: undefined, list: [{ a: undefined }] }, description: undefined as never }
    const written = serializeWorkflow(workflow)
    expect(at(written, 'edges', 0, 'guard')).toEqual({ type: 'exists', key: 'k' })
    expect(at(written, 'nodes', 'n0')).toEqual({ id: 'n0', spec: { list: [{}] } })
  })

  test('refuses specs that JSON cannot express, and names the place', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const value of [isVip, Number.NaN, new Date(0), 1n, cycle]) {
      const workflow = chain('w', 1)
      workflow.nodes.n0 = { id: 'n0', spec: { value } }
      const error = refused(() => serializeWorkflow(workflow))
      expect([error.code, error.finding.code]).toEqual(['SCHEMA_VIOLATION', 'R1056'])
      expect(error.finding.path).toContain('spec.value')
    }
  })

  // proves: workflow 2.2a, workflow 2.6a, workflow r11c, workflow r11o, workflow D10
  test('and loading it again result in the same workflow and the same text', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text !== '__proto__')
    const json = fc.jsonValue({ maxDepth: 3 })
    const spec = fc.dictionary(name, json)
    const node = fc.record(
      {
        id: name,
        spec,
        description: name,
        invokes: fc.record({ workflowId: name, returnMap: fc.array(fc.record({ parentKey: name, childKey: name })) }),
        inputs: fc.array(
          fc.record(
            { key: name, required: fc.boolean(), inherited: fc.boolean(), description: name },
            { requiredKeys: ['key', 'required'] },
          ),
        ),
        outputs: fc.array(fc.record({ key: name, guaranteed: fc.boolean() })),
      },
      { requiredKeys: ['id', 'spec'] },
    )
    const primitive = fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null))
    const guard = fc.oneof(
      fc.record({ type: fc.constantFrom('exists', 'not-exists'), key: name }),
      fc.record({ type: fc.constantFrom('equals', 'not-equals'), key: name, value: primitive }),
      fc.constant({ type: 'custom', name: 'isVip', evaluate: isVip }),
    )
    const edge = fc.record({ id: name, from: name, to: name, event: name, guard }, { requiredKeys: ['id', 'from', 'to', 'event'] })
    const workflows = fc.record(
      { id: name, entry: name, nodes: fc.dictionary(name, node), edges: fc.array(edge), metadata: spec },
      { requiredKeys: ['id', 'entry', 'nodes', 'edges'] },
    )
    fc.assert(
      fc.property(workflows, (drawn) => {
        // -0 is 0 in JSON.
        const workflow = { ...JSON.parse(JSON.stringify(drawn)), edges: drawn.edges } as Workflow
        const text = serializeWorkflow(workflow)
        const loaded = loadWorkflow(text, { guards: { isVip } })
        expect(loaded).toEqual(workflow)
        expect(serializeWorkflow(loaded)).toBe(text)
      }),
    )
  })
})

describe('reading a workflow with all its findings', () => {
  const text = JSON.stringify(FILE, null, 2)

  test('returns the workflow if there are no findings', () => {
    const { workflow, findings } = readWorkflow(text, 'refund.workflow.json', { guards: { isVip } })
    expect(findings).toEqual([])
    expect(workflow?.id).toBe('refund')
  })

  test('returns no workflow if there are errors, but returns it with warnings', () => {
    expect(readWorkflow(text, 'x.json').workflow).toBeUndefined()
    const warned = readWorkflow(text, 'x.json', { guards: { isVip }, lookup: () => undefined })
    expect(warned.findings.map(({ code, severity, file, line }) => [code, severity, file, line])).toEqual([
      ['R1053', 'warning', 'x.json', 27],
    ])
    expect(warned.workflow).toBeDefined()
  })

  test('finds mistakes of shape and structure together, in the order of the file', () => {
    const damaged = text
      .replace('"entry": "read"', '"entry": "raed"')
      .replace('"event": "YES"', '"event": 5')
      .replace('"to": "pay"', '"to": "pya"')
    const { findings } = readWorkflow(damaged, 'x.json', { guards: { isVip } })
    expect(findings.map(({ code }) => code)).toEqual(['R1041', 'R1042', 'R1013'])
    expect(findings.map(({ line }) => line ?? 0)).toEqual(findings.map(({ line }) => line ?? 0).toSorted((a, b) => a - b))
    for (const finding of findings) expect(finding.frame).toContain('^')
  })

  test('never throws for a damaged file', () => {
    const damage = fc.array(
      fc.tuple(
        fc.nat(text.length),
        fc.nat(12),
        fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '1', 'null', '\\', '\n', 'x', '"__proto__":'),
      ),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(damage, (cuts) => {
        const damaged = cuts.reduce((now, [at, length, put]) => now.slice(0, at) + put + now.slice(at + length), text)
        const { workflow, findings } = readWorkflow(damaged, 'x.json', { guards: { isVip }, lookup: () => undefined })
        expect(workflow === undefined).toBe(findings.some((finding) => finding.severity === 'error'))
        for (const finding of findings) expect(finding.toString()).toContain('x.json')
      }),
      { numRuns: 2000 },
    )
  })

  test('never throws for a value of any type in any place', () => {
    const parts = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...parts(inner, [...path, key])])
        : []
    const places = parts(FILE)
    fc.assert(
      fc.property(fc.nat(places.length - 1), fc.jsonValue({ maxDepth: 2 }), (i, value) => {
        const copy = structuredClone(FILE) as unknown as Record<string, unknown>
        const path = places[i] ?? []
        let owner = copy
        for (const step of path.slice(0, -1)) owner = owner[step] as Record<string, unknown>
        owner[path.at(-1) ?? ''] = value
        const { workflow, findings } = readWorkflow(JSON.stringify(copy), 'x.json', { guards: { isVip } })
        expect(workflow === undefined).toBe(findings.some((finding) => finding.severity === 'error'))
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    '',
    'null',
    '5',
    '[]',
    '{}',
    '{"nodes":{},"edges":[]}',
    '{"nodes":[],"edges":{}}',
    '{"id":"w","entry":"a","nodes":{"__proto__":5},"edges":[null]}',
  ])('takes %j as it is', (damaged) => {
    const { workflow, findings } = readWorkflow(damaged, 'x.json')
    expect(workflow).toBeUndefined()
    expect(findings.length).toBeGreaterThan(0)
  })

  test('reads 20,000 nodes with 20,000 mistakes in bounded work', () => {
    const big = chain('big', 20_000)
    for (const edge of big.edges) edge.to = `${edge.to}_`
    const { findings } = readWorkflow(JSON.stringify(big), 'big.json')
    expect(findings).toHaveLength(19_999)
  })

  test('reads 20,000 nodes in bounded work', () => {
    const big = JSON.stringify(chain('big', 20_000))
    expect(readWorkflow(big, 'big.json').findings).toEqual([])
  })
})

describe('the published schema', () => {
  // proves: workflow r11a, workflow r18n
  test('is draft-07, closed, and generated from the schema in use', () => {
    expect(workflowSchema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'urn:reflex:workflow',
      required: ['id', 'entry', 'nodes', 'edges'],
      additionalProperties: false,
    })
    expect(Object.keys(workflowSchema.properties as object)).toEqual(Object.keys(workflowFile().shape))
    expect(JSON.parse(JSON.stringify(workflowSchema))).toEqual(workflowSchema)
  })

  // proves: workflow r11c
  test('allows any specs and metadata', () => {
    const schema = JSON.stringify(workflowSchema)
    expect(at(schema, 'properties', 'metadata', 'additionalProperties')).toEqual({})
    expect(at(schema, 'properties', 'nodes', 'additionalProperties', 'properties', 'spec', 'additionalProperties')).toEqual({})
  })
})
