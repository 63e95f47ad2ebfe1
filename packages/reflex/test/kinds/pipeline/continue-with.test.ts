import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/kinds/pipeline/index.ts'

const PIPELINE = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
  a [prompt="first"]; b [prompt="second"]; start -> a -> b -> done }`

test('the result of a run that failed on a model has the options that continue it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-continue-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const asked: string[] = []
  const options = { workdir: folder, logs_root: join(folder, 'logs') }
  const failed = await run(PIPELINE, {
    ...options,
    llm_backend: ({ id }) => {
      asked.push(id)
      if (id === 'b') throw new Error('model is out of order')
      return 'one'
    },
  })
  expect(failed.status).toBe('fail')
  expect(failed.continue_with).not.toBeNull()
  const resumed = await run(PIPELINE, { ...options, ...failed.continue_with, llm_backend: ({ id }) => `${asked.push(id)}` })
  expect({ status: resumed.status, asked, next: resumed.continue_with }).toEqual({ status: 'success', asked: ['a', 'b', 'b'], next: null })
})
