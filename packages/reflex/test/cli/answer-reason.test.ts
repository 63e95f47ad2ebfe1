import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const RUN = ['run', 'refund.workflow.json', '--id', 'otter-2m9q']
const ANSWER = ['answer', 'otter', 'YES', '--by', 'ben', '--reason', 'the parcel never arrived']

async function asked(): Promise<string> {
  const folder = workFolder()
  expect((await reflex(RUN, { folder })).code).toBe(75)
  return folder
}

test('the reason of an answer is in the trace, in its causes and in the documents', async () => {
  const folder = await asked()
  const { out } = await reflex([...ANSWER, '--json'], { folder })
  expect(JSON.parse(out)).toMatchObject({ answered: { by: 'ben', reason: 'the parcel never arrived' } })
  expect((await reflex(['trace', 'otter'], { folder, columns: 120 })).screen).toContain('ben: Approve, because the parcel never arrived')
  const trace = JSON.parse((await reflex(['trace', 'otter', '--json'], { folder })).out) as { lines: { mark: string; facts?: object }[] }
  expect(trace.lines.find(({ mark }) => mark === 'answer')?.facts).toMatchObject({
    answer: 'YES',
    by: 'ben',
    reason: 'the parcel never arrived',
  })
  const records = (await reflex(['trace', 'otter', '--jsonl'], { folder })).out
  expect(records).toContain('"value":"YES","by":"ben","reason":"the parcel never arrived"')
  expect((await reflex(['why', 'otter', '@12'], { folder, columns: 120 })).screen).toContain('“the parcel never arrived”')
  expect((await reflex(['replay', 'otter'], { folder })).code).toBe(0)
})

test('the reason of an answer that waits in the inbox is kept, shown, and recorded with it', async () => {
  const folder = await asked()
  expect((await reflex([...ANSWER, '--no-run'], { folder })).code).toBe(0)
  expect(JSON.parse((await reflex(['show', 'otter', '--json'], { folder })).out)).toMatchObject({
    inbox: [{ type: 'answer', value: 'YES', by: 'ben', reason: 'the parcel never arrived' }],
  })
  expect((await reflex(['show', 'otter'], { folder, columns: 120 })).screen).toContain('the parcel never arrived')
  expect((await reflex(['resume', 'otter'], { folder })).code).toBe(0)
  expect((await reflex(['trace', 'otter', '--jsonl'], { folder })).out).toContain('"by":"ben","reason":"the parcel never arrived"')
})

test('an archive has the reasons of its records and of the answers that wait', async () => {
  const [here, there] = [await asked(), workFolder()]
  await reflex([...ANSWER, '--no-run'], { folder: here })
  const { out } = await reflex(['export', 'otter'], { folder: here })
  const archive = `${there}/otter.jsonl`
  writeFileSync(archive, out)
  expect((await reflex(['import', archive], { folder: there })).code).toBe(0)
  expect((await reflex(['resume', 'otter'], { folder: there })).code).toBe(0)
  const again = `${there}/again.jsonl`
  writeFileSync(again, (await reflex(['export', 'otter'], { folder: there })).out)
  expect((await reflex(['import', again, '--id', 'lark'], { folder: there })).code).toBe(0)
  expect((await reflex(['trace', 'lark', '--jsonl'], { folder: there })).out).toContain('"reason":"the parcel never arrived"')
})

test('a reason that is too long is refused, and the question stays open', async () => {
  const folder = await asked()
  const long = ['answer', 'otter', 'YES', '--reason', 'x'.repeat(10_001)]
  for (const words of [long, [...long, '--no-run']]) {
    const { code, err } = await reflex(words, { folder })
    expect([code, err]).toEqual([2, expect.stringContaining('a reason has at most 10000 characters')])
  }
  expect((await reflex(['inbox'], { folder })).out).toContain('otter-2m9q/q1')
})
