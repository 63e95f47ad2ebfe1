import { readFileSync, writeFileSync } from 'node:fs'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFault } from '../../../src/kernel/index.ts'
import { HandlerRegistry, parse, type PipelineResult, type PipelineRunOptions, run } from '../../../src/kinds/pipeline/index.ts'
import { isSigned, signatureOf } from '../../../src/kinds/pipeline/folder/signature.ts'
import { dataIn, folder } from './folders.ts'

const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work()
    return 'none'
  } catch (thrown) {
    return isFault(thrown) ? thrown.code : String(thrown)
  }
}

const chain = `digraph chain {
  goal = "count"
  start [shape=Mdiamond, context.n=0]
  a [type=transform, transform=increment, source_key=n, output_key=n]
  b [type=step]
  c [type=transform, transform=increment, source_key=n, output_key=n]
  d [prompt="n is {ctx.n}", simulate=true]
  done [shape=Msquare]
  start -> a -> b
  b -> c [condition="outcome=success"]
  b -> d [condition="outcome=fail"]
  c -> d
  d -> a [condition="context.n<6"]
  d -> done [condition="context.n>=6"]
}`

/** A handler that stops the whole run the n-th time that it is called: as far as the checkpoint tells, the process died. */
const mortal = (dies: number): { handlers: HandlerRegistry; stop: AbortController } => {
  const handlers = new HandlerRegistry()
  const stop = new AbortController()
  let calls = 0
  handlers.register('step', {
    idempotency: 'idempotent',
    execute: () => {
      if (++calls !== dies) return { status: 'success', context_updates: { word: 'said' } }
      stop.abort()
      return new Promise(() => undefined)
    },
  })
  return { handlers, stop }
}

const essence = ({ status, context, completed_nodes, node_outcomes, steps }: PipelineResult) => ({
  status,
  context: { ...context, 'internal.run_id': '' },
  completed_nodes,
  node_outcomes,
  steps,
})

// proves: pipeline 12.51, pipeline 12.93, pipeline 3.13d, pipeline s7.3c, pipeline 3.12a, pipeline 3.10a
test('a run that is resumed from a checkpoint ends like an undisturbed one (51, 93)', async () => {
  const whole = await run(chain, { logs_root: false, handlers: mortal(0).handlers })
  expect(whole.status).toBe('success')
  for (const dies of [1, 2, 3]) {
    const logs_root = folder()
    const { handlers, stop } = mortal(dies)
    const first = await run(chain, { logs_root, handlers, signal: stop.signal })
    expect(first.status).toBe('cancelled')
    const second = await run(chain, { logs_root, handlers: mortal(0).handlers, resume: true })
    expect(essence(second)).toEqual(essence(whole))
    expect(second.run_id).toBe(first.run_id)
  }
})

// proves: pipeline 3.13b, pipeline s7.3d
test('a checkpoint at the exit ends the run', async () => {
  const logs_root = folder()
  const { handlers } = mortal(0)
  const first = await run(chain, { logs_root, handlers })
  const again = await run(chain, { logs_root: false, handlers, resume_from: join(logs_root, 'checkpoint.json') })
  expect(essence(again)).toEqual(essence(first))
})

// proves: pipeline 12.112, pipeline s7.2b, pipeline 6.1b, pipeline 6.1e
test('the lineage of a key names its writer, also after a resume (112)', async () => {
  const logs_root = folder()
  const { handlers, stop } = mortal(2)
  await run(chain, { logs_root, handlers, signal: stop.signal, initial_values: { mine: 1 } })
  const before = dataIn(logs_root, 'checkpoint.json')['context_lineage'] as Record<string, unknown>
  expect(before['mine']).toMatchObject({ node_id: '__init__', operation: 'init' })
  expect(before['graph.goal']).toMatchObject({ node_id: '__init__', operation: 'init' })
  expect(before['outcome']).toMatchObject({ node_id: '__engine__', operation: 'engine' })
  expect(before['n']).toMatchObject({ operation: 'update' })
  await run(chain, { logs_root, handlers: mortal(0).handlers, resume: true })
  const after = dataIn(logs_root, 'checkpoint.json')['context_lineage'] as Record<string, unknown>
  expect(after['mine']).toEqual({ ...(before['mine'] as object), operation: 'resume' })
})

