import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scriptedModel } from '../../src/models/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from '../app/folders.ts'

const branches = ['a', 'b', 'c', 'd'].map((id) => `${id} [prompt="say"]; fork -> ${id} -> join;`).join(' ')
const PIPELINE = `digraph p { graph [goal="g", max_total_tokens=100]; start [shape=Mdiamond]; done [shape=Msquare];
  fork [shape=component]; join [shape=tripleoctagon]; start -> fork; ${branches} join -> done }`

test('calls beside each other use no more than the limit that their own pipeline states', async () => {
  const workdir = newFolder()
  writeFileSync(join(workdir, 'p.dot'), PIPELINE)
  let used = 0
  const model = scriptedModel(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    used += 100
    return { text: 'ok', usage: { input: 90, output: 10 } }
  }, 'test')
  const surroundings = { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ workdir, models: { test: model }, model: 'test', surroundings })
  onTestFinished(() => reflex.close())
  await reflex.run('p.dot')
  expect(used).toBe(100)
})
