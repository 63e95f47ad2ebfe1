import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject, Store } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { faultOf, reflexOf } from './world.ts'

/** Offers a year to those who have been there for five. */
const offer = (years: number) =>
  workflow({
    id: 'offer',
    entry: 'look',
    nodes: { look: { spec: { writes: { years } } }, decide: { spec: { go: 'MONTH' } }, month: {}, year: {} },
    edges: [
      { from: 'look', to: 'decide', event: 'NEXT' },
      { from: 'decide', to: 'month', event: 'MONTH' },
      { id: 'year', from: 'decide', to: 'year', event: 'YEAR', guard: { type: 'cel', expr: 'years >= 5' } },
    ],
  })

/** The last record at which it stands before its decision. */
const BEFORE = 3

async function offered(years: number) {
  const reflex = reflexOf()
  await reflex.run(offer(years), { id: 'otter' })
  return reflex
}

describe('settings of a fork', () => {
  test('apply before its decision: an edge that they open can be taken', async () => {
    const reflex = await offered(3)
    expect(await faultOf(reflex.fork(`otter@${BEFORE}`, { decide: 'year' }))).toMatchObject({ code: 'R2064' })
    const forked = await reflex.fork(`otter@${BEFORE}`, { set: { years: 9 }, decide: 'year', id: 'crane' })
    expect(forked).toMatchObject({ from: { run: 'otter', record: BEFORE }, decided: { chose: 'year' }, set: { years: 9 } })
    const crane = await reflex.resume('crane')
    await crane.idle()
    expect([crane.status, (await reflex.trace('crane')).lines.map(({ place }) => place).at(-1)]).toEqual(['completed', 'year'])
    expect((await reflex.replay('crane')).result).toBe('equal')
    expect((await reflex.runtime.journal('crane'))[BEFORE]?.input).toEqual([
      'kernel',
      'fork',
      { seed: expect.any(String) as string, by: 'ana', set: { years: 9 }, decides: String(BEFORE) },
    ])
  })

  test('apply before its decision: an edge that they close cannot be taken', async () => {
    const reflex = await offered(9)
    const found = await faultOf(reflex.fork(`otter@${BEFORE}`, { set: { years: 1 }, decide: 'year', id: 'crane' }))
    expect(found).toMatchObject({ code: 'R2064' })
    expect(await reflex.runs({ prefix: 'crane' })).toEqual([])
  })

  test('need keys', async () => {
    const reflex = await offered(3)
    for (const set of [['years'], 'years', 5, null])
      expect(await faultOf(reflex.fork(`otter@${BEFORE}`, { set: set as unknown as JsonObject }))).toMatchObject({ code: 'R2004' })
  })
})

describe('simultaneous forks of one run', () => {
  test('know how their source was started', async () => {
    const store = memoryStore()
    const one = reflexOf({ store })
    const dot = 'digraph p { start -> pay -> done; start [shape=Mdiamond]; done [shape=Msquare]; pay [type=tool, tool_command="pay"] }'
    const file = join(one.workdir, 'p.dot')
    writeFileSync(file, dot)
    await one.run(file, { id: 'otter', simulate: true })
    const records = (await one.runtime.journal('otter')).length
    await one.runtime.close()
    const other = reflexOf({ store: slowly(store) })
    // A command that is simulated leaves nothing: the run can be forked inside it, whoever is done with forking it meanwhile.
    const forked = await Promise.allSettled(
      Array.from({ length: 8 * (records - 1) }, async (_, i) => {
        for (let turns = 5 * i; turns > 0; turns--) await new Promise(setImmediate)
        return other.fork(`otter@${1 + (i % (records - 1))}`)
      }),
    )
    expect(forked.flatMap((made) => (made.status === 'rejected' ? [made.reason as unknown] : []))).toEqual([])
  })
})

/** A store whose answers come after a while, the later the more have been asked for. */
function slowly(store: Store): Store {
  let asked = 0
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]): Promise<unknown> => {
        for (let turns = ++asked % 7; turns > 0; turns--) await new Promise(setImmediate)
        return (value as (...all: unknown[]) => unknown).apply(target, args)
      }
    },
  })
}