// proves: pipeline 2.6.28, pipeline s7.3e
test('a checkpoint of another implementation can be resumed, with its keys and outcomes', async () => {
  const file = join(folder(), 'theirs.json')
  const { handlers } = mortal(0)
  const theirs = {
    timestamp: '2026-01-01T00:00:00Z',
    current_node: 'b',
    completed_nodes: ['start', 'a', 'b'],
    node_retries: { b: 2 },
    context: { n: 5, 'graph.goal': 'other', outcome: 'success', __completed_nodes__: ['x'] },
    node_outcomes: { start: { outcome: 'SUCCESS' }, a: 'success', b: { outcome: 'fail', failureReason: 'broke' } },
    logs: [{ node_id: 'a', message: 'went', timestamp: '2026-01-01T00:00:00Z' }],
  }
  writeFileSync(file, JSON.stringify(theirs))
  const failed = await run(chain, { logs_root: false, handlers, resume_from: file })
  // The outcome of b decides: over the edge of a failure, past c.
  expect(failed.completed_nodes).toEqual(['start', 'a', 'b', 'd', 'a', 'b', 'c', 'd', 'done'])
  writeFileSync(file, JSON.stringify({ ...theirs, node_outcomes: { b: { status: 'success' } } }))
  const went = await run(chain, { logs_root: false, handlers, resume_from: file })
  expect(went).toMatchObject({ status: 'success', completed_nodes: ['start', 'a', 'b', 'c', 'd', 'done'] })
  expect(went.context['n']).toBe(6)
  expect(went.context['graph.goal']).toBe('count')
  expect(Object.keys(went.context)).not.toContain('__completed_nodes__')
})

// proves: pipeline 12.105, pipeline s7.3b
test("a signed checkpoint is the secret's own: whatever is changed in it is found (105)", async () => {
  const logs_root = folder()
  const { handlers, stop } = mortal(2)
  await run(chain, { logs_root, handlers, signal: stop.signal, hmac_secret: 'hush' })
  const file = join(logs_root, 'checkpoint.json')
  const text = readFileSync(file, 'utf8')
  const resumed = (hmac_secret?: string) =>
    codeOf(() =>
      run(chain, {
        logs_root: false,
        handlers: mortal(0).handlers,
        resume_from: file,
        ...(hmac_secret === undefined ? {} : { hmac_secret }),
      }),
    )
  expect(await resumed('hush')).toBe('none')
  expect(await resumed('other')).toBe('R2202')
  // Without a secret nobody asks for a signature.
  expect(await resumed()).toBe('none')
  writeFileSync(file, text.replace('"n": 3', '"n": 4'))
  expect(await resumed('hush')).toBe('R2202')
  writeFileSync(file, text.replace(/"__hmac": "[0-9a-f]+"/, '"__hmac": "zz"'))
  expect(await resumed('hush')).toBe('R2202')
  writeFileSync(file, text.slice(0, text.length / 2))
  expect(await resumed('hush')).toBe('R2203')
})

// proves: pipeline 6.2c
test('the signature is HMAC-SHA-256 over RFC 8785, independent of the order of keys', () => {
  const expected = createHmac('sha256', 's').update('{"a":[1,true,null],"b":{"x":1e+30,"é":"\\u0001"}}', 'utf8').digest('hex')
  expect(signatureOf({ b: { é: '\u0001', x: 1e30 }, a: [1, true, null], __hmac: 'ignored' }, 's')).toBe(expected)
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string({ minLength: 1 }), (body, secret) => {
      const plain = JSON.parse(JSON.stringify(body)) as Record<string, string>
      delete plain['__hmac']
      const backwards = Object.fromEntries(Object.entries(plain).reverse())
      expect(isSigned({ ...backwards, __hmac: signatureOf(plain, secret) }, secret)).toBe(true)
    }),
  )
})

// proves: pipeline 3.13a, pipeline 6.2b
test('a checkpoint of another graph is refused, unless it is forced', async () => {
  const logs_root = folder()
  const { handlers, stop } = mortal(2)
  await run(chain, { logs_root, handlers, signal: stop.signal })
  const changed = chain.replace('goal = "count"', 'goal = "count on"')
  const options: PipelineRunOptions = { logs_root, handlers: mortal(0).handlers, resume: true }
  expect(await codeOf(() => run(changed, options))).toBe('R2203')
  expect(await codeOf(() => run(changed.replace(/ b /g, ' b2 ').replace(/ b\n/g, ' b2\n'), { ...options, force: true }))).toBe('none')
  expect(
    await codeOf(() => run('digraph g { start [shape=Mdiamond] quit [shape=Msquare] start -> quit }', { ...options, force: true })),
  ).toBe('R2203')
})

