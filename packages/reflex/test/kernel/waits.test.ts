import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import { codeOf, containing, kindOf, type Step, worldOf } from './world.ts'

/** Opens the waits of its source, and collects what meets them until it has met as many. */
const collects: Step = (x, input) => {
  const wanted = x.def as { topics?: string[]; questions?: string[]; times?: number[]; many: number }
  if (input === undefined) {
    for (const topic of wanted.topics ?? []) x.wait('message', topic)
    for (const question of wanted.questions ?? []) x.wait('answer', question)
    for (const time of wanted.times ?? []) x.timer(time, `in ${time}`)
    return
  }
  const met = [...((x.get('met') ?? []) as Json[]), [input[0], input[1] ?? null, input[2] ?? null]]
  x.set('met', met)
  if (met.length >= wanted.many) return x.done(met)
  for (const topic of wanted.topics ?? []) if (input[0] === 'message') x.wait('message', topic)
}

const kinds = [kindOf('collects', collects)]

describe('answers', () => {
  it('meet the question that they name, also one of several', async () => {
    const { start } = worldOf(kinds)
    const run = await start('collects', { source: { questions: ['a', 'b'], many: 2 } })
    await run.idle()
    expect(run.status).toBe('suspended')
    expect([...run.state.waits.values()].map(({ id, number }) => [id, number])).toEqual([
      ['2w', 1],
      ['2w1', 2],
    ])
    expect(await run.answer('2w1', { yes: true }, 'ann')).toBe(3)
    await run.answer('2w', 'no')
    expect(run.state.ended?.value).toEqual([
      ['answer', '2w1', { yes: true }],
      ['answer', '2w', 'no'],
    ])
  })

  it('to a closed question are refused with the record that closed it', async () => {
    const { start } = worldOf(kinds)
    const run = await start('collects', { source: { questions: ['a', 'b'], many: 2 } })
    await run.idle()
    await run.answer('2w', 1)
    await expect(run.answer('2w', 2)).rejects.toMatchObject({
      code: 'R2002',
      message: containing('record 3 closed it'),
      data: { closed: 3 },
    })
    expect(await codeOf(run.answer('9w', 2))).toBe('R2002')
    await run.answer('2w1', 3)
    expect(await codeOf(run.answer('2w1', 4))).toBe('R2001')
  })

  it('to an answered question are refused, with the first answer and its author', async () => {
    const { start } = worldOf(kinds)
    const run = await start('collects', { source: { questions: ['a', 'b'], many: 2 } })
    await run.idle()
    await run.answer('2w', 'yes', 'ana')
    await expect(run.answer('2w', 'no', 'ben')).rejects.toMatchObject({
      message: containing('ana was first, with yes; record 3 closed it'),
    })
  })

  it('of two at once, one is taken', async () => {
    const { start } = worldOf(kinds)
    const run = await start('collects', { source: { questions: ['a', 'b'], many: 2 } })
    await run.idle()
    const both = await Promise.allSettled([run.answer('2w', 'first'), run.answer('2w', 'second')])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('are refused where they are not JSON', async () => {
    const { start } = worldOf(kinds)
    const run = await start('collects', { source: { questions: ['a'], many: 1 } })
    await run.idle()
    expect(() => run.answer('2w', new Date())).toThrow(/answer is a Date/)
  })

  it('come through the inbox of the store from a process that holds nothing', async () => {
    const { start, store } = worldOf(kinds)
    const run = await start('collects', { source: { questions: ['a', 'b'], many: 2 } })
    await run.idle()
    await store.post(run.id, { id: 'x1', type: 'answer', to: '2w', body: 'from afar', by: 'bea', at: 0 })
    await run.pull()
    await run.idle()
    await store.post(run.id, { id: 'x2', type: 'answer', to: '2w', body: 'too late', at: 0 })
    await run.pull()
    await run.idle()
    expect(run.state.root.reader().get('met')).toEqual([['answer', '2w', 'from afar']])
    expect(await store.inbox(run.id)).toEqual([])
    const { records } = await worldOf(kinds, { store }).runtime.history(run.id)
    expect(records.at(-1)?.input).toMatchObject([
      'kernel',
      'refused',
      { id: 'x2', to: '2w', fault: { code: 'R2002', data: { closed: 3 } } },
    ])
  })
})

describe('messages', () => {
  it('wait in the inbox until something waits for them, in order, each id once', async () => {
    const { start, store } = worldOf(kinds)
    const run = await start('collects', { source: { topics: ['t'], many: 3 } })
    expect(await run.message('t', 1, { id: 'm1' })).toBe(true)
    expect(await run.message('other', 'nobody waits', { id: 'm2' })).toBe(true)
    expect(await run.message('t', 'again', { id: 'm1' })).toBe(false)
    await Promise.all([run.message('t', 2, { id: 'm3' }), run.message('t', 3, { id: 'm4' })])
    await run.idle()
    expect(run.state.ended?.value).toEqual([
      ['message', '2w', 1],
      ['message', '3w', 2],
      ['message', '4w', 3],
    ])
    expect((await store.inbox(run.id)).map(({ id }) => id)).toEqual(['m2'])
  })

  it('that came before the wait are taken when it opens, also by a strand', async () => {
    const strand: Step = (x, input) => {
      if (input?.[0] === 'message') return x.done(input[2])
      if (input?.[0] === 'end') return x.done(x.strandResult(input[1])?.value)
      if (x.args === 'strand') return void x.wait('message', 't')
      if (input === undefined) x.wait('answer', 'go on')
      else x.spawn(null, { args: 'strand' })
    }
    const { start } = worldOf([kindOf('strand', strand)])
    const run = await start('strand')
    await run.message('t', 'early')
    await run.idle()
    expect(run.state.ended).toBeUndefined()
    await run.answer('2w', null)
    await run.idle()
    expect(run.state.ended?.value).toBe('early')
  })

  it('are buffered without a store too', async () => {
    const { start } = worldOf(kinds, { store: 'none' })
    const run = await start('collects', { source: { topics: ['t'], many: 2 } })
    await Promise.all([run.message('t', 1, { id: 'a' }), run.message('t', 2, { id: 'b' }), run.message('t', 2, { id: 'b' })])
    await run.idle()
    expect(run.state.ended?.value).toEqual([
      ['message', '2w', 1],
      ['message', '3w', 2],
    ])
  })

  it('outlive the process that buffered them', async () => {
    const world = worldOf(kinds)
    const run = await world.start('collects', { source: { topics: ['t'], questions: ['q'], many: 2 } })
    await run.idle()
    await world.store.post(run.id, { id: 'm1', type: 'message', to: 't', body: 'while nobody was there', at: 0 })
    await world.runtime.close()
    const next = worldOf(kinds, { store: world.store })
    const again = await next.runtime.resume(run.id)
    await again.idle()
    expect(again.state.root.reader().get('met')).toEqual([['message', '2w', 'while nobody was there']])
  })
})

describe('times', () => {
  it('are met in order, each at its own time or later, and none before', async () => {
    const { start, host } = worldOf(kinds)
    const run = await start('collects', { source: { times: [300, 100, 200.4], many: 3 } })
    await run.idle()
    const began = run.state.time
    await host.advance(99)
    expect(run.state.root.reader().has('met')).toBe(false)
    await host.advance(151)
    expect((run.state.root.reader().get('met') as Json[]).length).toBe(2)
    await host.advance(1_000)
    expect(run.state.ended?.value).toEqual([
      ['timer', '2w1', null],
      ['timer', '2w2', null],
      ['timer', '2w', null],
    ])
    expect(run.state.time - began).toBe(300)
  })

  it('that passed while nobody held the run are met when it is opened', async () => {
    const world = worldOf(kinds)
    const run = await world.start('collects', { source: { times: [1_000], many: 1 } })
    await run.idle()
    await world.runtime.close()
    const next = worldOf(kinds, { store: world.store, at: world.host.now() + 60_000 })
    const again = await next.runtime.resume(run.id)
    await next.host.advance(0)
    await again.idle()
    expect(again.state.ended?.status).toBe('done')
    expect(again.state.time).toBe(next.host.now())
  })

  it('leave nothing armed behind a run that has ended', async () => {
    const { start, host } = worldOf(kinds, { store: 'none' })
    const run = await start('collects', { source: { questions: ['a'], times: [86_400_000], many: 1 } })
    await run.idle()
    expect(host.nextDue).toBe(run.state.time + 86_400_000)
    await run.answer('2w', 1)
    await run.idle()
    expect(host.nextDue).toBeUndefined()
  })
})
