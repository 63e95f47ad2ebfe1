import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { KINDS } from '../../src/app/kinds.ts'
import type { Json } from '../../src/kernel/index.ts'
import type { KindModule } from '../../src/programs/kind-module.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from '../app/folders.ts'
import { beat } from '../kernel/probes/beat.ts'

const TICK = 50

/** A kind without an end and without a view. */
const ticking: KindModule<'beat'> = {
  name: 'beat',
  language: { endings: ['.beat.json'], owns: () => false, format: (text) => ({ text, findings: [] }) },
  view: {},
  faults: [],
  uses: [],
  make: () => ({
    kind: { ...beat, endless: 5 },
    ports: {},
    reader: { read: (text) => ({ program: { id: 'tree', source: JSON.parse(text) as Json, def: undefined }, findings: [] }) },
  }),
}

async function ticked(ticks: number): Promise<Reflex> {
  const workdir = newFolder()
  const file = join(workdir, 'tree.beat.json')
  writeFileSync(file, JSON.stringify({ leaves: 3, changing: 1, everyMs: TICK }))
  const host = virtualHost()
  const surroundings = { host, worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ workdir, store: memoryStore(), kinds: [...KINDS, ticking], surroundings })
  onTestFinished(() => reflex.close())
  const handle = await reflex.start(file, { id: 'otter' })
  await host.drain()
  for (let i = 0; i < ticks; i++) await host.advance(TICK)
  handle.close()
  await host.drain()
  return reflex
}

test('a trace names the seals, with the segment and its records, and each record of a kind without a story', async () => {
  const reflex = await ticked(12)
  const { lines, row } = await reflex.trace('otter')
  expect(lines.slice(0, 7).map(({ n, event }) => `${n} ${event.text}`)).toEqual([
    '2 step',
    '3 timer 2w',
    '4 timer 2w',
    '5 timer 2w',
    '6 segment 1 sealed: 6 records, 1 to 6',
    '7 timer 2w',
    '8 timer 2w',
  ])
  expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: row.last - 1 }, (_, i) => i + 2))
  const later = await reflex.trace('otter', { from: 8 })
  expect(later.lines).toEqual(lines.filter(({ n }) => n >= 8))
  expect(later.lines.find(({ n }) => n === 12)?.event).toMatchObject({ mark: 'note', facts: { segment: 2, records: 6 } })
})

test('a record that the kernel describes has no second line', async () => {
  const reflex = await ticked(3)
  await reflex.fork('otter', { id: 'wren' })
  const { lines } = await reflex.trace('wren')
  const { last } = await reflex.find('otter')
  expect(lines.filter(({ n }) => n > last).map(({ event }) => event.text)).toEqual([`forked from otter@${last}, by ana`])
})
