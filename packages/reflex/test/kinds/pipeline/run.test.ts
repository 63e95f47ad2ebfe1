import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFault } from '../../../src/kernel/index.ts'
import {
  DotCache,
  HandlerRegistry,
  type LlmAnswer,
  parse,
  type PipelineHandler,
  type PipelineRunOptions,
  Registry,
  run,
  runFile,
  validate,
} from '../../../src/kinds/pipeline/index.ts'
import type { Token } from '../../../src/kinds/pipeline/engine/middleware.ts'
import { dataIn, folder } from './folders.ts'

const smoke = `digraph test_pipeline {
  goal = "Create a hello world Python script"
  start [shape=Mdiamond]
  plan [shape=box, prompt="Plan how to: $goal"]
  implement [shape=box, prompt="Write the code", goal_gate=true]
  review [shape=box, prompt="Review the code"]
  done [shape=Msquare]
  start -> plan
  plan -> implement
  implement -> review [condition="outcome=success"]
  implement -> plan [condition="outcome=fail", label="Retry"]
  review -> done [condition="outcome=success"]
  review -> implement [condition="outcome=fail", label="Fix"]
}`

const quick: PipelineRunOptions = { logs_root: false }
const handlersOf = (handlers: Readonly<Record<string, PipelineHandler>>): HandlerRegistry => {
  const registry = new HandlerRegistry()
  for (const [type, handler] of Object.entries(handlers)) registry.register(type, handler)
  return registry
}
const faultOf = async (work: () => Promise<unknown>): Promise<{ code: string; data: unknown }> => {
  try {
    await work()
  } catch (thrown) {
    if (isFault(thrown)) return { code: thrown.code, data: thrown.data }
    throw thrown
  }
  return { code: '', data: undefined }
}

// proves: pipeline 12.s, pipeline 12.24, pipeline s1.1a, pipeline s7.6a, pipeline 12.77
test('the smoke test of the reference (12, integration)', async () => {
  const graph = parse(smoke)
  expect([graph.nodes.size, graph.edges.length]).toEqual([5, 6])
  expect(validate(smoke).filter(({ severity }) => severity === 'error')).toEqual([])
  const logs_root = folder()
  const result = await run(smoke, { logs_root, llm_backend: ({ id }, prompt) => `${id} answers to ${prompt}` })
  expect(result.status).toBe('success')
  expect(result.completed_nodes).toContain('implement')
  for (const node of ['plan', 'implement', 'review'])
    for (const file of ['prompt.md', 'response.md', 'status.json']) expect(existsSync(join(logs_root, node, file))).toBe(true)
  const checkpoint = dataIn(logs_root, 'checkpoint.json')
  expect(checkpoint['current_node']).toBe('done')
  expect(checkpoint['completed_nodes']).toEqual(['start', 'plan', 'implement', 'review', 'done'])
})

// proves: pipeline 12.t
test('a stage that fails once goes back over the one before, and the run still succeeds', async () => {
  const result = await run(smoke.replace('goal_gate=true', 'goal_gate=true, simulate="fail_once"'), quick)
  expect(result.status).toBe('success')
  expect(result.completed_nodes).toEqual(['start', 'plan', 'implement', 'plan', 'implement', 'review', 'done'])
})

test('a failed run is a result and no exception', async () => {
  const result = await run(
    'digraph g { start [shape=Mdiamond] a [prompt=x, simulate=fail] done [shape=Msquare] start -> a -> done }',
    quick,
  )
  expect(result).toMatchObject({
    status: 'fail',
    failure_reason: 'simulated failure',
    completed_nodes: ['start', 'a'],
    final_outcome: { status: 'fail', failure_reason: 'simulated failure' },
    steps: 2,
    logs_root: null,
  })
})

// proves: pipeline 3.1a, pipeline 3.1b, pipeline s10.3a
test('a pipeline with errors is refused with all findings, and runs where only lint refuses it and nobody asks', async () => {
  const dangling =
    'digraph g { start [shape=Mdiamond] a [prompt=x, simulate=true] lost [prompt=y] done [shape=Msquare] start -> a -> done lost -> done }'
  const refused = await faultOf(() => run(dangling, quick))
  expect(refused.code).toBe('R1142')
  expect(JSON.stringify(refused.data)).toContain('reachability')
  expect((await run(dangling, { ...quick, validate: false })).status).toBe('success')
  expect((await faultOf(() => run('digraph g { a -> b }', { ...quick, validate: false }))).code).toBe('R1142')
})

