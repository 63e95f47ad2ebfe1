import { describe, expect, test, vi } from 'vitest'
import type { Message, Run } from '../../src/kernel/index.ts'
import { kindOf, type Step, worldOf } from './world.ts'

const message = (id: string, to = 'event'): Message => ({ id, type: 'message', to, body: id, at: 0 })

/** Returns the number of items that lists copied or moved while `act` ran. */
async function moved(act: () => Promise<unknown>): Promise<number> {
  let count = 0
  const spies = (['slice', 'map', 'toReversed', 'unshift', 'splice'] as const).map((name) => {
    const original = Array.prototype[name] as (...given: unknown[]) => unknown
    return vi.spyOn(Array.prototype, name).mockImplementation(function counted(this: unknown[], ...given: unknown[]): never {
      const result = Reflect.apply(original, this, given)
      count += Array.isArray(result) ? result.length : this.length
      return result as never
    } as never)
  })
  try {
    await act()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return count
}

describe('a storm of messages costs as much for each as a few do', () => {
  const STORM = 2_000
  const ids = Array.from({ length: STORM }, (_, index) => `m${index}`)
  const one: Step = (x, input) => {
    if (input === undefined) {
      x.wait('message', 'event', { stays: true, ...(x.def as object) })
      return void x.wait('answer', 'q')
    }
    if (input[0] === 'messages') x.took(1)
    return x.set('count', Number(x.get('count') ?? 0) + 1)
  }
  const count = (run: Run) => run.state.root.reader().get('count')

  test.each([1, 100_000])('from the process that holds the run, to a wait for %i of which each step takes one', async (most) => {
    const { start, runtime } = worldOf([kindOf('one', one)])
    const run = await start('one', { source: { most } })
    await run.idle()
    expect(await moved(() => Promise.all(ids.map((id) => run.message('event', id))))).toBeLessThan(20 * STORM)
    expect(count(run)).toBe(STORM)
    await runtime.close()
  })

  test('from an inbox, to a wait for 100000 of which each step takes one, and which opens once all of them are there', async () => {
    const opens: Step = (x, input) =>
      input === undefined ? void x.wait('message', 'begin') : one(x, input[0] === 'message' ? undefined : input)
    const { start, runtime, store } = worldOf([kindOf('opens', opens)])
    const run = await start('opens', { id: 'otter', source: { most: 100_000 } })
    await run.leave()
    for (const id of ids) await store.post('otter', message(id))
    await store.post('otter', message('last', 'begin'))
    let again = run
    const copied = await moved(async () => {
      again = await runtime.resume('otter')
      await again.idle()
    })
    expect(count(again)).toBe(STORM)
    expect(copied).toBeLessThan(20 * STORM)
    await runtime.close()
  })
})
