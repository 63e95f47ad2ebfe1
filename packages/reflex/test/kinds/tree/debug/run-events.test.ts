import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import type { KindEvent } from '../../../../src/programs/kind-view.ts'
import { reflex, workFolder } from '../../../cli/worlds.ts'
import { n } from '../tick/tree-world.ts'

const TREE = {
  format: 1,
  id: 'watch',
  board: { v: { type: 'int' } },
  root: n('selector', { id: 'root' }, [
    n('condition', { id: 'calm', condition: "ctx.event ~= 'alarm'" }),
    n('sequence', { id: 'recover' }, [n('set', { id: 'count', key: 'v', value: 1 }), n('wait', { id: 'nap', wait_ms: 60_000 })]),
  ]),
}

/** Statuses by path, as a monitor computes them from events alone. */
function folded(events: readonly KindEvent[]): Map<unknown, unknown> {
  const statuses = new Map<unknown, unknown>()
  for (const { type, payload } of events) {
    if (type === 'tree.tick.start' && payload.tick_number === 1) statuses.clear()
    if (type === 'node.tick') statuses.set(payload.node_path, payload.status)
    if (type === 'node.reset') statuses.delete(payload.node_path)
  }
  return statuses
}

const MARKS: Readonly<Record<string, string>> = { RUNNING: 'running', SUCCESS: 'done', FAILURE: 'failed' }

test('a run tells ticks and statuses as events, and the stored run has the same ones', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'watch.tree.json'), JSON.stringify(TREE))
  const made = new Reflex({ workdir: folder, store: join(folder, '.reflex/reflex.db') })
  const events: KindEvent[] = []
  const run = await made.start(join(folder, 'watch.tree.json'), {
    id: 'otter',
    tree: { stays: true },
    prepare: (handle) => void handle.onEvent((event) => events.push(event)),
  })
  for (const event of ['calm', 'alarm']) {
    await run.run.message('event', event)
    await run.run.idle()
  }
  expect(
    events.map(({ type, payload }) => [type, payload.node_path ?? payload.tick_number, payload.status ?? payload.trigger_event]),
  ).toEqual(
    expect.arrayContaining([
      ['tree.tick.start', 1, 'alarm'],
      ['node.tick', 'calm', 'FAILURE'],
      ['node.tick', 'count', 'SUCCESS'],
      ['node.tick', 'nap', 'RUNNING'],
      ['tree.tick.complete', 1, 'RUNNING'],
    ]),
  )
  const drawn = run.picture(0).filter(({ mark }) => mark !== 'open')
  expect(new Map([...folded(events)].map(([path, status]) => [path, MARKS[String(status)]]))).toEqual(
    new Map(drawn.map(({ path, mark }) => [path, mark])),
  )
  run.close()
  await made.close()
  const traced = await reflex(['trace', 'otter', '--events', '--store', join(folder, '.reflex/reflex.db')], { folder })
  expect(traced).toMatchObject({ code: 0, err: '' })
  const stored = traced.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; type: string })
  expect(stored.map(({ id, type }) => [id, type])).toEqual(events.map(({ id, type }) => [id, type]))
})

test('each turn of a loop is an event, also of a leaf that begins again in the same record', async () => {
  const folder = workFolder()
  const visit = n('script', { id: 'visit', code: 'bb.set("last", bb.room)' })
  const root = n('for_each', { id: 'all', collection_key: 'rooms', item_key: 'room' }, [visit])
  const board = { rooms: { type: 'list', default: ['hall', 'lab'] }, room: {}, last: {} }
  writeFileSync(join(folder, 'rounds.tree.json'), JSON.stringify({ format: 1, id: 'rounds', board, root }))
  const made = new Reflex({ workdir: folder, store: 'memory:' })
  const events: KindEvent[] = []
  const run = await made.start(join(folder, 'rounds.tree.json'), {
    prepare: (handle) => void handle.onEvent((event) => events.push(event)),
  })
  await run.run.idle()
  const visits = events.filter(({ payload }) => payload.node_id === 'visit').map(({ type, payload }) => payload.status ?? type)
  expect([run.run.status, visits.filter((what) => what === 'SUCCESS')]).toEqual(['completed', ['SUCCESS', 'SUCCESS']])
  run.close()
  await made.close()
})
