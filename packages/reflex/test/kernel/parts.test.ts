import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinDeltas } from '../../src/kernel/journal/deltas.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import { redactTexts } from '../../src/kernel/journal/redact.ts'
import type { Call, Port } from '../../src/kernel/ports/port.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { kindOf, type Step, type World, worldOf } from './world.ts'

/** Asks once; ends with the result. */
const asks: Step = (x, input) => {
  if (input === undefined) x.request('slow')
  else if (input[0] === 'ok' || input[0] === 'err') x.done(input[0])
}

/** Asks twice; the first part drops the effect that it is about. */
const drops: Step = (x, input) => {
  if (input === undefined) x.request('slow')
  else if (input[0] === 'part') {
    x.drop(input[1])
    x.wait('answer', 'end')
  }
}

async function perform(act: (call: Call, world: World) => unknown, step = asks, options: Parameters<typeof worldOf>[1] = {}) {
  const calls: Call[] = []
  const slow: Port = {
    leaves: false,
    repeat: 'free',
    perform: async (call) => {
      calls.push(call)
      return act(call, world)
    },
  }
  const world = worldOf([kindOf('asks', step)], { ...options, ports: { slow } })
  const run = await world.start('asks', { id: 'run-a' })
  const at: [ms: number, delta: Json][] = []
  const began = world.host.now()
  run.observe(({ record: { input } }) => void (input?.[0] === 'part' && at.push([world.host.now() - began, input[2]])))
  return { world, run, at, calls }
}

async function inputs(world: World, run: Run): Promise<(string | undefined)[]> {
  const { records } = await world.runtime.history(run.id)
  return records.map(({ input }) => input?.[0])
}

