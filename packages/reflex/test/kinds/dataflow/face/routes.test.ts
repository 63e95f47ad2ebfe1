import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../../app/folders.ts'
import { served } from '../../../serve/served.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'

/** A server with the counter, which stays for events. */
async function counting() {
  const folder = newFolder()
  const graph = join(folder, 'counter.dataflow.json')
  writeFileSync(graph, JSON.stringify(COUNTER))
  writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify(COUNTER_ADAPTER))
  const server = await served({}, { workdir: folder })
  const run = await server.reflex.run(graph, { id: 'count', dataflow: { stays: true } })
  return { ...server, run, post: (body: unknown) => server.send('POST', '/v1/dataflows/count/events', body) }
}

test('an event over HTTP is taken once: 202, then 409; one that does not fit is 422 with what was meant', async () => {
  const { post, run } = await counting()
  const [first] = presses(1)
  expect(await post(first)).toMatchObject({ status: 202, json: { run: 'count', accepted: 1, refused: [] } })
  await run.idle()
  expect(run.get('n')).toBe(1)
  expect(await post(first)).toMatchObject({ status: 409, json: { error: { code: 'R1334' } } })
  expect(await post({ event_id: 'x', semantic_kind: 'press', payload: { buy: 1 } })).toMatchObject({
    status: 422,
    json: { error: { code: 'R1331', message: 'no field "buy"; did you mean "by"?' } },
  })
  expect(await post([])).toMatchObject({ status: 400 })
})

test('of a list over HTTP those that fit are taken, and the others are named', async () => {
  const { post, run } = await counting()
  expect(await post([...presses(3), { event_id: 'p9', semantic_kind: 'pres', payload: {} }])).toMatchObject({
    status: 202,
    json: { accepted: 3, refused: [{ index: 3, event_id: 'p9', code: 'R1331' }] },
  })
  await run.idle()
  expect(run.get('n')).toBe(6)
})

test('a run of another kind takes no events of a graph', async () => {
  const { send, reflex } = await counting()
  await reflex.run({ format: 1, id: 'still', root: { type: 'wait', id: 'w', params: { wait_ms: 9e6 } } }, { id: 'tree1' })
  expect(await send('POST', '/v1/dataflows/tree1/events', { event_id: 'a' })).toMatchObject({ json: { error: { code: 'R1388' } } })
})
