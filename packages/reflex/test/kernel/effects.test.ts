import { describe, expect, it } from 'vitest'
import { faults } from '../../src/kernel/journal/faults.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Call, Port } from '../../src/kernel/ports/port.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Batch, Store } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { codeOf, containing, Doors, failure, kindOf, type Step, worldOf } from './world.ts'

/** Asks for the effects of its source, one after another, and returns what came of them. */
const asks: Step = (x, input) => {
  const all = x.def as string[]
  const met = (x.get('met') ?? []) as Json[]
  if (input !== undefined) x.set('met', [...met, [input[0], input[2] ?? null]])
  if (input?.[0] === 'part' || input?.[0] === 'again') return
  const next = input === undefined ? 0 : met.length + 1
  if (all[next] === undefined) return x.done(x.get('met') ?? [])
  x.request(all[next], [next])
}
const kinds = [kindOf('asks', asks)]
const door = (perform: Port['perform'], facts: Partial<Port> = {}): Port => ({ leaves: false, repeat: 'free', ...facts, perform })

/** A store that may refuse to write, or take its time. */
function brittle(): { store: Store; fail: boolean; slow: (() => void)[] | undefined; commits: Batch[][] } {
  const store = memoryStore()
  const commit = store.commit.bind(store)
  const control = { store, fail: false, slow: undefined as (() => void)[] | undefined, commits: [] as Batch[][] }
  store.commit = (batches) => {
    if (control.fail) throw new Error('the disk is full')
    control.commits.push([...batches])
    const { slow } = control
    return slow === undefined ? commit(batches) : new Promise((resolve) => void slow.push(() => resolve(commit(batches))))
  }
  return control
}

