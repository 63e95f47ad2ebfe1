import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../src/app/reflex.ts'
import type { Limits } from '../../../src/kernel/index.ts'
import { lifeIn, newFolder } from '../../app/folders.ts'
import { elsewhere, exported, rehashed } from './lines.ts'
import { forgotten, sealedCopy } from './sealed.ts'

const constant = (id: string): string => `${id} [type=transform, transform=constant, expression="x", output_key="${id}"];`
const DOT = `digraph q { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
 ${['a', 'b', 'c', 'd'].map(constant).join('\n ')} gate [shape=hexagon, label="Go?"];
 start -> a -> b -> gate; gate -> c [label="Yes"]; gate -> a [label="No"]; c -> d -> done }`
const SPENT = 'The budget is spent: raise it, or stop?'

/** Returns the archive of a run with a budget of two steps that a person has raised, and which waits at the gate. */
async function archived(raise: unknown = 'raise'): Promise<string[]> {
  const folder = newFolder()
  writeFileSync(join(folder, 'q.dot'), DOT)
  const reflex = lifeIn(folder)
  await reflex.run(join(folder, 'q.dot'), { id: 'otter', limits: { steps: 2 } })
  expect(await asked(reflex)).toEqual([SPENT])
  await answer(reflex, raise)
  while ((await asked(reflex))[0] === SPENT) await answer(reflex, 'raise')
  expect(await asked(reflex)).toEqual(['Go?'])
  return exported(reflex, 'otter')
}

async function answer(reflex: Reflex, word: unknown, run = 'otter'): Promise<void> {
  const { handle } = await reflex.answer(run, word)
  await handle?.idle()
}

const asked = async (reflex: Reflex, run = 'otter'): Promise<unknown[]> =>
  [...(await reflex.runtime.peek(run)).state.waits.values()].map(({ about }) => (about as { readonly text: string }).text)

const limitsOf = async (reflex: Reflex, address = 'otter', at?: number): Promise<Limits> =>
  (await reflex.runtime.peek(address, at)).state.meter.limits

/** Forges the amount of each raise. */
const forged = (lines: readonly string[]): string[] => {
  const changed = lines.map((line) =>
    line.replaceAll(/\["raise",\{"steps":\d+\}\]|"raise":\{"steps":\d+\}/g, (raise) => raise.replace(/\d+/, '1000000')),
  )
  expect(changed.join()).toContain('1000000')
  return rehashed(changed)
}

describe('a budget that was raised in an archive', () => {
  test('is that of the start again, and the operator here raises it', async () => {
    const lines = forged(await archived())
    const reflex = elsewhere()
    await reflex.import(lines)
    expect(await exported(reflex, 'otter')).toEqual(lines)
    expect(await limitsOf(reflex)).toEqual({ steps: 2 })
    await answer(reflex, 'Yes')
    expect(await asked(reflex)).toEqual([SPENT])
    await answer(reflex, { steps: 100 })
    expect((await reflex.find('otter')).status).toBe('completed')
  })

  test('counts in the records before the import, in each later store', async () => {
    const one = elsewhere()
    await one.import(await archived({ steps: 50 }))
    const { last } = await one.find('otter')
    expect([await limitsOf(one, 'otter', last - 1), await limitsOf(one)]).toEqual([{ steps: 50 }, { steps: 2 }])
    await answer(one, 'No')
    expect(await asked(one)).toEqual([SPENT])
    await answer(one, 'raise')
    while ((await asked(one))[0] === SPENT) await answer(one, 'raise')
    expect(await asked(one)).toEqual(['Go?'])
    expect(await one.replay('otter')).toMatchObject({ result: 'equal' })
    const other = elsewhere()
    await other.import(one.export('otter'))
    expect(await exported(other, 'otter')).toEqual(await exported(one, 'otter'))
    expect(await limitsOf(other)).toEqual({ steps: 2 })
    await answer(other, 'Yes')
    expect(await asked(other)).toEqual([SPENT])
    await answer(other, { steps: 100 })
    expect((await other.find('otter')).status).toBe('completed')
    expect(await other.replay('otter')).toMatchObject({ result: 'equal' })
  })

  test('does not count in a fork at a record of another store', async () => {
    const reflex = elsewhere()
    await reflex.import(await archived({ steps: 50 }))
    const { last } = await reflex.find('otter')
    for (const at of [last, last - 1]) {
      const { id } = await reflex.fork(`otter@${at}`)
      expect(await limitsOf(reflex, id)).toEqual({ steps: 2 })
      const handle = await reflex.resume(id)
      await handle.idle()
      if ((await asked(reflex, id))[0] === 'Go?') await answer(reflex, 'Yes', id)
      expect(await asked(reflex, id)).toEqual([SPENT])
      await answer(reflex, { steps: 100 }, id)
      while ((await asked(reflex, id))[0] === 'Go?') await answer(reflex, 'Yes', id)
      expect((await reflex.find(id)).status).toBe('completed')
      expect(await reflex.replay(id)).toMatchObject({ result: 'equal' })
    }
  })

  test('does not count in the state that opens an archive, and at a seal', async () => {
    const [reflex, whole] = [elsewhere(), elsewhere()]
    await whole.import(await archived({ steps: 50 }))
    const { last } = await whole.find('otter')
    await sealedCopy(whole, 'otter', whole.store, 'lark', [last - 1, last])
    await forgotten(whole.store, 'lark', 1, 'ab'.repeat(32))
    await reflex.import(whole.export('lark'))
    expect(await limitsOf(reflex, 'lark')).toEqual({ steps: 2 })
    await answer(reflex, 'Yes', 'lark')
    expect(await asked(reflex, 'lark')).toEqual([SPENT])
  })

  test('that is lower than that of the start stays', async () => {
    const lines = await archived({ steps: 50, tokens: 7 })
    const reflex = elsewhere()
    await reflex.import(lines)
    expect(await limitsOf(reflex)).toEqual({ steps: 2, tokens: 7 })
  })
})
