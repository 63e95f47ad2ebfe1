import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const PIPELINE = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
  a [prompt="first"]; b [prompt="second"]; start -> a -> b -> done }`
const line = (label: string, outcome: object): string => JSON.stringify({ label, ...outcome })
const DOWN = { fault: { code: 'R4010', message: 'test is out of order', verdict: 'retry' } }

test('a pipeline that fails on a model prints the command that continues it, and the command works', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), PIPELINE)
  const said = line('p/a', { reply: { text: 'one' } })
  writeFileSync(join(folder, 'replies.jsonl'), [said, ...Array.from({ length: 9 }, () => line('p/b', DOWN))].join('\n'))
  const failed = await reflex(['run', 'p.dot', '--id', 'otter', '--recorded', 'replies.jsonl'], { folder })
  expect({ code: failed.code, says: failed.err.includes('test is out of order') }).toEqual({ code: 1, says: true })
  const [, words = ''] = /continue +reflex (fork otter@\d+)/.exec(failed.err) ?? []
  expect(words).toMatch(/^fork otter@\d+$/)

  writeFileSync(join(folder, 'replies.jsonl'), line('p/b', { reply: { text: 'two' } }))
  const forked = await reflex([...words.split(' '), '--id', 'hare'], { folder })
  expect(forked.out).toContain('reflex resume hare')
  const resumed = await reflex(['resume', 'hare'], { folder })
  expect(resumed.code).toBe(0)
})

test('resume of an ended run names the same fork', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), PIPELINE)
  writeFileSync(join(folder, 'replies.jsonl'), Array.from({ length: 9 }, () => line('p/a', DOWN)).join('\n'))
  const failed = await reflex(['run', 'p.dot', '--id', 'otter', '--recorded', 'replies.jsonl', '--json'], { folder })
  const { goOn } = JSON.parse(failed.out) as { goOn: string }
  expect(goOn).toMatch(/^otter@\d+$/)
  expect((await reflex(['resume', 'otter'], { folder })).err).toContain(`reflex fork ${goOn}`)
})
