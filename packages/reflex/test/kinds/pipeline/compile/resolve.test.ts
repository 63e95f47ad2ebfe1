import { expect, test } from 'vitest'
import { compileGraph } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { parse } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { compiled, nodeOf } from './compiled.ts'

const custom = new Map([['my_type', { capabilities: ['arbor://x/y'], idempotency: 'idempotent' as const }]])

// proves: pipeline s4.4a
test('a custom handler goes before everything', () => {
  expect(nodeOf('type="my_type", shape=diamond', { custom })).toMatchObject({
    by: 'custom',
    custom: 'my_type',
    handlerType: 'my_type',
    operation: 'custom',
    idempotency: 'idempotent',
    capabilitiesRequired: ['arbor://x/y'],
  })
})

// proves: pipeline s4.4a, pipeline 4.1c
test('a custom handler can take an alias, and a canonical type with all its aliases', () => {
  const tool = new Map([['tool', {}]])
  expect(nodeOf('shape=parallelogram', { custom: tool })).toMatchObject({ custom: 'tool', canonical: 'exec', rawType: 'tool' })
  expect(nodeOf('type="shell"', { custom: tool })).not.toHaveProperty('custom')
  expect(nodeOf('type="shell"', { custom: new Map([['exec', {}]]) })).toMatchObject({ custom: 'exec', rawType: 'shell' })
})

// proves: pipeline 4.1a
test('the own type goes before the own shape', () => {
  expect(nodeOf('type="gate", shape=diamond')).toMatchObject({ canonical: 'gate', by: 'own type' })
  expect(nodeOf('type="exit", shape=Msquare')).toMatchObject({ canonical: 'exit', rawType: 'exit' })
})

test('type="exit" needs no shape', () => {
  const typed = compileGraph(parse('digraph g { begin [type="start"]; finished [type="exit"]; begin -> finished }'))
  expect(typed).toMatchObject({ start: 'begin', starts: ['begin'], exits: ['finished'] })
})

// proves: pipeline 4.1a
test('an own shape goes before the type of a block of defaults', () => {
  const typed = compileGraph(
    parse('digraph g { node [type="compute"]; start [shape=Mdiamond]; done [shape=Msquare]; a; start -> a -> done }'),
  )
  expect(typed.nodes.get('start')).toMatchObject({ canonical: 'start', by: 'own shape' })
  expect(typed.nodes.get('done')).toMatchObject({ canonical: 'exit' })
  expect(typed.nodes.get('a')).toMatchObject({ canonical: 'compute', rawType: 'compute', by: 'default type' })
})

test('an own box says nothing, so that the block of defaults decides', () => {
  expect(compiled('node [type="gate"]; a [shape=box]').nodes.get('a')).toMatchObject({ canonical: 'gate', by: 'default type' })
})

// proves: pipeline s4.4d
test('a default type goes before a default shape, and this before nothing', () => {
  expect(compiled('node [type="gate", shape=diamond]; a').nodes.get('a')).toMatchObject({ canonical: 'gate' })
  expect(compiled('node [shape=diamond]; a').nodes.get('a')).toMatchObject({ rawType: 'conditional', by: 'default shape' })
  expect(nodeOf('label="x"')).toMatchObject({ canonical: 'compute', rawType: 'codergen', by: 'fallback', injected: { purpose: 'llm' } })
})

test('a service that no session has is taken at its word, unless a host has it', () => {
  const taken = { canonical: 'compose', rawType: 'session.clasify', operation: 'session.clasify' }
  expect(nodeOf('type="session.clasify", prompt=x')).toMatchObject({ ...taken, by: 'own type', unknown: 'session.clasify' })
  const own = nodeOf('type="session.clasify"', { custom: new Map([['session.clasify', {}]]) })
  expect(own).toMatchObject({ custom: 'session.clasify', canonical: 'compute' })
})

// proves: pipeline 4.1b
test('a type that nothing knows is passed over and remembered', () => {
  expect(nodeOf('type="shel", shape=diamond')).toMatchObject({ rawType: 'conditional', by: 'own shape', unknown: 'shel' })
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(nodeOf(`type="${name}", shape="${name}"`)).toMatchObject({ rawType: 'codergen', by: 'fallback', unknown: name })
  }
})

// proves: pipeline 2.6.13
test('starts by type come before starts by shape', () => {
  const typed = compileGraph(parse('digraph g { a [shape=Mdiamond]; b [type="start"]; a -> b }'))
  expect(typed.starts).toEqual(['b', 'a'])
})

// proves: pipeline 2.6.13
test('names make a start and an exit only where nothing else does', () => {
  const typed = compileGraph(parse('digraph g { start -> work -> END; work [prompt="x"] }'))
  expect(typed).toMatchObject({ starts: ['start'], exits: ['END'] })
  expect(typed.nodes.get('start')?.canonical).toBe('start')
  expect(typed.nodes.get('END')?.canonical).toBe('exit')
  expect(compiled('exit [prompt="x"]; start -> exit -> done').exits).toEqual(['done'])
})

// proves: pipeline s6.1a, pipeline s6.7a, pipeline s6.7b, pipeline 4.5a, pipeline 4.7f
test('one operation has one name, however it is spelled', () => {
  const same: readonly (readonly [string, readonly string[]])[] = [
    ['codergen', ['', 'type="codergen"', 'type="compute"', 'type="compute", purpose="llm"']],
    ['transform', ['type="transform"', 'type="compute", purpose="transform"']],
    ['shell', ['type="shell"', 'type="exec", target="shell"', 'type="compute", purpose="shell"']],
    ['tool', ['shape=parallelogram', 'type="exec"', 'type="exec", target="tool"']],
    ['action', ['type="exec", target="action", action="x"']],
    ['read.file', ['type="read", path="x"', 'type="read", source="file"', 'type="read", target="file"']],
    ['read.context', ['type="read", source_key="x"']],
    ['memory.recall', ['type="read"', 'type="memory.recall"', 'type="read", source="memory", op="recall"']],
    ['file.write', ['type="file.write"', 'type="write", output="x"', 'type="write", target="file"']],
    ['eval.report', ['type="write", target="eval", op="report"']],
    ['pipeline.run', ['type="pipeline.run"', 'type="compose.pipeline"', 'type="compose", mode="pipeline"']],
    ['session.classify', ['type="session.classify"', 'type="compose", mode="session", op="classify"']],
    ['wait.human', ['shape=hexagon', 'type="wait"', 'type="wait", source="human"']],
    ['gate.expression', ['type="gate", predicate="expression"', 'type="gate", condition_key="x"']],
    ['output.validate', ['type="gate", pattern="x"', 'type="output.validate"']],
    ['gate', ['type="gate"']],
    ['unknown', ['type="exec", target="rocket"', 'type="compose", mode="session"', 'type="read", source="memory", op="x"']],
  ]
  for (const [operation, spellings] of same) {
    for (const spelling of spellings) expect(nodeOf(spelling || 'label="x"').operation, spelling).toBe(operation)
  }
})
