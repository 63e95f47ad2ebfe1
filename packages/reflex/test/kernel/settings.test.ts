import type { Policy } from '../../src/kernel/index.ts'
import { describe, expect, it, test } from 'vitest'
import { isObject, type Json } from '../../src/kernel/journal/json.ts'
import type { Start } from '../../src/kernel/journal/record.ts'
import type { Call, Port } from '../../src/kernel/ports/port.ts'
import { SIMULATED } from '../../src/kernel/ports/port.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import type { RunFacts, SettingsCodec } from '../../src/kernel/ports/settings.ts'
import { memoryStore } from '../../src/store/index.ts'
import { kindOf, worldOf } from './world.ts'

interface Settings extends RunFacts {
  readonly trust: string
}

/** Believes a claim of trust only for the run that it was written for. */
function codecOf(reads: string[]): SettingsCodec<Settings> {
  return {
    write: ({ actor, simulated, trust }, { run, program }) => ({ actor, simulated, trust, proof: `${trust} ${run} ${program}` }),
    read({ run, pins, by }: Start) {
      reads.push(run)
      const { trust = '', proof, simulated } = isObject(by) ? by : {}
      const isProved = typeof trust === 'string' && proof === `${trust} ${run} ${pins[0]?.[3] ?? ''}`
      return { actor: '', simulated: simulated === true, trust: isProved ? trust : 'none' }
    },
    forFork: (source, said) => ({ ...source, ...said }),
  }
}

/** Asks, waits, asks again, and ends. */
const asks = kindOf('asks', (x, input) => {
  if (input === undefined || input[0] === 'answer') x.request('ask')
  else if (x.position === undefined) {
    x.go('waits')
    x.wait('answer', 'go')
  } else x.done(input[2] ?? null)
})

async function answerOpen(run: Run): Promise<void> {
  for (const wait of run.state.waits.keys()) await run.answer(wait, 'yes')
  await run.idle()
}

const ana: Settings = { actor: 'ana', simulated: false, trust: 'much' }

function settingsWorld(reads: string[] = [], store = memoryStore()) {
  const seen: string[] = []
  const ask: Port<Settings> = {
    leaves: false,
    repeat: 'free',
    perform: (call) => void seen.push(`${call.run} ${call.settings.trust}${call.forkedFrom === undefined ? '' : ` of ${call.forkedFrom}`}`),
  }
  const world = worldOf([asks], { ports: { ask }, settings: codecOf(reads), store })
  return { ...world, seen }
}

describe('settings of a run', () => {
  it('are recorded by the codec, and stand on each call', async () => {
    const world = settingsWorld()
    const run = await world.start('asks', { id: 'otter', settings: ana })
    await run.idle()
    expect(run.settings).toBe(ana)
    expect(world.seen).toEqual(['otter much'])
    const [first] = await world.runtime.journal('otter')
    expect(first?.more?.start?.by).toMatchObject({ trust: 'much', proof: expect.stringMatching(/^much otter /) as string })
  })

  it('are read once when a run is opened, and changed for this process alone', async () => {
    const store = memoryStore()
    const first = settingsWorld([], store)
    const run = await first.start('asks', { id: 'otter', settings: ana })
    await run.idle()
    await run.leave()
    const reads: string[] = []
    const second = settingsWorld(reads, store)
    const opened = await second.runtime.resume('otter', { settings: (kept) => ({ ...(kept as Settings), trust: 'less' }) })
    expect(reads).toEqual(['otter'])
    await answerOpen(opened)
    expect(second.seen).toEqual(['otter less'])
    expect(reads).toEqual(['otter'])
    expect(second.runtime.settingsOf(opened.state)).toMatchObject({ trust: 'much' })
  })

  it('of a fork are those of its source and what is said, proved for the fork', async () => {
    const world = settingsWorld()
    const run = await world.start('asks', { id: 'otter', settings: ana })
    await run.idle()
    const fork = await world.runtime.fork('otter', { id: 'stork', settings: { actor: 'ben' } })
    expect(fork).toMatchObject({ settings: { trust: 'much' }, sourceSettings: { trust: 'much' } })
    const opened = await world.runtime.resume('stork')
    await answerOpen(opened)
    expect(world.seen).toEqual(['otter much', 'stork much of otter'])
  })

  it('that claim what they cannot prove are not believed', async () => {
    const store = memoryStore()
    const bare = worldOf([asks], { ports: { ask: { leaves: false, repeat: 'free', perform: () => null } }, store })
    const run = await bare.start('asks', { id: 'otter', settings: { ...ana, proof: 'much of another run' } as Settings })
    await run.idle()
    await run.leave()
    const world = settingsWorld([], store)
    expect((await world.runtime.resume('otter')).settings).toMatchObject({ trust: 'none' })
  })

  it('without a codec are what stands in the record, and nothing is recorded where nothing is given', async () => {
    const { runtime, start } = worldOf([asks], { ports: { ask: { leaves: false, repeat: 'free', perform: () => null } } })
    const run = await start('asks', { id: 'otter' })
    await run.idle()
    expect(run.settings).toEqual({ actor: '', simulated: false })
    expect((await runtime.journal('otter'))[0]?.more?.start).not.toHaveProperty('by')
    await runtime.fork('otter', { id: 'stork' })
    expect((await runtime.journal('stork'))[0]?.more?.start).not.toHaveProperty('by')
  })
})

