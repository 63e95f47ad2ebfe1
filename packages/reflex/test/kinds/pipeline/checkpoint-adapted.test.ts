import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HandlerRegistry, type PipelineHandler, type PipelineRunOptions, run } from '../../../src/kinds/pipeline/index.ts'
import { dataIn, folder } from './folders.ts'

const mutations = [
  { op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } },
  { op: 'add_node', id: 'extra', attrs: { type: 'transform', transform: 'constant', expression: 'more', output_key: 'extra' } },
  { op: 'remove_edge', from: 'step', to: 'done' },
  { op: 'add_edge', from: 'step', to: 'extra' },
  { op: 'add_edge', from: 'extra', to: 'done' },
]
/** A pipeline that changes itself, then asks the host, then goes where the change leads. */
const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare]
  change [type=adapt, mutations=${JSON.stringify(JSON.stringify(mutations))}]
  last [type=last] step [type=transform, transform=constant, expression="as written", output_key=step]
  start -> change -> last -> step -> done }`

const handlers = (last: NonNullable<PipelineHandler['execute']>): HandlerRegistry => {
  const registry = new HandlerRegistry()
  registry.register('last', { idempotency: 'idempotent', execute: last })
  return registry
}

/** Leaves a checkpoint behind whose run had changed itself; the folder of it. */
async function died(options: PipelineRunOptions = {}): Promise<string> {
  const logs_root = folder()
  const stop = new AbortController()
  const dies = handlers(() => {
    stop.abort()
    return new Promise(() => undefined)
  })
  await run(dot, { logs_root, trust: 'autonomous', handlers: dies, signal: stop.signal, ...options })
  return logs_root
}

const ok = handlers(() => ({ status: 'success' }))
const resume = (logs_root: string, options: PipelineRunOptions = {}, text = dot) =>
  run(text, { logs_root, trust: 'autonomous', handlers: ok, resume: true, ...options })

// proves: pipeline 3.13f
test.each([undefined, 'a secret'])(
  'a run that is resumed continues with the pipeline as it had changed it, secret %s',
  async (hmac_secret) => {
    const logs_root = await died({ hmac_secret })
    const stored = dataIn(logs_root, 'checkpoint.json')
    expect(stored['graph_dot']).toContain('extra')
    expect(stored['current_node']).toBe('change')
    const resumed = await resume(logs_root, { hmac_secret })
    expect(resumed).toMatchObject({ status: 'success', completed_nodes: ['start', 'change', 'last', 'step', 'extra', 'done'] })
    expect(resumed.context).toMatchObject({ step: 'changed', extra: 'more' })
    const again = dataIn(logs_root, 'checkpoint.json')
    expect([again['graph_hash'], again['graph_dot']]).toEqual([stored['graph_hash'], stored['graph_dot']])
  },
)

test('the checkpoint of an unchanged pipeline contains no graph', async () => {
  const logs_root = folder()
  await run('digraph g { start -> a -> end; a [type=transform, transform=constant, expression=x] }', { logs_root })
  expect(dataIn(logs_root, 'checkpoint.json')).not.toHaveProperty('graph_dot')
})

test('a command that somebody wrote into the graph of a checkpoint does not run', async () => {
  const logs_root = await died()
  const file = join(logs_root, 'checkpoint.json')
  const evil = `digraph g { start -> change -> evil -> end; change [type=transform]; evil [type=shell, command="true"] }`
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), graph_dot: evil }))
  const resumed = await resume(logs_root)
  expect(resumed.status).toBe('fail')
  expect(resumed.failure_reason).toContain('unauthorized')
})

test('an unreadable graph is refused, and a forced other graph is used', async () => {
  const logs_root = await died()
  const file = join(logs_root, 'checkpoint.json')
  const stored = JSON.parse(readFileSync(file, 'utf8')) as object
  const other = dot.replace('as written', 'another')
  await expect(resume(logs_root, {}, other)).rejects.toMatchObject({ code: 'R2203' })
  expect((await resume(logs_root, { force: true }, other)).context['step']).toBe('another')
  writeFileSync(file, JSON.stringify({ ...stored, graph_dot: 'digraph {' }))
  await expect(resume(logs_root)).rejects.toMatchObject({ code: 'R2203' })
})