describe('what comes of an effect', () => {
  it('is a record, also if the port throws, refuses the result, is missing, or the policy says no', async () => {
    const world = worldOf(kinds, {
      ports: {
        fine: door(async () => ({ a: 1 })),
        now: door(() => 'at once'),
        // oxlint-disable-next-line unicorn/no-thenable -- some clients answer with their own kind of promise
        later: door(() => ({ then: (settle: (value: string) => void) => settle('a thenable') })),
        nothing: door(() => undefined),
        throws: door(() => {
          throw new Error('no luck')
        }),
        rejects: door(async () => {
          throw faults.make('R3001', 'its own fault')
        }),
        dates: door(async () => new Date(0)),
        picky: door(async () => 3, {
          accept: (raw) => {
            throw new Error(`${String(raw)} is wrong`)
          },
        }),
        clumsy: door(
          async () => {
            throw new Error('first')
          },
          {
            reject: () => {
              throw new Error('second')
            },
          },
        ),
        unsure: door(async () => 1, {
          traits: () => {
            throw new Error('no traits')
          },
        }),
        denied: door(async () => 1, { traits: () => ({ leaves: true, repeat: 'ask', needs: ['gold'] }) }),
      },
      policy: {
        judge: (call, { needs }) =>
          needs === undefined ? { allowed: true } : { refused: faults.make('R3001', `${call.port} needs ${needs.join()}`) },
      },
    })
    const run = await world.start('asks', {
      source: ['fine', 'now', 'later', 'nothing', 'throws', 'rejects', 'dates', 'picky', 'clumsy', 'unsure', 'denied', 'missing'],
    })
    await run.idle()
    const met = run.state.ended?.value as readonly (readonly [string, Json])[]
    expect(met.slice(0, 4)).toEqual([
      ['ok', { a: 1 }],
      ['ok', 'at once'],
      ['ok', 'a thenable'],
      ['ok', null],
    ])
    expect(met.slice(4).map(([how, fault]) => [how, (fault as { code: string }).code])).toEqual([
      ['err', 'R2012'],
      ['err', 'R3001'],
      ['err', 'R2004'],
      ['err', 'R2012'],
      ['err', 'R2012'],
      ['err', 'R2012'],
      ['err', 'R3001'],
      ['err', 'R2013'],
    ])
    expect(met[4]?.[1]).toMatchObject({ message: 'throws failed: no luck', cause: 'no luck', verdict: 'fail' })
    expect(met[8]?.[1]).toMatchObject({ message: 'clumsy failed: second' })
  })

  it('is nothing once it has been dropped', async () => {
    const doors = new Doors()
    const races: Step = (x, input) => {
      if (input === undefined) {
        x.request('slow', 1)
        x.request('slow', 2)
      } else if (input[0] === 'part') x.note({ heard: input[2] })
      else {
        x.drop(...x.pendingEffects().map(({ id }) => id))
        x.wait('answer', 'end')
        x.set('won', input[2])
      }
    }
    const world = worldOf([kindOf('races', races)], { ports: { slow: doors.port() } })
    const run = await world.start('races')
    await world.host.drain()
    const [first, second] = doors.open
    first?.part('so far')
    second?.settle('second')
    await run.idle()
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false])
    const { n } = run.state
    first?.settle('late')
    first?.part('later')
    first?.fail(new Error('latest'))
    await world.host.drain()
    expect([run.state.n, run.state.root.reader().get('won')]).toEqual([n, 'second'])
  })

  it('is noted in the journal if it has left the machine and was dropped', async () => {
    const doors = new Doors()
    const drops: Step = (x, input) => {
      if (input === undefined) {
        x.request('mail', 'a')
        x.request('mail', 'b')
        x.wait('answer', 'enough?')
      } else if (input[0] === 'answer') {
        x.drop(...x.pendingEffects().map(({ id }) => id))
        x.wait('answer', 'end')
      } else if (input[0] !== 'kernel') x.set('heard', input[0])
    }
    const mail: Port = { ...doors.port(true, 'keyed'), used: () => ({ tokens: 7 }) }
    const world = worldOf([kindOf('drops', drops)], { ports: { mail } })
    const run = await world.start('drops', { id: 'otter' })
    await world.host.drain()
    await run.answer([...run.state.waits.keys()][0] ?? '', 'yes')
    doors.door(0).settle({ sent: 'a' })
    doors.door(1).fail(new Error('aborted'))
    await world.host.drain()
    await run.idle()
    const { records } = await world.runtime.history('otter')
    expect(records.at(-1)?.input).toEqual(['kernel', 'late', { effect: 2, port: 'mail', result: { sent: 'a' }, used: { tokens: 7 } }])
    expect([run.status, run.state.root.reader().get('heard'), run.state.meter.run.tokens]).toEqual(['suspended', undefined, 7])
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('has a key of its own, or the one that its request reuses', async () => {
    const doors = new Doors()
    const retries: Step = (x, input) =>
      input === undefined ? void x.request('pay', [1]) : input[0] === 'err' ? void x.request('pay', [1], 'run-a:2') : x.done()
    const world = worldOf([kindOf('retries', retries)], { ports: { pay: doors.port(true, 'keyed') } })
    const run = await world.start('retries', { id: 'run-a' })
    await world.host.drain()
    doors.door().fail(new Error('timed out'))
    await world.host.drain()
    doors.door().settle('paid')
    await run.idle()
    expect(doors.open.map(({ key }) => key)).toEqual(['run-a:2', 'run-a:2'])
  })
})

describe('a kind that throws', () => {
  it('fails its frame with R9001, and the run of the kernel goes on', async () => {
    const run = await worldOf([
      kindOf('bad', () => {
        throw new TypeError('oops')
      }),
    ]).start('bad')
    await run.idle()
    expect(failure(run)).toMatchObject({ code: 'R9001', message: 'a step threw: oops' })
    expect(run.state.ended?.value).toMatchObject({ run: run.id, verdict: 'bug' })
  })

  it('fails with whatever it throws, also what no record can hold', async () => {
    const strange: unknown[] = [
      'text',
      { code: 1, message: () => 'x' },
      {
        toString() {
          throw new Error('no')
        },
      },
      faults.make('R2012', 'mine', { data: { bad: Number.NaN } }),
      undefined,
    ]
    for (const thrown of strange) {
      const run = await worldOf([
        kindOf('bad', () => {
          throw thrown
        }),
      ]).start('bad')
      await run.idle()
      expect(['R9001', 'R2012']).toContain(failure(run).code)
    }
  })

  it('fails the caller with it, as its return', async () => {
    const caller: Step = (x, input) =>
      input === undefined ? void x.call('bad:bad') : x.done([input[2] as Json, (input[3] as { code?: string }).code ?? null])
    const world = worldOf([
      kindOf('caller', caller),
      kindOf('bad', () => {
        throw new Error('x')
      }),
    ])
    world.runtime.programs.add('bad', 'bad', {})
    const run = await world.start('caller')
    await run.idle()
    expect(run.state.ended?.value).toEqual(['failed', 'R9001'])
  })

  it('that calls twice, or calls what is not there, is told so', async () => {
    const twice = await worldOf([
      kindOf('twice', (x) => {
        x.call('twice:main')
        x.call('twice:main')
      }),
    ]).start('twice')
    await twice.idle()
    expect(failure(twice).code).toBe('R9001')
    const lost = await worldOf([
      kindOf('lost', (x) => {
        x.call('no:where')
      }),
    ]).start('lost')
    await lost.idle()
    expect(failure(lost)).toMatchObject({ code: 'R2010', message: 'lost:main calls no:where, which is not registered' })
  })

  it('and one that forgets to return stalls, and fails with R2003', async () => {
    const run = await worldOf([kindOf('forgets', () => {})]).start('forgets')
    await run.idle()
    expect(failure(run).code).toBe('R2003')
  })
})