// proves: pipeline 3.13c
test('a running stage with side effects is not repeated without a question', async () => {
  const dot = 'digraph g { start [shape=Mdiamond] pay [type=pay] done [shape=Msquare] start -> pay -> done }'
  const logs_root = folder()
  const stop = new AbortController()
  const dies = new HandlerRegistry()
  dies.register('pay', {
    execute: () => {
      stop.abort()
      return new Promise(() => undefined)
    },
  })
  await run(dot, { logs_root, handlers: dies, signal: stop.signal })
  const checkpoint = dataIn(logs_root, 'checkpoint.json')
  expect(checkpoint['in_flight']).toEqual({ node_id: 'pay', attempt: 1, idempotency: 'side_effecting' })
  const pays = new HandlerRegistry()
  let paid = 0
  pays.register('pay', { execute: () => void paid++ })
  expect(await codeOf(() => run(dot, { logs_root, handlers: pays, resume: true }))).toBe('R2204')
  expect(paid).toBe(0)
  expect((await run(dot, { logs_root, handlers: pays, resume: true, on_resume: 'retry' })).status).toBe('success')
  expect(paid).toBe(1)
})

// proves: pipeline 6.2d
test('large values are in files beside the checkpoint and are restored', async () => {
  const logs_root = folder()
  const handlers = new HandlerRegistry()
  const large = 'ä'.repeat(60_000)
  handlers.register('make', {
    execute: () => ({ status: 'success', context_updates: { large, list: [large], small: 'x' } }),
    idempotency: 'idempotent',
  })
  const stop = new AbortController()
  handlers.register('dies', {
    idempotency: 'idempotent',
    execute: () => {
      stop.abort()
      return new Promise(() => undefined)
    },
  })
  const dot = 'digraph g { start [shape=Mdiamond] make [type=make] then [type=dies] done [shape=Msquare] start -> make -> then -> done }'
  await run(dot, { logs_root, handlers, signal: stop.signal })
  const values = dataIn(logs_root, 'checkpoint.json')['context_values'] as Record<string, unknown>
  expect(values['large']).toMatchObject({ $artifact: { id: 'make/large.txt', size_bytes: 120_000, file_path: 'artifacts/make/large.txt' } })
  expect(values['small']).toBe('x')
  handlers.register('dies', { execute: () => undefined, idempotency: 'idempotent' })
  const resumed = await run(dot, { logs_root, handlers, resume: true })
  expect(resumed.context).toMatchObject({ large, list: [large] })
  writeFileSync(join(logs_root, 'artifacts/make/large.txt'), 'other')
  expect(await codeOf(() => run(dot, { logs_root, handlers, resume: true }))).toBe('R2202')
})

// proves: pipeline 3.1c
test('the name of a run in a checkpoint is not used as a path', async () => {
  const workdir = folder()
  const file = join(workdir, 'theirs.json')
  writeFileSync(file, JSON.stringify({ run_id: '../../escaped', current_node: 'done', completed_nodes: ['done'], context: {} }))
  const result = await run(chain, { workdir, handlers: mortal(0).handlers, resume_from: file })
  expect(result.run_id).toMatch(/^\w+-\w{4}$/)
  expect(result.logs_root).toBe(join(workdir, '.runs', result.run_id))
})

test('an invalid checkpoint is refused and never crashes', async () => {
  const file = join(folder(), 'checkpoint.json')
  const { handlers } = mortal(0)
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.constantFrom(
          'current_node',
          'completed_nodes',
          'context',
          'node_outcomes',
          'pending',
          'in_flight',
          'visits',
          'budget',
          'context_taint',
          'iteration',
        ),
        fc.jsonValue(),
      ),
      async (body) => {
        writeFileSync(file, JSON.stringify(body))
        expect(['R2203', 'R2204', 'none']).toContain(await codeOf(() => run(chain, { logs_root: false, handlers, resume_from: file })))
      },
    ),
    { numRuns: 60 },
  )
  for (const text of ['', '[]', 'null', '{"current_node":"nobody"}']) {
    writeFileSync(file, text)
    expect(await codeOf(() => run(chain, { logs_root: false, resume_from: file, handlers }))).toBe('R2203')
  }
  expect(await codeOf(() => run(chain, { logs_root: false, resume_from: join(folder(), 'none.json'), handlers }))).toBe('R2203')
  expect(parse(chain).id).toBe('chain')
})
