import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/kernel/index.ts'
import type { TreeReaderHost } from '../../../../src/kinds/tree/face/reader.ts'
import { treeReader } from '../../../../src/kinds/tree/face/reader.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { testPool } from '../lua/harness.ts'
import { n } from '../tick/tree-world.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trees-'))
  mkdirSync(join(folder, 'trees'))
  writeFileSync(join(folder, 'trees', 'count.lua'), 'return true\n')
  writeFileSync(join(folder, 'outside.lua'), 'return true\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pool = testPool()
const host: TreeReaderHost = {
  lua: () => Promise.resolve(pool),
  functions: {
    'deploy.start': () => 'SUCCESS',
    'deploy.check': { run: () => 'SUCCESS', contract: { inputs: { release: 'string' } } },
  },
  tools: () => ['http.get'],
}

async function read(root: NodeSource): Promise<{ readonly source: TreeSource | undefined; readonly findings: readonly Fault[] }> {
  const reader = treeReader({ nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])) }, host)
  const source: TreeSource = { format: 1, id: 'main', root }
  const { program, findings } = await reader.read(JSON.stringify(source), join(folder, 'trees', 'main.tree.json'), {})
  return { source: program?.source as TreeSource | undefined, findings }
}

describe('the files of scripts', () => {
  test('the text of a file becomes part of the tree', async () => {
    const { source, findings } = await read(n('script', { id: 's', file: 'count.lua' }))
    expect([source?.root.params, findings]).toEqual([{ code: 'return true\n', code_file: 'count.lua' }, []])
  })

  // proves: tree 72
  test('a file outside of the folder is not opened, nor one behind a link', async () => {
    symlinkSync(join(folder, 'outside.lua'), join(folder, 'trees', 'link.lua'))
    for (const file of ['../outside.lua', join(folder, 'outside.lua'), 'link.lua']) {
      const { source, findings } = await read(n('script', { id: 's', file }))
      expect([source, findings]).toMatchObject([undefined, [{ code: 'R1262', rule: 'E7002' }]])
    }
  })

  test('a file that does not exist is an error with its name', async () => {
    const { findings } = await read(n('script', { id: 's', file: 'nothing.lua' }))
    expect(findings).toMatchObject([{ code: 'R1201', rule: 'E4001', message: expect.stringContaining('nothing.lua') as string }])
  })
})

describe('the names of functions and tools', () => {
  test('unknown ones are errors with the nearest name', async () => {
    const root = n('sequence', {}, [
      n('action', { id: 'a', fn: 'deploy.strat' }),
      n('condition', { id: 'c', condition: { fn: 'nothing' } }),
      n('tool', { id: 't', tool: 'http.gett' }),
    ])
    const { findings } = await read(root)
    expect(findings.filter(({ severity }) => severity === 'error').map(({ rule, path }) => [rule, path])).toEqual([
      ['E4003', 'a'],
      ['E4003', 'c'],
      ['E4003', 't'],
    ])
    expect(findings[0]?.message).toMatch('deploy.start')
    expect(findings[0]?.data).toMatchObject({ available_modules: ['deploy.start', 'deploy.check'] })
  })

  test('parameters without an effect are errors', async () => {
    const root = n('sequence', {}, [
      n('for_each', { id: 'each', collection_key: 'items', max_concurrent: 2 }, [n('succeed')]),
      n('llm_call', { id: 'ask', prompt: 'hello', retry_on: ['rate_limits'] }),
    ])
    const { findings } = await read(root)
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      expect.stringContaining('max_concurrent has an effect only with parallel = true'),
      expect.stringContaining('retry_on has no error rate_limits'),
    ])
    const unknown = await read(n('llm_call', { id: 'tell', prompt: 'hello', on_chunk: 'nothing' }))
    expect(unknown.findings[0]).toMatchObject({ rule: 'E4003', path: 'tell' })
  })

  test('an action without a contract has that of its function', async () => {
    const own = { outputs: { done: 'bool' } }
    const { source } = await read(
      n('sequence', {}, [n('action', { id: 'a', fn: 'deploy.check' }), n('action', { id: 'b', fn: 'deploy.check', contract: own })]),
    )
    expect(source?.root.children?.map(({ params }) => params?.contract)).toEqual([{ inputs: { release: 'string' } }, own])
  })
})