// proves: pipeline s3.1b
test('inputs are in the context; names that the engine keeps are refused', async () => {
  const dot =
    'digraph g { start [shape=Mdiamond] a [type=transform, transform=identity, source_key=who, output_key=said] done [shape=Msquare] start -> a -> done }'
  expect((await run(dot, { ...quick, initial_values: { who: 'ana' } })).context['said']).toBe('ana')
  for (const key of ['#checkpoint', '__adapted_graph__', 'graph.goal', 'outcome', 'internal.run_id'])
    expect((await faultOf(() => run(dot, { ...quick, initial_values: { [key]: 1 } }))).code).toBe('R2206')
})

const custom = 'digraph g { start [shape=Mdiamond] a [type=greet, word=hello] done [shape=Msquare] start -> a -> done }'

// proves: pipeline 12.97, pipeline s4.3b
test('a handler of the host is called by its type, in three phases where it has them (97)', async () => {
  const calls: string[] = []
  const handlers = handlersOf({
    greet: {
      idempotency: 'idempotent',
      prepare: (node) => {
        calls.push('prepare')
        return node.attributes['word']
      },
      run: (prepared) => {
        calls.push('run')
        return `${String(prepared)} world`
      },
      apply_result: (result) => {
        calls.push('apply')
        return { status: 'success', context_updates: { greeting: String(result) } }
      },
      execute: () => {
        calls.push('execute')
        return undefined
      },
    },
  })
  const result = await run(custom, { ...quick, handlers })
  expect(result.context['greeting']).toBe('hello world')
  expect(calls).toEqual(['prepare', 'run', 'apply'])
})

// proves: pipeline s4.5a
test('handlers that are registered for all count until they are taken back (seed 4.5)', async () => {
  Registry.register('greet', { execute: () => ({ status: 'success', notes: 'here' }), idempotency: 'read_only' })
  expect((await run(custom, quick)).final_outcome?.status).toBe('success')
  expect((await run(custom, quick)).node_outcomes['a']?.notes).toBe('here')
  expect(Registry.unregister('greet')).toBe(true)
  expect(Registry.unregister('greet')).toBe(false)
  expect((await run(custom, quick)).node_outcomes['a']?.notes).not.toBe('here')
})

test('a handler that throws or answers with nonsense fails its node', async () => {
  const throws = await run(custom, { ...quick, handlers: handlersOf({ greet: { execute: () => Promise.reject(new Error('no')) } }) })
  expect(throws).toMatchObject({ status: 'fail', failure_reason: 'no' })
  const nonsense = await run(custom, { ...quick, handlers: handlersOf({ greet: { execute: () => ({ status: 'fine' }) } }) })
  expect(nonsense.status).toBe('fail')
})

// proves: pipeline 4.3.1d, pipeline s6.1b
test('a backend may answer with text, with an outcome, or with what it knows of its text', async () => {
  const dot = 'digraph g { start [shape=Mdiamond] a [prompt="say $goal"] done [shape=Msquare] start -> a -> done }'
  const by = async (answer: LlmAnswer) => run(dot, { ...quick, llm_backend: () => answer })
  expect((await by('words')).context['last_response']).toBe('words')
  expect((await by({ status: 'fail', failure_reason: 'tired' })).failure_reason).toBe('tired')
  expect((await by({ text: 'more', model: 'm', usage: { input: 2, output: 3 } })).context).toMatchObject({
    last_response: 'more',
    'llm.model': 'm',
    'llm.tokens_used': 5,
  })
  expect((await run(dot, { ...quick, llm_backend: () => Promise.reject(new Error('401 unauthorized')) })).status).toBe('fail')
  expect((await run(dot, quick)).context['last_response']).toContain('[Simulated] Response for stage: a')
})

// proves: pipeline 3.11a, pipeline s3.1b
test('steps are bounded', async () => {
  const dot =
    'digraph g { start [shape=Mdiamond] a [prompt=x, simulate=true] done [shape=Msquare] start -> a a -> a [condition="outcome=success"] a -> done }'
  expect(await run(dot, { ...quick, max_steps: 7, validate: false })).toMatchObject({
    status: 'fail',
    failure_reason: 'max_steps_exceeded',
    steps: 7,
  })
})

// proves: pipeline 3.12a
test('a signal cancels the run', async () => {
  const stop = new AbortController()
  const handlers = handlersOf({
    greet: { execute: () => new Promise(() => stop.abort()), idempotency: 'idempotent' },
  })
  const logs_root = folder()
  const result = await run(custom, { handlers, signal: stop.signal, logs_root })
  expect(result.status).toBe('cancelled')
  expect(dataIn(logs_root, 'checkpoint.json')['current_node']).toBe('start')
})

