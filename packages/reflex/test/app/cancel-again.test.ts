import { expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { PLACES } from './workers.ts'

test.each(PLACES)('the way on from a cancelled run leads to before its cancellation, %s', async (_, place) => {
  const here = place().live(virtualHost())
  await here.reflex.run(here.program('waits', { questions: ['approve'] }), { id: 'otter' })
  const { record = 0, handle } = await here.reflex.cancel('otter')
  await handle?.idle()
  const way = { fix: `reflex fork otter@${record - 1}` }
  await expect(here.reflex.resume('otter')).rejects.toMatchObject({ code: 'R2001', ...way })
  await expect(here.reflex.fork('otter')).rejects.toMatchObject({ code: 'R2061', ...way })
  const { id } = await here.reflex.fork(`otter@${record - 1}`)
  expect((await here.reflex.resume(id)).questions.map(({ name }) => name)).toEqual(['approve'])
})

test.each(PLACES)('cancelled twice at once, and answered at the same time, it ends once, %s', async (_, place) => {
  const [host, scene] = [virtualHost(), place()]
  const first = scene.live(host)
  await first.reflex.run(first.program('waits', { questions: ['approve', 'sign'], many: 2 }), { id: 'otter' })
  await first.reflex.close()
  const here = scene.live(host)
  here.program('waits', { questions: ['approve', 'sign'], many: 2 })
  const [one, other, answer] = await Promise.allSettled([
    here.reflex.cancel('otter', { by: 'ana' }),
    here.reflex.cancel('otter', { by: 'ben' }),
    here.reflex.answer('otter/q1', 'yes'),
  ])
  await here.reflex.runtime.openRuns.get('otter')?.idle()
  const row = await here.reflex.find('otter')
  expect({ status: row.status, told: [one, other].filter(({ status }) => status === 'fulfilled').length }).toMatchObject({
    status: 'cancelled',
  })
  for (const { status, reason } of [one, other, answer] as { status: string; reason?: { code?: string } }[])
    expect(status === 'fulfilled' || ['R2001', 'R2002', 'R2020'].includes(reason?.code ?? '')).toBe(true)
  expect(await here.reflex.replay('otter')).toMatchObject({ result: 'equal' })
})