describe('progress of an effect', () => {
  it('is recorded at once, then ten times per second, with all that came between', async () => {
    const { run, at } = await perform(async (call, { host }) => {
      await host.advance(0)
      for (let i = 0; i < 300; i++) {
        call.part({ text: `${i} `, calls: [i], done: i })
        await host.advance(10)
      }
      return 'all'
    })
    await run.idle()
    expect(at.map(([ms]) => ms)).toEqual(Array.from({ length: 31 }, (_, i) => i * 100))
    expect(at[0]?.[1]).toEqual({ text: '0 ', calls: [0], done: 0 })
    expect(at[1]?.[1]).toEqual({ text: '1 2 3 4 5 6 7 8 9 ', calls: [1, 2, 3, 4, 5, 6, 7, 8, 9], done: 9 })
    expect(at.map(([, delta]) => (delta as { text: string }).text).join('')).toBe(Array.from({ length: 300 }, (_, i) => `${i} `).join(''))
  })

  it('that is not recorded yet comes before the result, and nothing comes after it', async () => {
    const { world, run, at, calls } = await perform(async (call, { host }) => {
      await host.advance(0)
      for (const text of ['a', 'b', 'c']) call.part(text)
      return 'all'
    })
    await run.idle()
    calls[0]?.part('late')
    await world.host.advance(1_000)
    expect(at.map(([, delta]) => delta)).toEqual(['a', 'bc'])
    expect(await inputs(world, run)).toEqual(['kernel', undefined, 'part', 'part', 'ok'])
  })

  it('comes before the failure of the effect', async () => {
    const { world, run, at } = await perform(async (call, { host }) => {
      await host.advance(0)
      for (const text of ['a', 'b', 'c']) call.part(text)
      throw new Error('broken')
    })
    await run.idle()
    expect(at.map(([, delta]) => delta)).toEqual(['a', 'bc'])
    expect((await inputs(world, run)).at(-1)).toBe('err')
  })

  it('is recorded before the run is cancelled or left', async () => {
    for (const end of ['cancel', 'leave'] as const) {
      const { world, run, at } = await perform(async (call, { host }) => {
        await host.advance(0)
        for (const text of ['a', 'b', 'c']) call.part(text)
        await new Promise(() => undefined)
      })
      await world.host.drain()
      if (end === 'cancel') await run.cancel()
      else await run.leave()
      expect(at.map(([, delta]) => delta)).toEqual(['a', 'bc'])
      expect((await inputs(world, run)).slice(2)).toEqual(end === 'cancel' ? ['part', 'kernel', 'part', 'cancel'] : ['part', 'part'])
    }
  })

  it('of an effect that is dropped is dropped with it', async () => {
    const { world, run, at, calls } = await perform(async (call, { host }) => {
      await host.advance(0)
      for (const text of ['a', 'b', 'c']) call.part(text)
      return 'all'
    }, drops)
    await run.idle()
    await world.host.advance(1_000)
    expect([calls[0]?.signal.aborted, run.status, at]).toEqual([true, 'suspended', [[0, 'a']]])
  })

  it('may drop the effect with its last part', async () => {
    const second: Step = (x, input) => {
      if (input?.[0] !== 'part') return asks(x, input)
      if (input[2] === 'bc') drops(x, input)
    }
    const { run } = await perform(async (call, { host }) => {
      await host.advance(0)
      for (const text of ['a', 'b', 'c']) call.part(text)
      return 'all'
    }, second)
    await run.idle()
    expect([run.status, run.atRest]).toEqual(['suspended', true])
  })

  it('that begins again replaces what is not recorded yet', async () => {
    const { run, at } = await perform(async (call, { host }) => {
      await host.advance(0)
      call.part({ text: 'a' })
      call.part({ text: 'b' })
      call.part({ restart: 2 }, true)
      call.part({ text: 'c' })
      return 'all'
    })
    await run.idle()
    expect(at.map(([, delta]) => delta)).toEqual([{ text: 'a' }, { restart: 2, text: 'c' }])
  })

  it('does not record the start of a secret, also while the run is cancelled and the program keeps the effect', async () => {
    const redact = redactTexts(
      (text) => text.replaceAll('secret', '***'),
      () => {
        let held = ''
        return {
          take(more) {
            const text = (held + more).replaceAll('secret', '***')
            held = /(s|se|sec|secr|secre)$/.exec(text)?.[0] ?? ''
            return text.slice(0, text.length - held.length)
          },
          end: () => held,
        }
      },
    )
    const stays: Step = (x, input) => {
      if (input?.[0] !== 'cancel') asks(x, input)
    }
    let proceed = (): void => undefined
    const world = worldOf([kindOf('stays', stays, { cancels: true })], {
      redact,
      ports: {
        slow: {
          leaves: false,
          repeat: 'free',
          perform: async (call) => {
            for (const text of ['a', 'b sec']) call.part(text)
            await new Promise<void>((resolve) => (proceed = resolve))
            call.part('ret c')
          },
        },
      },
    })
    const run = await world.start('stays', { id: 'run-a' })
    await world.host.drain()
    await run.cancel()
    proceed()
    await run.idle()
    const { records } = await world.runtime.history('run-a')
    expect(records.flatMap(({ input }) => (input?.[0] === 'part' ? [input[2]] : []))).toEqual(['a', 'b ', '*** c'])
  })
})

describe('deltas that are joined', () => {
  it.each<[Json[], Json | undefined]>([
    [[], undefined],
    [['a', 'b'], 'ab'],
    [[1, 2], 2],
    [
      [['a'], ['b', 'c']],
      ['a', 'b', 'c'],
    ],
    [[{ text: 'a' }, { reasoning: 'x', done: 1 }, { text: 'b', done: 2 }], { text: 'ab', reasoning: 'x', done: 2 }],
    [[{ a: { b: 'c' } }, { a: { d: 'e' } }], { a: { d: 'e' } }],
    [[{ a: 'b' }, null, 'c', 'd'], 'cd'],
    [[{ a: 1 }, { a: 'b' }, { a: 'c' }], { a: 'bc' }],
  ])('%j are %j', (deltas, joined) => expect(joinDeltas(deltas)).toEqual(joined))

  it('are the same however they are divided', () => {
    const list = fc.array(fc.nat(1), { maxLength: 2 })
    const deltas = fc.oneof(
      fc.array(fc.string({ maxLength: 2 })),
      fc.array(list),
      fc.array(fc.record({ text: fc.string({ maxLength: 2 }), list, done: fc.nat(), ['__proto__']: fc.string() }, { requiredKeys: [] })),
    )
    fc.assert(
      fc.property(deltas, fc.nat(), (all: readonly Json[], cut) => {
        const at = all.length === 0 ? 0 : cut % all.length
        const halves = [joinDeltas(all.slice(0, at)), joinDeltas(all.slice(at))].filter((half) => half !== undefined)
        expect(joinDeltas(halves)).toEqual(joinDeltas(all))
      }),
    )
  })
})
