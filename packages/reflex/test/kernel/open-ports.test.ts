import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/kernel/journal/fault.ts'
import type { HowClosed, Port, PortRun } from '../../src/kernel/ports/port.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Kind } from '../../src/kernel/step/kind.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { RunFacts } from '../../src/kernel/ports/settings.ts'
import { memoryStore } from '../../src/store/index.ts'
import { kindSuite } from '../../src/testing/index.ts'
import { codeOf, Doors, failure, kindOf, type Step, worldOf } from './world.ts'

/** Requests the ports of its source in order, and fails with the first failure. */
const chain: Step = (x, input) => {
  const names = x.def as string[]
  const at = Number(x.get('at') ?? 0)
  if (input?.[0] === 'part') return
  if (input?.[0] === 'err') return x.fail(input[2] as never)
  if (input !== undefined) x.set(`e${at}`, input[0] === 'ok' ? input[2] : input[0])
  const name = names[at]
  if (name === undefined) return x.done()
  x.set('at', at + 1)
  if (name === 'ask') x.wait('answer', 'go on?')
  else x.request(name)
}

const opensChannel: Partial<Kind<Json>> = { ports: () => ['channel', 'absent'] }
const kinds = [
  kindOf('lazy', chain),
  kindOf('eager', chain, opensChannel),
  kindOf('caller', (x, input) => {
    if (input?.[0] === 'ret') x.done(input[3])
    else if (input === undefined) x.call('eager:main')
  }),
  kindOf('waiter', (x, input) => (input?.[0] === 'message' ? x.done(input[2]) : x.wait('message', 'event')), opensChannel),
]

/** A port that writes down what happens to it. */
class Channel {
  readonly log: string[] = []
  readonly runs: PortRun[] = []
  closing: Promise<void> | undefined
  #opened: (() => void) | undefined
  #refused: ((thrown: unknown) => void) | undefined

