import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { HandlerRegistry, run, runFile } from '../../../../src/kinds/pipeline/index.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { dataIn, folder } from '../folders.ts'
import { runNodes, withoutCommands, workFolder } from '../handlers/session-world.ts'

const LINE =
  'digraph g { goal="win" label="A line" start [shape=Mdiamond] a [prompt=x, simulate=true] done [shape=Msquare] start -> a -> done }'

// proves: pipeline s7.3a, pipeline 12.50, pipeline 6.2b
test('a checkpoint has the fields of the seed', async () => {
  const logs_root = folder()
  await run(LINE, { logs_root, hmac_secret: 'hush' })
  const checkpoint = dataIn(logs_root, 'checkpoint.json')
  const fields = [
    'timestamp',
    'current_node',
    'completed_nodes',
    'node_retries',
    'context_values',
    'node_outcomes',
    'context_lineage',
    'content_hashes',
    '__hmac',
    'run_id',
    'graph_id',
    'graph_hash',
  ]
  expect(Object.keys(checkpoint)).toEqual(expect.arrayContaining(fields))
  expect(checkpoint['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
})

// proves: pipeline 6.3d
test('a manifest says which run of which pipeline it is', async () => {
  const logs_root = folder()
  const { run_id } = await run(LINE, { logs_root })
  expect(dataIn(logs_root, 'manifest.json')).toMatchObject({
    graph_id: 'g',
    run_id,
    name: 'A line',
    goal: 'win',
    node_count: 3,
    started_at: expect.any(String) as unknown,
    engine_version: expect.any(String) as unknown,
  })
})

// proves: pipeline 6.4a
test('each node has a status file, and an exit has none', async () => {
  const logs_root = folder()
  await run(LINE, { logs_root })
  expect(['start', 'a', 'done'].map((id) => existsSync(join(logs_root, id, 'status.json')))).toEqual([true, true, false])
  expect(Object.keys(dataIn(logs_root, 'a', 'status.json'))).toEqual(
    expect.arrayContaining([
      'outcome',
      'status',
      'preferred_label',
      'suggested_next_ids',
      'context_updates',
      'notes',
      'failure_reason',
      'timestamp',
      'duration_ms',
      'attempt',
      'written_by',
    ]),
  )
})

// proves: pipeline 6.3a
test('the folder of a run holds its events and its findings', async () => {
  const logs_root = folder()
  await run(LINE, { logs_root })
  expect(readFileSync(join(logs_root, 'events.jsonl'), 'utf8')).toContain('pipeline_completed')
  expect(existsSync(join(logs_root, 'diagnostics.json'))).toBe(true)
})

// proves: pipeline 3.1d
test('a result has what a caller asks for', async () => {
  const result = await run(LINE, { logs_root: false })
  expect(result).toMatchObject({
    status: 'success',
    completed_nodes: ['start', 'a', 'done'],
    node_outcomes: { a: { status: 'success' } },
    context: { last_prompt: 'x' },
    diagnostics: expect.any(Array) as unknown,
    logs_root: null,
    failure_reason: null,
    duration_ms: expect.any(Number) as unknown,
    steps: 3,
  })
})

// proves: pipeline 3.9.1d
test('a checkpoint holds the branches of a fan-out that are left', async () => {
  const logs_root = folder()
  const handlers = new HandlerRegistry()
  const stop = new AbortController()
  let dies = true
  handlers.register('ok', { execute: () => ({ status: 'success' }), idempotency: 'idempotent' })
  handlers.register('dies', {
    idempotency: 'idempotent',
    execute: () => {
      if (!dies) return { status: 'success' }
      stop.abort()
      return new Promise(() => undefined)
    },
  })
  const dot =
    'digraph g { start [shape=Mdiamond] s [type=ok, fan_out=true] a [type=ok] b [type=dies] c [type=ok] done [shape=Msquare] start -> s s -> a -> done s -> b -> done s -> c -> done }'
  await run(dot, { logs_root, handlers, signal: stop.signal })
  expect(JSON.stringify(dataIn(logs_root, 'checkpoint.json')['pending'])).toContain('"c"')
  dies = false
  const resumed = await run(dot, { logs_root, handlers, resume: true })
  expect(resumed.completed_nodes).toEqual(['start', 's', 'a', 'b', 'c', 'done'])
})

// proves: pipeline 5.6g
test('a resume asks the policy of now', async () => {
  const workdir = workFolder()
  const logs_root = join(workdir, 'logs')
  const handlers = new HandlerRegistry()
  const stop = new AbortController()
  handlers.register('dies', {
    idempotency: 'idempotent',
    execute: () => {
      stop.abort()
      return new Promise(() => undefined)
    },
  })
  const dot = `digraph g { start [shape=Mdiamond] a [type=dies] t [type=transform, transform=constant, expression=x] done [shape=Msquare] start -> a -> t -> done }`
  await run(dot, { workdir, logs_root, handlers, signal: stop.signal })
  handlers.register('dies', { execute: () => undefined, idempotency: 'idempotent' })
  const policy = [{ file: 'now', allow: [], deny: ['arbor://orchestrator/execute/transform'] }]
  const resumed = await run(dot, { workdir, logs_root, handlers, resume: true, policy })
  expect([resumed.status, resumed.failure_reason]).toEqual(['fail', expect.stringContaining('arbor://orchestrator/execute/transform')])
})

// proves: pipeline 4.6.3a
test('a child is found in the folder of its caller and in those above it', async () => {
  const workdir = workFolder()
  const child = 'digraph child { start [shape=Mdiamond] done [shape=Msquare] start -> done }'
  writeFileSync(join(workdir, 'child.dot'), child)
  writeFileSync(
    join(workdir, 'parent.dot'),
    'digraph parent { start [shape=Mdiamond] done [shape=Msquare] c [type="graph.invoke", graph_file="child.dot"] start -> c -> done }',
  )
  expect((await runFile('parent.dot', { workdir, logs_root: false, trust: 'trusted' })).status).toBe('success')
})

describe.skipIf(withoutCommands !== undefined)(`hooks${withoutCommands === undefined ? '' : ` (skipped: ${withoutCommands})`}`, () => {
  const lines = (workdir: string): string[] => readFileSync(join(workdir, 'log'), 'utf8').trim().split('\n')

  // proves: pipeline s12.6a, pipeline 2.6.30
  it('of the graph run once, those of a node at each execution', async () => {
    const workdir = workFolder()
    const hook = (word: string): string => `"echo ${word} >> log"`
    const graph = `pre_hook=${hook('first')}; post_hook=${hook('last')};`
    const node = `a [type=transform, transform=increment, source_key=n, output_key=n, pre_hook=${hook('before')}, post_hook=${hook('after')}]`
    await runNodes(`${node} start -> a a -> a [condition="context.n<2"] a -> done [condition="context.n>=2"]`, { workdir }, graph)
    expect(lines(workdir)).toEqual(['first', 'before', 'after', 'before', 'after', 'last'])
  })

  // proves: pipeline 3.1e
  it('of the graph end a run that failed, too', async () => {
    const workdir = workFolder()
    const went = await runNodes(
      'a [prompt=x, simulate=fail] start -> a -> done',
      { workdir, logs_root: join(workdir, 'logs') },
      'post_hook="echo last >> log"',
    )
    expect([went.status, lines(workdir), dataIn(workdir, 'logs', 'checkpoint.json')['current_node']]).toEqual(['fail', ['last'], 'a'])
  })

  // proves: pipeline 10.3a
  it('have their facts as variables and as JSON', async () => {
    const workdir = workFolder()
    const post = 'echo $HOOK_PHASE $ARBOR_GRAPH_ID $ARBOR_NODE_ID $ARBOR_OUTCOME > log; cat >> log'
    const { run_id } = await runNodes(
      `a [type=transform, transform=constant, expression=x, post_hook=${JSON.stringify(post)}] start -> a -> done`,
      { workdir },
    )
    const [words = '', json = ''] = lines(workdir)
    expect(words).toBe('post g a success')
    expect(JSON.parse(json)).toMatchObject({ run_id, graph_id: 'g', node_id: 'a', phase: 'post', outcome: 'success' })
  })

  // proves: pipeline 10.3b
  it('before a run or a node stop it when they fail; those after it do not', async () => {
    const node = (more: string): string => `a [type=transform, transform=constant, expression=x ${more}] start -> a -> done`
    const status = async (body: string, graph = '') => (await runNodes(body, {}, graph)).status
    expect(await status(node(''), 'pre_hook="exit 1";')).toBe('fail')
    expect(await status(node(', pre_hook="exit 1"'))).toBe('fail')
    expect([await status(node(', post_hook="exit 1"')), await status(node(''), 'post_hook="exit 1";')]).toEqual(['success', 'success'])
  })

  // proves: pipeline 3.6a
  it('do not hide that a stage itself wrote that it failed', async () => {
    const command = JSON.stringify(`echo '{"status":"fail","failure_reason":"says so"}' > $ARBOR_STAGE_DIR/status.json`)
    const went = await runNodes(`a [type=shell, command=${command}, auto_status=true] start -> a -> done`)
    expect(went).toMatchObject({ status: 'fail', failure_reason: 'says so' })
  })

  // proves: pipeline 4.5o
  it('that print more than a context holds are kept in full: a file in the folder of the stage, and an artifact', async () => {
    const workdir = workFolder()
    const logs_root = join(workdir, 'logs')
    const command = JSON.stringify('yes abcdefg | head -c 300000; printf end; yes e | head -c 70000 >&2; exit 3')
    const went = await runNodes(`a [type=shell, command=${command}, on_error=continue] start -> a -> done`, { workdir, logs_root })
    expect(renderText(went.context['shell.a.output']).length).toBe(64_000)
    const file = join(logs_root, 'a/stdout.txt')
    expect(readFileSync(file, 'utf8')).toBe(`${'abcdefg\n'.repeat(37_500)}end`)
    expect(went.artifacts).toMatchObject([
      { id: 'a/stdout.txt', size_bytes: 300_003, storage: 'file', file_path: file, data: { $file: file } },
      { id: 'a/stderr.txt', size_bytes: 70_000 },
    ])
    const few = await runNodes('a [type=shell, command="echo few"] start -> a -> done', { workdir, logs_root: join(workdir, 'few') })
    expect(few.artifacts).toEqual([])
  })

  // proves: pipeline 4.5g
  it('do not matter to a command that prints more than a context holds: it is cut', async () => {
    const command = JSON.stringify('yes abcdefg | head -c 300000')
    const { context } = await runNodes(`a [type=shell, command=${command}] start -> a -> done`)
    const output = renderText(context['shell.a.output'])
    expect(output).toContain('abcdefg')
    expect(output.length).toBeLessThanOrEqual(65_536 + 100)
  })
})
