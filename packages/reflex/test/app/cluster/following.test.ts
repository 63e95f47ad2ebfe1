import { expect, test } from 'vitest'
import type { Json } from '../../../src/kernel/index.ts'
import { clusterPlace } from './places.ts'

test('a run is started by one process, carried on by a worker, and followed by the first', async () => {
  const { process, worker, until, fake, asks } = clusterPlace()
  const starter = process('starter')
  await worker('one')
  const lines: string[] = []
  const handle = await starter.start(asks, { id: 'otter', prepare: (made) => void made.onLine(({ event }) => lines.push(event.mark)) })
  expect(handle.isFollowed).toBe(true)
  expect(starter.runtime.openRuns.size).toBe(0)
  await until(handle.idle())
  expect(handle.status).toBe('suspended')
  const [question] = handle.questions
  expect(question).toMatchObject({ id: 'otter/q1', path: 'gate' })
  if (question === undefined) throw new Error('no question')
  const record = await until(handle.answer(question, question.question.options?.[0]?.value ?? 'yes', 'ben'))
  await until(handle.idle())
  expect(handle.status).toBe('completed')
  const journal: Json[] = []
  for (const { input } of await starter.runtime.journal('otter')) journal.push((input ?? null) as unknown as Json)
  expect(journal[record - 1]).toMatchObject(['answer', expect.anything(), expect.anything(), 'ben'])
  expect(lines).toContain('ask')
  expect(lines).toContain('answer')
  expect(new Set(fake.turns.map(([, by, { did }]) => `${by} ${did}`))).toEqual(new Set(['one rested']))
})
