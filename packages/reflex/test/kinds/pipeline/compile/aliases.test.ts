import { expect, test } from 'vitest'
import { CANONICAL_TYPES } from '../../../../src/kinds/pipeline/model/canonical-types.ts'
import { BUILT_IN_OPERATIONS } from '../../../../src/kinds/pipeline/operations/built-in.ts'
import { nodeOf } from './compiled.ts'

/** Names that the body of the seed uses and its appendix B leaves out. */
const OUTSIDE = ['wait.timer', 'wait.signal', 'gate.approval', 'gate.trust', 'gate.capability', 'compose.pipeline']
const { types } = BUILT_IN_OPERATIONS
const NAMES = [...types.names()]
const nameOf = (name: string) => {
  const { canonical, injected } = types.get(name) ?? {}
  return { canonical, injected }
}

// proves: pipeline 12.99
test('appendix B has 70 names: 55 aliases and the fifteen types themselves', () => {
  const standard = NAMES.filter((name) => !OUTSIDE.includes(name))
  expect(standard).toHaveLength(70)
  expect(CANONICAL_TYPES).toHaveLength(15)
  for (const type of CANONICAL_TYPES) expect(nameOf(type)).toEqual({ canonical: type, injected: {} })
  const counts = new Map<string, number>()
  for (const name of standard) {
    const { canonical = '' } = nameOf(name)
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
  expect(NAMES).toEqual(expect.arrayContaining(OUTSIDE))
  expect(nameOf('compose.pipeline')).toEqual(nameOf('pipeline.run'))
})

// proves: pipeline sB.7, pipeline 2.6.35
test('sessions have seventeen services', () => {
  const services = NAMES.filter((name) => name.startsWith('session.'))
  expect(services).toHaveLength(17)
  for (const service of services) {
    expect(nameOf(service)).toEqual({ canonical: 'compose', injected: { mode: 'session' } })
    expect(nodeOf(`type="${service}", mode="consensus", op="decide"`).operation).toBe(service)
  }
})

test('aliases inject what their handler dispatches by', () => {
  expect(nameOf('accumulator')).toEqual({ canonical: 'write', injected: { target: 'accumulator', mode: 'append' } })
  expect(nameOf('memory.recall_store')).toEqual({ canonical: 'read', injected: { source: 'memory', op: 'recall_store' } })
  expect(nameOf('eval.dataset')).toEqual({ canonical: 'read', injected: { source: 'eval_dataset' } })
  expect(nameOf('graph.adapt')).toEqual({ canonical: 'adapt', injected: {} })
  expect(nameOf('output.validate')).toEqual({ canonical: 'gate', injected: { predicate: 'output_valid' } })
})

test('every shape stands for a name that is known', () => {
  const shapes = BUILT_IN_OPERATIONS.operations.flatMap(({ shape = [] }) => shape)
  expect(shapes).toHaveLength(9)
  for (const shape of shapes) expect(NAMES).toContain(types.shape(shape))
})

// proves: pipeline 2.6.34, pipeline 5.6d
test('every name has one operation, and no authored attribute changes it', () => {
  const authored = 'purpose="shell", target="api", source="api", op="stats", mode="pipeline", predicate="expression", path="x", output="y"'
  for (const name of NAMES) {
    const { canonical } = nameOf(name)
    if (name === canonical) continue
    const node = nodeOf(`type="${name}", ${authored}`)
    expect(node.operation, name).toBe(nodeOf(`type="${name}"`).operation)
    expect(node.operation, name).not.toBe('unknown')
    expect(node.canonical).toBe(canonical)
  }
})