describe('an effect found in flight after a crash', () => {
  async function crashed(port: (doors: Doors) => Port, before?: (doors: Doors) => void) {
    const doors = new Doors()
    const ports = { out: port(doors) }
    const world = worldOf(kinds, { ports })
    const run = await world.start('asks', { source: ['out'] })
    await world.host.drain()
    before?.(doors)
    await world.host.advance(100)
    const next = worldOf(kinds, { ports, store: world.store })
    const again = await next.runtime.resume(run.id)
    await next.host.drain()
    return { doors, again, host: next.host }
  }

  it('is performed again if that is free, after the frame has been told to forget its progress', async () => {
    const { doors, again } = await crashed(
      (d) => d.port(),
      (d) => d.door().part('some'),
    )
    expect(doors.open).toHaveLength(2)
    doors.door().settle('whole')
    await again.idle()
    expect(again.state.root.reader().get('met')).toEqual([
      ['part', 'some'],
      ['again', null],
      ['ok', 'whole'],
    ])
  })

  it('is performed again under the same key', async () => {
    const { doors, again } = await crashed((d) => d.port(true, 'keyed'))
    expect(new Set(doors.open.map(({ key }) => key)).size).toBe(1)
    doors.door().settle('once')
    await again.idle()
    expect(again.state.ended?.value).toEqual([['ok', 'once']])
  })

  const answers: readonly [Json, Json][] = [
    ['happened', ['ok', null]],
    [{ outcome: 'happened', value: { paid: 3 } }, ['ok', { paid: 3 }]],
    ['failed', ['err', 'R2012']],
    [{ outcome: 'failed', value: 'declined' }, ['err', 'R2012']],
  ]
  it.each(answers)('is asked about: %j', async (answer, expected) => {
    const { doors, again } = await crashed((d) => d.port(true, 'ask'))
    await again.idle()
    const [wait] = again.state.waits.values()
    expect(wait).toMatchObject({ type: 'answer', name: 'outcome', number: 1, about: { about: { effect: 2, port: 'out', args: [0] } } })
    expect(again.status).toBe('suspended')
    await again.answer(wait?.id ?? '', answer)
    await again.idle()
    const met = again.state.ended?.value as readonly (readonly [string, Json])[] | undefined
    const [got, settled = null] = met?.[0] ?? []
    expect([got, got === 'err' ? (settled as { code: string }).code : settled]).toEqual(expected)
    expect(doors.open).toHaveLength(1)
  })

  it('is performed again once a person has said so, durably', async () => {
    const { doors, again, host } = await crashed((d) => d.port(true, 'ask'))
    await again.idle()
    expect(await again.answer('3w', 'repeat')).toBe(4)
    await host.drain()
    expect(doors.open).toHaveLength(2)
    doors.door().settle('done')
    await again.idle()
    expect(again.state.ended?.value).toEqual([['ok', 'done']])
  })

  it('is not shown to the kind as a wait of its own, and the question leaves with the effect', async () => {
    const doors = new Doors()
    const seen: number[] = []
    const drops: Step = (x, input) => {
      seen.push(x.waits().length)
      if (input === undefined) x.request('out')
      else {
        x.drop(...x.pendingEffects().map(({ id }) => id))
        x.wait('answer', 'mine')
      }
    }
    const ports = { out: doors.port(true, 'ask') }
    const world = worldOf([kindOf('drops', drops)], { ports })
    const run = await world.start('drops')
    await world.host.drain()
    const next = worldOf([kindOf('drops', drops)], { ports, store: world.store })
    const again = await next.runtime.resume(run.id)
    await again.idle()
    await again.command(0, 'drop it')
    expect(seen).toEqual([0, 0])
    expect([...again.state.waits.values()].map(({ name }) => name)).toEqual(['mine'])
    expect(await codeOf(again.answer('3w', 'happened'))).toBe('R2002')
  })
})