  port(how: 'at once' | 'later' | 'never' = 'at once', more: Partial<Port> = {}): Port {
    return {
      leaves: true,
      repeat: 'keyed',
      open: (run) => {
        this.runs.push(run)
        this.log.push(`open ${run.id}`)
        if (how === 'never') throw new Error('no such device')
        if (how === 'at once') return 'line 1'
        return new Promise((resolve, reject) => {
          ;[this.#opened, this.#refused] = [() => resolve('line 1'), reject]
        })
      },
      close: (run, why) => {
        this.log.push(`close ${run.id} ${why} ${String(run.session)}`)
        return this.closing
      },
      perform: ({ session, args }) => {
        this.log.push(`perform on ${String(session)}`)
        return args ?? null
      },
      ...more,
    }
  }

  ready(): void {
    this.#opened?.()
  }

  refuse(thrown: unknown): void {
    this.#refused?.(thrown)
  }
}

describe('a port that is opened with a run', () => {
  it('is open before its first effect, is opened once, and is closed when the end is durable', async () => {
    const channel = new Channel()
    const world = worldOf(kinds, { ports: { channel: channel.port() } })
    const run = await world.start('lazy', { id: 'otter', source: ['ask', 'channel', 'channel'] })
    await run.idle()
    expect(channel.log).toEqual([])
    await run.answer([...run.state.waits.keys()][0] ?? '', 1)
    await run.idle()
    expect(run.status).toBe('completed')
    expect(channel.log).toEqual(['open otter', 'perform on line 1', 'perform on line 1', 'close otter done line 1'])
    await world.runtime.close()
    expect(channel.log).toHaveLength(4)
  })

  it('keeps its effects back until it is open, and nothing else', async () => {
    const [channel, doors] = [new Channel(), new Doors()]
    const both = kindOf('both', (x, input) => {
      if (input === undefined) {
        x.request('channel')
        x.request('other')
      } else if (x.pendingEffects().length === 1) x.done()
    })
    const world = worldOf([both], { ports: { channel: channel.port('later'), other: doors.port() } })
    const run = await world.start('both', { id: 'otter' })
    await world.host.drain()
    expect([channel.log, doors.open.length, run.status]).toEqual([['open otter'], 1, 'running'])
    doors.door().settle(1)
    await world.host.drain()
    expect(channel.log).toEqual(['open otter'])
    channel.ready()
    await run.idle()
    expect(channel.log.slice(1)).toEqual(['perform on line 1', 'close otter done line 1'])
  })

  it.each<[HowClosed, string[]]>([
    ['failed', ['channel', 'refuses']],
    ['cancelled', ['channel', 'ask']],
  ])('is closed as %s', async (how, source) => {
    const channel = new Channel()
    const refuses: Port = { leaves: false, repeat: 'free', perform: () => Promise.reject(new Error('no')) }
    const world = worldOf(kinds, { ports: { channel: channel.port(), refuses } })
    const run = await world.start('lazy', { id: 'otter', source })
    await run.idle()
    if (how === 'cancelled') await run.cancel()
    await run.idle()
    expect(channel.log.at(-1)).toBe(`close otter ${how} line 1`)
  })

  it('fails its effect with R2107 where it cannot be opened, and the next effect tries again', async () => {
    const channel = new Channel()
    let tries = 0
    const open: Port['open'] = () => {
      if (++tries === 1) throw new Error('busy')
      return 'line 2'
    }
    const twice = kindOf('twice', (x, input) => {
      if (input?.[0] === 'ok') x.done(input[2])
      else {
        if (input?.[0] === 'err') x.set('fault', input[2])
        x.request('channel')
      }
    })
    const world = worldOf([twice], { ports: { channel: channel.port('at once', { open }) } })
    const run = await world.start('twice', { id: 'otter' })
    await run.idle()
    expect(run.status).toBe('completed')
    expect(run.state.root.reader().get('fault')).toMatchObject({
      code: 'R2107',
      verdict: 'retry',
      message: expect.stringContaining('busy') as string,
    })
    expect(channel.log).toEqual(['perform on line 2', 'close otter done line 2'])
    const { records } = await world.runtime.history('otter')
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
    expect(tries).toBe(2)
  })
})

describe('a port that a program declares', () => {
  it('is open before any effect of a started run, while steps, answers and cancellations continue', async () => {
    const [channel, doors] = [new Channel(), new Doors()]
    const world = worldOf(kinds, { ports: { channel: channel.port('later'), other: doors.port() } })
    const run = await world.start('eager', { id: 'otter', source: ['other', 'channel'] })
    let rested = false
    void run.idle().then(() => (rested = true))
    await world.host.drain()
    expect([channel.log, doors.open.length, run.state.n, run.status, rested]).toEqual([['open otter'], 0, 2, 'running', false])
    channel.ready()
    await world.host.drain()
    doors.door().settle(1)
    await run.idle()
    expect(channel.log.slice(1)).toEqual(['perform on line 1', 'close otter done line 1'])

    const other = await world.start('eager', { id: 'vole', source: ['other'] })
    await other.cancel()
    await other.idle()
    expect([other.status, doors.open.length, channel.log.at(-1)]).toEqual(['cancelled', 1, 'open vole'])
    expect(channel.runs.at(-1)?.signal.aborted).toBe(true)
    channel.ready()
    await world.host.drain()
    expect(channel.log.at(-1)).toBe('close vole cancelled line 1')
  })

  it('opens when its program is called, and hears of the first event only then', async () => {
    const channel = new Channel()
    const world = worldOf(kinds, { ports: { channel: channel.port('later') } })
    world.runtime.programs.add('eager', 'main', ['ask', 'channel'])
    const run = await world.runtime.start(world.runtime.programs.add('caller', 'main', {}), { id: 'otter' })
    await world.host.drain()
    expect([channel.log, run.status]).toEqual([['open otter'], 'running'])
    channel.ready()
    await run.idle()
    expect(run.status).toBe('suspended')
  })

  it('sends its run messages', async () => {
    const channel = new Channel()
    const world = worldOf(kinds, { ports: { channel: channel.port() } })
    const run = await world.start('waiter', { id: 'otter' })
    await run.idle()
    expect(await channel.runs[0]?.message('event', { price: 4 }, { id: 'e1' })).toBe(true)
    await run.idle()
    expect(run.state.ended).toEqual({ status: 'done', value: { price: 4 } })
  })

  it('stops the run with R2107 where it cannot be opened, and the run is kept for the next process', async () => {
    const [channel, store] = [new Channel(), memoryStore()]
    const world = worldOf(kinds, { store, ports: { channel: channel.port('never') } })
    const run = await world.start('eager', { id: 'otter', source: ['channel'] })
    expect(await codeOf(run.idle())).toBe('R2107')
    expect(channel.log).toEqual(['open otter'])
    const late = new Channel()
    const next = worldOf(kinds, { store, ports: { channel: late.port('later') } })
    const opened = await next.runtime.resume('otter')
    await next.host.drain()
    late.refuse(new Error('still no device'))
    expect(await codeOf(opened.idle())).toBe('R2107')
    const heir = new Channel()
    const last = worldOf(kinds, { store, ports: { channel: heir.port() } })
    const again = await last.runtime.resume('otter')
    await again.idle()
    expect([again.status, heir.log]).toEqual(['completed', ['open otter', 'perform on line 1', 'close otter done line 1']])
  })
})

describe('a run that leaves a process', () => {
  const left = async (leave: (world: ReturnType<typeof worldOf>, run: { leave(): Promise<void>; close(): void }) => unknown) => {
    const channel = new Channel()
    const world = worldOf(kinds, { ports: { channel: channel.port() } })
    const run = await world.start('eager', { id: 'otter', source: ['channel', 'ask', 'channel'] })
    await run.idle()
    await leave(world, run)
    await world.host.drain()
    return { channel, world }
  }

  it.each([
    ['when it is left', (_: unknown, run: { leave(): Promise<void> }) => run.leave()],
    ['when it is closed', (_: unknown, run: { close(): void }) => run.close()],
    ['when its runtime is closed', (world: ReturnType<typeof worldOf>) => world.runtime.close()],
  ])('closes its ports %s, and opens them in the next process', async (_, leave) => {
    const { channel, world } = await left(leave)
    expect(channel.log.slice(-1)).toEqual(['close otter left line 1'])
    const heir = new Channel()
    const next = worldOf(kinds, { store: world.store, ports: { channel: heir.port() } })
    const run = await next.runtime.resume('otter')
    await run.idle()
    await run.answer([...run.state.waits.keys()][0] ?? '', 1)
    await run.idle()
    expect(heir.log).toEqual(['open otter', 'perform on line 1', 'close otter done line 1'])
  })

  it('releases its lease after its ports are closed, and a runtime waits for them', async () => {
    const channel = new Channel()
    const world = worldOf(kinds, { ports: { channel: channel.port() }, worker: { id: 'w', host: 'elsewhere', pid: 7 } })
    const run = await world.start('eager', { id: 'otter', source: ['ask'] })
    await run.idle()
    let closed: () => void = () => undefined
    channel.closing = new Promise((resolve) => (closed = resolve))
    let isOver = false
    void world.runtime.close().then(() => (isOver = true))
    await world.host.drain()
    const other = worldOf(kinds, { store: world.store, ports: {} })
    expect([isOver, await codeOf(other.runtime.resume('otter'))]).toEqual([false, 'R5001'])
    closed()
    await world.host.drain()
    expect(isOver).toBe(true)
  })

  it('closes its ports as lost where another process has taken it over', async () => {
    const channel = new Channel()
    const world = worldOf(kinds, { ports: { channel: channel.port() }, leaseMs: 1_000 })
    const run = await world.start('eager', { id: 'otter', source: ['channel', 'ask', 'channel'] })
    await run.idle()
    // A stopped process: its timers do not fire, and its lease expires.
    const heir = worldOf(kinds, { store: world.store, ports: { channel: new Channel().port() }, at: world.host.now() + 60_000 })
    await heir.runtime.resume('otter')
    expect(await codeOf(run.answer([...run.state.waits.keys()][0] ?? '', 1))).toBe('R5002')
    await world.host.drain()
    expect(channel.log.at(-1)).toBe('close otter lost line 1')
  })

  it('reports a port that cannot be closed, and is not affected', async () => {
    const troubles: Fault[] = []
    const close: Port['close'] = () => Promise.reject(new Error('stuck'))
    const ports = { channel: new Channel().port('at once', { close }) }
    const world = worldOf(kinds, { ports, onTrouble: (fault) => troubles.push(fault) })
    const run = await world.start('lazy', { id: 'otter', source: ['channel'] })
    await run.idle()
    await world.runtime.close()
    expect([run.status, troubles.map(({ code, message }) => [code, message])]).toEqual([
      'completed',
      [['R2108', 'port channel of otter could not be closed (done): stuck']],
    ])
    expect(failure(run).code).toBe('')
  })
})

it.each([
  ['a function stands in', () => 1, false],
  ['the port performs', 'perform', true],
] as const)('a simulated run opens a port only if %s', async (_, simulate, opens) => {
  const channel = new Channel()
  const world = worldOf(kinds, { ports: { channel: channel.port('at once', { simulate }) } })
  const run = await world.start('eager', { id: 'otter', source: ['channel'], settings: { simulated: true } as RunFacts })
  await run.idle()
  expect([run.status, channel.log.length > 0]).toEqual(['completed', opens])
})

it('a fork and a replay open nothing', async () => {
  const channel = new Channel()
  const world = worldOf(kinds, { ports: { channel: channel.port() } })
  const run = await world.start('eager', { id: 'otter', source: ['ask', 'channel'] })
  await run.idle()
  const { id } = await world.runtime.fork('otter', { id: 'vole' })
  replay((await world.runtime.history('otter')).records, world.runtime.programs)
  expect(channel.log).toEqual(['open otter'])
  const fork = await world.runtime.resume(id)
  await fork.idle()
  expect(channel.log).toEqual(['open otter', 'open vole'])
})

describe('the kind suite of a program whose ports open late', () => {
  const late: Port = {
    leaves: true,
    repeat: 'keyed',
    open: () => Promise.resolve('line'),
    close: () => Promise.resolve(),
    perform: ({ session, args }) => ({ session: String(session), args: args ?? null }),
  }
  const suite = kindSuite({
    name: 'eager',
    kinds,
    programs: [{ kind: 'eager', id: 'main', source: ['channel', 'ask', 'other'] }],
    ports: () => ({ channel: late, other: late }),
    script: { answer: () => 'yes' },
  })
  for (const { name, run } of suite) it(name, run)
})
