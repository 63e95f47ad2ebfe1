import { expect, onTestFinished, test } from 'vitest'
import { join } from 'node:path'
import { Reflex } from '../../../../src/index.ts'
import { openStore } from '../../../../src/store/index.ts'
import { newFolder } from '../../../app/folders.ts'

const COUNTS = {
  format: 1,
  id: 'counts',
  events: true,
  board: { seen: { type: 'int', default: 0 } },
  root: {
    type: 'sequence',
    id: 'root',
    children: [
      { type: 'condition', id: 'has', params: { condition: 'ctx.event ~= nil' } },
      { type: 'set', id: 'count', params: { key: 'seen', expression: 'bb.seen + 1' } },
    ],
  },
} as const

function life(file: string): Reflex {
  const reflex = new Reflex({ store: openStore(file) })
  onTestFinished(() => reflex.close())
  return reflex
}

// Design of trees, section 7: the inbox bounds the events that come in, and the one that sends too many is told.
test('of a storm of events as many wait as the inbox takes, the others are refused, and none of the first is lost', async () => {
  const file = join(newFolder(), 'reflex.db')
  const away = life(file)
  const { id } = await away.run(COUNTS, { tree: { stays: true } })
  await away.close()
  const here = life(file)
  const refused: unknown[] = []
  for (let i = 0; i < 1_010; i++)
    await here.signal(id, 'event', { i }, { run: false }).catch((thrown: unknown) => void refused.push((thrown as { code: string }).code))
  expect(refused).toEqual(Array.from({ length: 10 }, () => 'R2130'))
  const handle = await here.resume(id)
  await handle.idle()
  expect(handle.get('seen')).toBe(1_000)
  await here.signal(id, 'event', { last: true })
  await handle.idle()
  expect(handle.get('seen')).toBe(1_001)
  expect(await here.replay(id)).toMatchObject({ result: 'equal' })
})

test('of two processes one owns the run of a tree; what the other sends arrives there', async () => {
  const file = join(newFolder(), 'reflex.db')
  const [one, other] = [life(file), life(file)]
  const held = await one.run(COUNTS, { tree: { stays: true } })
  await expect(other.resume(held.id)).rejects.toMatchObject({ code: 'R5001' })
  const { handle } = await other.signal(held.id, 'event', { from: 'the other' })
  expect(handle).toBeUndefined()
  await held.run.pull()
  await held.idle()
  expect(held.get('seen')).toBe(1)
})
