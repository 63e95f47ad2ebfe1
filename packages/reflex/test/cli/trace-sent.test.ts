import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const PIPELINE = `digraph p { graph [goal="ship it", default_fidelity="summary:high"]; start [shape=Mdiamond]; done [shape=Msquare];
  a [prompt="first", system_prompt="You are the captain."]; b [prompt="second"]; start -> a -> b -> done }`

test('trace -v shows the messages to models: instructions, preamble, prompt', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), PIPELINE)
  await reflex(['run', 'p.dot', '--id', 'otter', '--simulate'], { folder })
  const { out } = await reflex(['trace', 'otter', '-v'], { folder, columns: 100 })
  expect(out).toContain('system │ You are the captain.')
  expect(out).toMatch(/│ first/)
  expect(out).toMatch(/│ .*second/)
  // What happened before stands in the preamble of the second stage.
  expect(out).toMatch(/│ .*ship it/)
  expect((await reflex(['trace', 'otter'], { folder, columns: 100 })).out).not.toContain('captain')
})