test('a question that only the operator may answer leaves the run suspended', async () => {
  expect(await run(smoke, { ...quick, limits: { steps: 2 } })).toMatchObject({ status: 'suspended', failure_reason: 'waits for budget' })
})

// proves: pipeline s3.1a, pipeline s3.1b, pipeline 4.6.3a
test('a file runs with the pipelines beside it', async () => {
  const workdir = folder()
  writeFileSync(
    join(workdir, 'inner.dot'),
    'digraph inner { start [shape=Mdiamond] a [prompt=x, simulate=true, output_key=said] done [shape=Msquare] start -> a -> done }',
  )
  writeFileSync(
    join(workdir, 'outer.dot'),
    'digraph outer { start [shape=Mdiamond] call [type="graph.invoke", graph_file="inner.dot", result_mapping="said:heard"] done [shape=Msquare] start -> call -> done }',
  )
  const result = await runFile('outer.dot', { workdir, logs_root: 'logs', trust: 'trusted' })
  expect(result).toMatchObject({ status: 'success', logs_root: join(workdir, 'logs') })
  expect(result.context['heard']).toBe('[Simulated] Response for stage: a')
  expect(existsSync(join(workdir, 'logs', 'subgraph_call', 'a', 'status.json'))).toBe(true)
})

// proves: pipeline s3.1b
test('texts are parsed once where they are kept', async () => {
  const cache = new DotCache()
  await run(smoke, { ...quick, cache })
  expect(cache.size).toBe(1)
  await run(smoke, { ...quick, cache })
  expect(cache.size).toBe(1)
})

// proves: pipeline s3.1b, pipeline s12.1a
test('transforms of a run change its graph, in their order', async () => {
  const named = (name: string, prompt: string) => ({
    name,
    transform: (graph: ReturnType<typeof parse>) => {
      const plan = graph.nodes.get('plan')
      const before = String(plan?.attributes.get('prompt')?.value ?? '')
      if (plan !== undefined) (plan.attributes as Map<string, unknown>).set('prompt', { value: before + prompt, provenance: 'transform' })
      return graph
    },
  })
  const result = await run(smoke, { ...quick, transforms: [named('one', ' 1'), named('two', ' 2')] })
  expect(result.node_outcomes['plan']?.context_updates?.['last_prompt']).toBe('Plan how to: Create a hello world Python script 1 2')
})

test('a run of 1,000 nodes ends, with a folder for each', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `n${i}`)
  const line = `digraph g { node [type=transform, transform=constant, expression=x, output_key=k] start [type=start, shape=Mdiamond] done [type=exit, shape=Msquare] start -> ${names.join(' -> ')} -> done }`
  const result = await run(line, { logs_root: folder(), max_steps: 2_000, validate: false, cache: false })
  expect(result).toMatchObject({ status: 'success', steps: 1_002 })
  expect(existsSync(join(result.logs_root ?? '', 'n999', 'status.json'))).toBe(true)
})

// proves: pipeline s5.4a, pipeline 5.6b, pipeline s5.2a
test('the chain is switched off by a trusted author and the host together, and by neither alone (seed 5.4, reference 5.6)', async () => {
  const dot = `digraph off { mandatory_middleware=false start [shape=Mdiamond] note [type=transform, transform=constant, expression="x", output_key="seen"]
    done [shape=Msquare] start -> note -> done }`
  const policy = [{ file: 'test', allow: [], deny: ['arbor://orchestrator/execute/transform'] }]
  const status = async (options: PipelineRunOptions) => (await run(dot, { ...quick, policy, ...options })).status
  expect(await status({ trust: 'trusted', allow_disable_middleware: true })).toBe('success')
  expect(await status({ trust: 'trusted' })).toBe('fail')
  expect(await status({ trust: 'probationary', allow_disable_middleware: true })).toBe('fail')
})

// proves: pipeline s5.1c
test('the middleware of the host surrounds every node, after the mandatory seven (seed 5.1)', async () => {
  const dot =
    'digraph w { start [shape=Mdiamond] note [type=transform, transform=constant, expression="x"] done [shape=Msquare] start -> note -> done }'
  const halts = { name: 'office_hours', before: ({ context }: Token) => (context.node.id === 'note' ? { halt: 'closed' } : undefined) }
  const { status, failure_reason } = await run(dot, { ...quick, always: [halts] })
  expect([status, failure_reason]).toEqual(['fail', expect.stringContaining('closed')])
})
