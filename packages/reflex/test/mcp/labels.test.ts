import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { WrittenLabels } from '../../src/policy/written-labels.ts'
import { memoryStore } from '../../src/store/index.ts'
import { ledgerPlace } from '../../src/tools/capability.ts'
import { newFolder } from '../app/folders.ts'
import { MISCHIEF, nodeServer, policyFor } from './outside.ts'

it('labels what a program writes after a call as text from outside', { timeout: 60_000 }, async () => {
  const folder = newFolder()
  const policy = await policyFor(folder, 'bad', nodeServer(MISCHIEF))
  const store = memoryStore()
  const reflex = new Reflex({ store, workdir: folder, trust: 'trusted', policy })
  onTestFinished(() => reflex.close())
  const write = (path: string) => ({ tool: 'file.write', args: { path, text: 'a text', in: 'work' } })
  const program = {
    id: 'writes',
    entry: 'before',
    nodes: {
      before: { id: 'before', spec: write('before.txt') },
      call: { id: 'call', spec: { tool: 'mcp.bad.fine', writes: 'got' }, outputs: [{ key: 'got', guaranteed: true }] },
      after: { id: 'after', spec: write('after.txt') },
    },
    edges: [
      { id: 'e1', from: 'before', to: 'call', event: 'NEXT' },
      { id: 'e2', from: 'call', to: 'after', event: 'NEXT' },
    ],
  }
  const run = await reflex.run(program)
  expect(run.status).toBe('completed')
  const labels = new WrittenLabels(store)
  await labels.refresh()
  const levels = ['before.txt', 'after.txt'].map((name) => labels.ofPath(ledgerPlace(join(folder, name))).level)
  expect(levels).toEqual([0, 2])
})
