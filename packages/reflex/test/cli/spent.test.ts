import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const ASKS = `digraph asks {
  begin [shape=Mdiamond]
  first [prompt="Say something"]
  ask [shape=hexagon, label="More?"]
  second [prompt="Say more"]
  end [shape=Msquare]
  begin -> first -> ask
  ask -> second [label="[Y] Yes"]
  second -> end
}
`

/** `94`, of a line that ends a run. */
function tokensOf(text: string): number {
  return Number(/ (\d+) tok unpriced/.exec(text.slice(text.search(/^(completed|suspended)/m)))?.[1])
}

test('the last line of a run counts its tokens of all processes', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'asks.dot'), ASKS)
  writeFileSync(join(folder, 'yes.json'), '{"ask": "Y"}')
  const whole = await reflex(['run', 'asks.dot', '--simulate', '--answers', 'yes.json'], { folder })
  const all = tokensOf(whole.err)
  expect(all).toBeGreaterThan(0)
  await reflex(['run', 'asks.dot', '--simulate', '--id', 'otter-2m9q', '--answers', 'none'], { folder })
  const answered = await reflex(['answer', 'otter', 'y'], { folder })
  expect(answered.code).toBe(0)
  expect(tokensOf(answered.err)).toBe(all)
})

test('a fork counts only its own usage', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'asks.dot'), ASKS)
  await reflex(['run', 'asks.dot', '--simulate', '--id', 'otter-2m9q', '--answers', 'none'], { folder })
  const { out } = await reflex(['trace', 'otter', '--json'], { folder })
  const { records } = (JSON.parse(out) as { run: { records: number } }).run
  await reflex(['fork', `otter@${records}`, '--decide', 'Y', '--id', 'crane-6v4h', '--simulate'], { folder })
  const fork = await reflex(['resume', 'crane'], { folder })
  const source = await reflex(['answer', 'otter', 'y'], { folder })
  expect([fork.code, source.code]).toEqual([0, 0])
  expect(tokensOf(fork.err)).toBeGreaterThan(0)
  expect(tokensOf(fork.err)).toBeLessThan(tokensOf(source.err))
})