describe('the gate', () => {
  const leaving: readonly [string, Partial<Port>][] = [
    ['leaves', { leaves: true, repeat: 'free' }],
    ['is keyed', { leaves: false, repeat: 'keyed' }],
    ['may not be repeated', { leaves: false, repeat: 'ask' }],
  ]
  it.each(leaving)('holds an effect that %s until every earlier record is durable', async (_, facts) => {
    const control = brittle()
    control.slow = []
    const performed: Call[] = []
    const world = worldOf(kinds, { store: control.store, ports: { out: door((call) => void performed.push(call), facts) } })
    const run = await world.start('asks', { source: ['out'] })
    await world.host.drain()
    expect([performed.length, run.durable, run.state.n]).toEqual([0, 0, 2])
    control.slow.shift()?.()
    await world.host.drain()
    expect([performed.length, run.durable]).toEqual([1, 2])
  })

  it('lets reads go ahead of the disk', async () => {
    const control = brittle()
    control.slow = []
    let performed = 0
    const world = worldOf(kinds, { store: control.store, ports: { read: door(() => ++performed) } })
    await world.start('asks', { source: ['read', 'read'] })
    await world.host.drain()
    expect(performed).toBe(2)
  })

  it('does not open for what has been dropped meanwhile', async () => {
    const control = brittle()
    control.slow = []
    let performed = 0
    const world = worldOf(kinds, { store: control.store, ports: { out: door(() => ++performed, { leaves: true }) } })
    const run = await world.start('asks', { source: ['out'] })
    const told = run.cancel()
    await world.host.drain()
    for (let slow = control.slow.shift(); slow !== undefined; slow = control.slow.shift()) {
      slow()
      await world.host.drain()
    }
    await told
    expect(performed).toBe(0)
  })
})

describe('a store that fails', () => {
  it('stops the run with R5005; nothing that leaves is performed; it can be resumed', async () => {
    const control = brittle()
    const doors = new Doors()
    const ports = { read: door(() => 'read'), out: doors.port(true, 'keyed') }
    const world = worldOf(kinds, { store: control.store, ports })
    const run = await world.start('asks', { source: ['out', 'out'] })
    await world.host.drain()
    control.fail = true
    doors.door().settle('first')
    await expect(run.idle()).rejects.toMatchObject({ code: 'R5005', message: containing('the disk is full') })
    expect(await codeOf(run.cancel())).toBe('R5005')
    expect(doors.open).toHaveLength(1)
    control.fail = false
    const again = await world.runtime.resume(run.id)
    await world.host.drain()
    expect(doors.open.map(({ key }) => key)).toEqual([`${run.id}:2`, `${run.id}:2`])
    doors.door().settle('first')
    await world.host.drain()
    doors.door().settle('second')
    await again.idle()
    expect(again.state.ended?.value).toEqual([
      ['ok', 'first'],
      ['ok', 'second'],
    ])
  })

  it('rejects what was told and not yet durable', async () => {
    const control = brittle()
    const waiting: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done())
    const world = worldOf([kindOf('waiting', waiting)], { store: control.store })
    const run = await world.start('waiting')
    await run.idle()
    control.fail = true
    expect(await codeOf(run.answer('2w', 1))).toBe('R5005')
  })
})

describe('a lost lease', () => {
  it('stops the run with R5002, and nothing of what it did gets out', async () => {
    const doors = new Doors()
    const ports = { read: doors.port(), out: doors.port(true, 'keyed') }
    const world = worldOf(kinds, { ports })
    const run = await world.start('asks', { source: ['read', 'out'] })
    await world.host.advance(100)
    const thief = worldOf(kinds, { ports, store: world.store })
    const taken = await thief.runtime.resume(run.id)
    const [zombie] = doors.open
    zombie?.settle('too late')
    await expect(run.idle()).rejects.toMatchObject({ code: 'R5002' })
    expect(doors.open).toHaveLength(2)
    doors.door().settle('in time')
    await thief.host.drain()
    doors.door().settle('out')
    await taken.idle()
    expect(taken.state.ended?.value).toEqual([
      ['ok', 'in time'],
      ['ok', 'out'],
    ])
  })
})
