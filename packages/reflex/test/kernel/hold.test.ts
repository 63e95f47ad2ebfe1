import { describe, expect, test } from 'vitest'
import { faults, type Policy, type Port } from '../../src/kernel/index.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import { kindOf, type World, worldOf } from './world.ts'

/** Asks for an effect, and is done with what that came to. */
const pays = kindOf('pays', (x, input) => {
  if (input === undefined) return void x.request('pay', 84)
  if (input[0] === 'ok') return x.done(input[2])
  if (input[0] === 'err') return x.done('refused')
})

interface Held extends World {
  readonly paid: () => number
}

/** A world whose policy has somebody asked before each payment. */
function heldWorld(store: Store = memoryStore()): Held {
  let paid = 0
  const pay: Port = { leaves: true, repeat: 'ask', perform: () => `receipt ${++paid}` }
  const policy: Policy = {
    judge: () => ({
      terms: [{ need: 'pay', grant: 'pay', by: 'a policy', ask: true }],
      question: () => ({ text: 'May it pay?' }),
      refusal: () => faults.make('R3001', 'it was denied'),
    }),
  }
  return { ...worldOf([pays], { store, policy, ports: { pay } }), paid: () => paid }
}

describe('an effect that somebody is to be asked about', () => {
  test('is not performed before the answer, and then once', async () => {
    const world = heldWorld()
    const run = await world.start('pays')
    await run.idle()
    const [wait] = [...run.state.waits.values()]
    expect({ name: wait?.name, number: wait?.number, paid: world.paid(), status: run.status }).toEqual({
      name: 'permission',
      number: 1,
      paid: 0,
      status: 'suspended',
    })
    await run.answer(wait?.id ?? '', 'allow', 'ana')
    await run.idle()
    expect({ ended: run.state.ended?.value, paid: world.paid() }).toEqual({ ended: 'receipt 1', paid: 1 })
    expect(replay(await world.runtime.journal(run.id), world.runtime.programs).difference).toBeUndefined()
  })

  test('is asked about again where the policy still wants that', async () => {
    const world = heldWorld()
    const run = await world.start('pays')
    await run.idle()
    await run.answer([...run.state.waits.keys()][0] ?? '', 'perhaps')
    await run.idle()
    expect({ numbers: [...run.state.waits.values()].map(({ number }) => number), paid: world.paid() }).toEqual({ numbers: [2], paid: 0 })
  })

  test('stays asked about when its process dies, and is neither performed nor doubted', async () => {
    const store = memoryStore()
    const first = heldWorld(store)
    const run = await first.start('pays', { id: 'otter' })
    await run.idle()
    run.close()
    const second = heldWorld(store)
    second.runtime.programs.add('pays', 'main', {})
    const again = await second.runtime.resume('otter')
    await again.idle()
    expect([...again.state.waits.values()].map(({ name }) => name)).toEqual(['permission'])
    await again.answer([...again.state.waits.keys()][0] ?? '', 'allow')
    await again.idle()
    expect({ ended: again.state.ended?.status, paid: [first.paid(), second.paid()] }).toEqual({ ended: 'done', paid: [0, 1] })
  })

  test('goes with its question when the run is cancelled', async () => {
    const world = heldWorld()
    const run = await world.start('pays')
    await run.idle()
    await run.cancel()
    await run.idle()
    expect({ ended: run.state.ended?.status, waits: run.state.waits.size, paid: world.paid() }).toEqual({
      ended: 'cancelled',
      waits: 0,
      paid: 0,
    })
  })
})
