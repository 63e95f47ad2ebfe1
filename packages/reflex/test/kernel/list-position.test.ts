import { array, assert, asyncProperty, constant, integer, nat, oneof, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import { labelOf } from '../../src/kernel/state/scope.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import { kindOf, type Step, worldOf } from './world.ts'

type Context = Parameters<Step>[0]

/** Starts a program whose second step changes its position; returns its run after that step. */
async function changed(first: Json, change: (x: Context) => void) {
  const world = worldOf([
    kindOf('list', (x, input) => {
      if (input === undefined && x.position === undefined) {
        x.go(first)
        return x.again()
      }
      change(x)
      x.wait('answer', 'wait')
    }),
  ])
  const run = await world.start('list', { id: 'otter' })
  await run.idle()
  return { run, world }
}

test('items of a position that is a list are changed in place, in any number of calls, and replay as they were decided', async () => {
  const item = oneof(integer(), string(), constant(null))
  await assert(
    asyncProperty(array(item, { minLength: 1, maxLength: 12 }), array(tuple(nat(11), item), { maxLength: 6 }), async (list, drawn) => {
      const expected = [...list]
      const changes = drawn.map(([index, value]) => [Math.min(index, expected.length - 1), value] as const)
      for (const [index, value] of changes) expected[index] = value
      const { run, world } = await changed(list, (x) => changes.forEach(([index, value]) => x.patchItems(index, value)))
      expect(run.state.root.position).toEqual(expected)
      const { difference, state } = replay(await world.runtime.journal('otter'), world.runtime.programs)
      expect(difference).toBeUndefined()
      expect(state.root.position).toEqual(expected)
      await world.runtime.close()
    }),
    { numRuns: 50 },
  )
})

test('the index after the last item adds one', async () => {
  const { run, world } = await changed(['a'], (x) => x.patchItems(1, 'b', 2, 'c', 0, 'd'))
  expect(run.state.root.position).toEqual(['d', 'b', 'c'])
  await world.runtime.close()
})

test.each<readonly [string, Json, (x: Context) => void]>([
  ['an index beyond the end', ['a'], (x) => x.patchItems(2, 'c')],
  ['an index below 0', ['a'], (x) => x.patchItems(-1, 'c')],
  ['an index without a value', ['a'], (x) => x.patchItems(0)],
  ['items of an object', { node: 'a' }, (x) => x.patchItems(0, 'c')],
  [
    'keys and items',
    ['a'],
    (x) => {
      x.patchItems(0, 'c')
      x.patch({ node: 'b' })
    },
  ],
])('a step that changes %s fails, and changes nothing', async (_, position, change) => {
  const { run, world } = await changed(position, change)
  expect(run.state.ended).toMatchObject({ status: 'failed', value: { code: 'R9001' } })
  expect(run.state.root.position).toEqual(position)
  await world.runtime.close()
})

test('a long list is not the label of a write', () => {
  expect(labelOf(['node', 0])).toEqual(['node', 0])
  expect(labelOf(Array.from({ length: 200 }, () => 'FRESH'))).toBeUndefined()
})