test('a call states its place, and that nobody vouches for a program on its stack', async () => {
  const seen: [place: string, untrusted: boolean][] = []
  const look: Port = { leaves: false, repeat: 'free', perform: ({ place, untrusted }) => void seen.push([place, untrusted]) }
  const facts = { node: (_: unknown, position: Json | undefined) => (typeof position === 'string' ? position : undefined) }
  const inner = kindOf(
    'inner',
    (x, input) => {
      if (input !== undefined) return x.done()
      x.go('deep')
      x.request('look')
    },
    facts,
  )
  const outer = kindOf(
    'outer',
    (x, input) => {
      if (input === undefined) {
        x.go('calls')
        x.call('inner:main')
      } else x.done()
    },
    { ...facts, calls: () => ['inner:main'], isUntrusted: (def) => isObject(def) && def['author'] === 'nobody' },
  )
  for (const source of [{}, { author: 'nobody' }]) {
    const world = worldOf([inner, outer], { ports: { look } })
    world.runtime.programs.add('inner', 'main', {})
    await (await world.start('outer', { source })).idle()
  }
  expect(seen).toEqual([
    ['calls/deep', false],
    ['calls/deep', true],
  ])
})

describe('a simulated run', () => {
  const leaving = { leaves: true, repeat: 'ask' } as const
  const perform = (): string => 'real'
  const rows: [says: string, port: Port, result: Json][] = [
    ['perform', { ...leaving, simulate: 'perform', perform }, 'real'],
    ['succeed', { ...leaving, simulate: 'succeed', perform }, SIMULATED],
    [
      'succeed, and leaves nothing here',
      { ...leaving, traits: () => ({ leaves: false, repeat: 'free' }), simulate: 'succeed', perform },
      'real',
    ],
    ['nothing', { ...leaving, perform }, SIMULATED],
    ['a function', { ...leaving, simulate: ({ port }: Call) => `not ${port}`, perform }, 'not ask'],
  ]
  it.each(rows)('of a port that says %s', async (_, ask, result) => {
    const asked: boolean[] = []
    const policy: Policy = {
      judge(_, { leaves, repeat }) {
        asked.push(leaves || repeat !== 'free')
        return { allowed: true }
      },
    }
    const { start } = worldOf([asks], { ports: { ask }, policy })
    const run = await start('asks', { settings: { actor: '', simulated: true } })
    await run.idle()
    await answerOpen(run)
    expect(run.state.ended?.value).toEqual(result)
    expect(asked).toEqual([false, false])
  })
})
