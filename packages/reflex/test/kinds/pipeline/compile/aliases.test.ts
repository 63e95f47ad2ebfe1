import { expect, test } from 'vitest'
import { CANONICAL_TYPES, SESSION_SERVICES, SHAPES, STANDARD_NAMES, TYPE_NAMES } from '../../../../src/kinds/pipeline/model/aliases.ts'
import { nodeOf } from './compiled.ts'

// proves: pipeline 12.99
test('appendix B has 70 names: 55 aliases and the fifteen types themselves', () => {
  expect(STANDARD_NAMES.size).toBe(70)
  expect(CANONICAL_TYPES).toHaveLength(15)
  for (const type of CANONICAL_TYPES) expect(STANDARD_NAMES.get(type)).toEqual({ canonical: type, injected: {} })
  const counts = new Map<string, number>()
  for (const [name, { canonical }] of STANDARD_NAMES) {
    if (name !== canonical) counts.set(canonical, (counts.get(canonical) ?? 0) + 1)
  }
  expect(Object.fromEntries(counts)).toEqual({
    branch: 1,
    fan_in: 1,
    compute: 7,
    exec: 2,
    read: 5,
    write: 8,
    compose: 5 + 17 + 5,
    adapt: 1,
    wait: 1,
    gate: 2,
  })
})

// proves: pipeline 4.1d
test('six names of the body stand outside of it', () => {
  const outside = [...TYPE_NAMES.keys()].filter((name) => !STANDARD_NAMES.has(name))
  expect(outside).toEqual(['wait.timer', 'wait.signal', 'gate.approval', 'gate.trust', 'gate.capability', 'compose.pipeline'])
  expect(TYPE_NAMES.get('compose.pipeline')).toEqual(TYPE_NAMES.get('pipeline.run'))
})

// proves: pipeline sB.7, pipeline 2.6.35
test('sessions have seventeen services', () => {
  expect(SESSION_SERVICES).toHaveLength(17)
  for (const service of SESSION_SERVICES) {
    expect(TYPE_NAMES.get(`session.${service}`)).toEqual({ canonical: 'compose', injected: { mode: 'session' } })
    expect(nodeOf(`type="session.${service}", mode="consensus", op="decide"`).operation).toBe(`session.${service}`)
  }
})

test('aliases inject what their handler dispatches by', () => {
  expect(TYPE_NAMES.get('accumulator')).toEqual({ canonical: 'write', injected: { target: 'accumulator', mode: 'append' } })
  expect(TYPE_NAMES.get('memory.recall_store')).toEqual({ canonical: 'read', injected: { source: 'memory', op: 'recall_store' } })
  expect(TYPE_NAMES.get('eval.dataset')).toEqual({ canonical: 'read', injected: { source: 'eval_dataset' } })
  expect(TYPE_NAMES.get('graph.adapt')).toEqual({ canonical: 'adapt', injected: {} })
  expect(TYPE_NAMES.get('output.validate')).toEqual({ canonical: 'gate', injected: { predicate: 'output_valid' } })
})

test('every shape stands for a name that is known', () => {
  expect(SHAPES.size).toBe(9)
  for (const type of SHAPES.values()) expect(TYPE_NAMES.has(type)).toBe(true)
})

// proves: pipeline 2.6.34, pipeline 5.6d
test('every name has one operation, and no authored attribute changes it', () => {
  const authored = 'purpose="shell", target="api", source="api", op="stats", mode="pipeline", predicate="expression", path="x", output="y"'
  for (const [name, { canonical }] of TYPE_NAMES) {
    if (name === canonical) continue
    const node = nodeOf(`type="${name}", ${authored}`)
    expect(node.operation, name).toBe(nodeOf(`type="${name}"`).operation)
    expect(node.operation, name).not.toBe('unknown')
    expect(node.canonical).toBe(canonical)
  }
})
