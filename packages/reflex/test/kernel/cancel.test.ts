import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { kindOf, type Step, type World, worldOf } from './world.ts'
import { textOf } from './probes/text.ts'

const log: string[] = []
const waits: Step = (x) => void x.wait('answer', 'never')
const caller: Step = (x, input) => (input?.[0] === 'ret' ? x.done([input[2], input[3] ?? null]) : void x.call(textOf(x.def)))

/** Compensates by a program of its own, and hears how that ended. */
const careful: Step = (x, input) => {
  log.push(`careful ${input?.[0] ?? 'go'}`)
  if (input?.[0] === 'cancel') return void x.call('undo:undo')
  if (input?.[0] === 'ret') return x.cancelled(['undone', input[2]])
  x.call('waits:waits')
}

const undo: Step = (x, input) => {
  log.push(`undo ${input?.[0] ?? 'go'}`)
  if (input?.[0] === 'ok') return x.done()
  x.request('undo')
}

async function started(root: string, source: Json = {}): Promise<{ world: World; run: Run }> {
  log.length = 0
  const spawner: Step = (x, input) => {
    log.push(`spawner ${input?.[0] ?? 'go'}`)
    if (input === undefined) for (const program of x.def as string[]) x.spawn(program)
  }
  const kinds = [
    kindOf('waits', waits),
    kindOf('caller', caller),
    kindOf('careful', careful, { cancels: true }),
    kindOf('undo', undo),
    kindOf('spawner', spawner),
  ]
  const world = worldOf(kinds, { ports: { undo: { leaves: true, repeat: 'keyed', perform: async () => 'undone' } } })
  for (const name of ['waits', 'careful', 'undo']) world.runtime.programs.add(name, name, {})
  const run = await world.start(root, { source })
  await run.idle()
  return { world, run }
}

describe('cancelling a run', () => {
  it('reaches the top of the stack first, and each frame once the one above has left', async () => {
    const { run } = await started('caller', 'careful:careful')
    await run.cancel('enough')
    await run.idle()
    expect(run.state.ended?.status).toBe('cancelled')
    expect(log).toEqual(['careful go', 'careful cancel', 'undo go', 'undo ok', 'careful ret'])
    expect([run.state.frames.size, run.state.waits.size]).toEqual([1, 0])
  })

  it('waits for the strands of a kind that knows nothing of it', async () => {
    const { run } = await started('spawner', ['waits:waits', 'careful:careful', 'waits:waits'])
    await run.cancel()
    await run.idle()
    expect(run.state.ended?.status).toBe('cancelled')
    expect(log).toEqual(['spawner go', 'careful go', 'careful cancel', 'undo go', 'undo ok', 'careful ret'])
  })

  it('twice is no more than once, and nothing after the end', async () => {
    const { run } = await started('caller', 'careful:careful')
    const first = run.cancel()
    const second = run.cancel()
    await Promise.all([first, second])
    await run.idle()
    expect(log.filter((line) => line === 'careful cancel')).toHaveLength(1)
    await expect(run.cancel()).rejects.toMatchObject({ code: 'R2001' })
  })

  it('gives up what was in flight before the frame hears of it', async () => {
    let signal: AbortSignal | undefined
    const world = worldOf([kindOf('asks', (x) => void x.request('slow'))], {
      ports: { slow: { leaves: false, repeat: 'free', perform: (call) => new Promise(() => void (signal = call.signal)) } },
    })
    const run = await world.start('asks')
    await world.host.drain()
    const told = run.cancel()
    expect(signal?.aborted).toBe(true)
    await told
    expect(run.state.ended?.status).toBe('cancelled')
  })
})

describe('a frame that calls between its cancellation and its hearing of it', () => {
  it('hears once the callee has heard and left', async () => {
    const heard: string[] = []
    const commands: (() => void)[] = []
    const top: Step = (x, input) => {
      heard.push(`top ${input?.[0] ?? 'go'}`)
      if (input?.[0] === 'cancel') return x.cancelled()
      if (input?.[0] === 'host') return void x.call('deep:deep')
      x.wait('answer', 'never')
    }
    const deep: Step = (x, input) => {
      heard.push(`deep ${input?.[0] ?? 'go'}`)
      if (input?.[0] === 'cancel') x.cancelled()
    }
    const world = worldOf([kindOf('top', top, { cancels: true }), kindOf('deep', deep, { cancels: true })])
    world.runtime.programs.add('deep', 'deep', {})
    const run = await world.start('top', {
      prepare: (made) =>
        made.observe(({ record }) => {
          if (record.input?.[0] === 'kernel' && record.input[1] === 'cancel') commands.shift()?.()
        }),
    })
    await run.idle()
    commands.push(() => void run.command(0, 'call now').catch(() => {}))
    await run.cancel()
    await run.idle()
    expect(run.state.ended?.status).toBe('cancelled')
    expect(heard).toEqual(['top go', 'top host', 'deep go', 'deep cancel', 'top cancel'])
  })
})

describe('unwinding', () => {
  it('cancels the callee and tells the frame', async () => {
    const composer: Step = (x, input) => {
      if (input?.[0] === 'timer') return x.unwind()
      if (input?.[0] === 'ret') return x.done([input[2], input[3] ?? null])
      x.timer(1_000)
      x.call('careful:careful', { isolated: true })
    }
    log.length = 0
    const world = worldOf(
      [kindOf('composer', composer), kindOf('waits', waits), kindOf('careful', careful, { cancels: true }), kindOf('undo', undo)],
      {
        ports: { undo: { leaves: true, repeat: 'keyed', perform: () => 'undone' } },
      },
    )
    for (const name of ['waits', 'careful', 'undo']) world.runtime.programs.add(name, name, {})
    const run = await world.start('composer')
    await run.idle()
    await world.host.advance(1_000)
    await run.idle()
    expect(run.state.ended).toEqual({ status: 'done', value: ['cancelled', ['undone', 'done']] })
  })
})
