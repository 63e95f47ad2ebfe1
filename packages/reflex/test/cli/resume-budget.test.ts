import { expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { reflex, workFolder } from './worlds.ts'

test('resume --budget does nothing to a run that waits for something else', async () => {
  const options = { folder: workFolder(), host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter', '--answers', 'none'], options)
  const before = (await reflex(['trace', 'otter', '--jsonl'], options)).out
  const { code, out, err } = await reflex(['resume', 'otter', '--budget', 'usd=2'], options)
  expect({ code, out, err: err.split('\n')[0] }).toEqual({
    code: 2,
    out: '',
    err: 'error R2031  the budget of otter is not spent, so --budget has no effect',
  })
  expect((await reflex(['trace', 'otter', '--jsonl'], options)).out).toBe(before)
})
