import { expect, test } from 'vitest'
import type { PipelineHandler } from '../../../../src/kinds/pipeline/engine/custom.ts'
import type { Json } from '../../../../src/kernel/index.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { runDot, told } from '../engine/harness.ts'

const chain = (...types: string[]): string =>
  `digraph g { start [shape=Mdiamond] done [shape=Msquare] ${types.map((type) => `${type} [type=${type}]`).join(' ')} start -> ${types.join(' -> ')} -> done }`

// proves: pipeline 12.113, pipeline s7.5a, pipeline s7.5b
test('pieces of data are kept for later nodes, in two tiers at 100 KB (113)', async () => {
  const seen: Json[] = []
  const stores: PipelineHandler = {
    execute: (_node, _context, _graph, { artifacts }) => {
      artifacts.store('small.txt', 'x'.repeat(102_399))
      artifacts.store('large.txt', 'x'.repeat(102_400))
      artifacts.store('../../etc/passwd', { a: [1] })
      seen.push(artifacts.list().map(({ id }) => id))
    },
    idempotency: 'idempotent',
  }
  const reads: PipelineHandler = {
    execute: (_node, _context, _graph, { artifacts }) => {
      seen.push(
        artifacts
          .list('stores')
          .map(({ id, size_bytes, storage, file_path = '' }) => [id, size_bytes, storage, file_path.replace(/^.*\/artifacts/, '…')]),
      )
      seen.push([artifacts.retrieve('stores/.._.._etc_passwd'), artifacts.has('stores/none'), artifacts.list('other').length])
      seen.push(renderText(artifacts.retrieve('stores/large.txt')).length)
    },
    idempotency: 'idempotent',
  }
  const went = await runDot(chain('stores', 'reads'), { handlers: { stores, reads } })
  expect(went.reason).toBe('')
  expect(seen).toEqual([
    ['stores/small.txt', 'stores/large.txt', 'stores/.._.._etc_passwd'],
    [
      ['stores/small.txt', 102_399, 'memory', ''],
      ['stores/large.txt', 102_400, 'file', '…/stores/large.txt'],
      ['stores/.._.._etc_passwd', 9, 'memory', ''],
    ],
    [{ a: [1] }, false, 0],
    102_400,
  ])
  expect(told(went, 'artifact_stored').map(({ id, storage }) => [id, storage])).toEqual([
    ['stores/small.txt', 'memory'],
    ['stores/large.txt', 'file'],
    ['stores/.._.._etc_passwd', 'memory'],
  ])
  expect(Object.keys(went.context)).not.toContain('#artifact/stores/small.txt')
})

// proves: pipeline s7.5b, pipeline 6.6a
test('a piece can be replaced and taken away; one that is not there is an error', async () => {
  const seen: Json[] = []
  const all: PipelineHandler = {
    execute: (_node, _context, _graph, { artifacts }) => {
      artifacts.store('a', 'one')
      artifacts.store('a', 'two')
      artifacts.store('b', 'three')
      seen.push([artifacts.retrieve('all/a'), artifacts.remove('a'), artifacts.remove('a'), artifacts.has('all/a')])
      artifacts.clear()
      seen.push(artifacts.list().length)
      artifacts.retrieve('all/b')
    },
    idempotency: 'idempotent',
  }
  const went = await runDot(chain('all'), { handlers: { all } })
  expect(seen).toEqual([['two', true, false, false], 0])
  expect(went.reason).toContain('the run has stored no artifact "all/b"')
})
