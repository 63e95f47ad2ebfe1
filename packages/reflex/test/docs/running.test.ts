import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/index.ts'
import { typeFaults } from '../compiler.ts'
import { environmentOf } from '../environment.ts'
import { inProcess, linkedFolder } from './page.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/running.md'), 'utf8')
const folder = linkedFolder('running')

test('the application of the page carries on a run that was answered elsewhere, and ends at a signal', async () => {
  const [, source = ''] = /^```ts\n([\s\S]*?reflex\.work\([\s\S]*?)^```/m.exec(page) ?? []
  const workdir = folder()
  writeFileSync(join(workdir, 'worker.ts'), source)
  expect(typeFaults(workdir, ['worker.ts'])).toEqual([])
  writeFileSync(
    join(workdir, 'ask.dot'),
    'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }',
  )
  expect(inProcess(workdir, 'npx reflex run ask.dot --id otter --answers none').code).toBe(75)
  expect(inProcess(workdir, 'npx reflex answer otter yes --no-run').code).toBe(0)
  const child = spawn(process.execPath, ['worker.ts'], { cwd: workdir, stdio: 'ignore', env: environmentOf() })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const reflex = new Reflex({ workdir, store: join(workdir, '.reflex/reflex.db') })
  onTestFinished(() => reflex.close())
  await expect.poll(async () => (await reflex.find('otter')).status, { timeout: 60_000 }).toBe('completed')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
