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

test.each([
  ['100,000 levels', `{"semantic_kind":"press","payload":{"by":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`, [400, 413, 422]],
  ['levels without an end', '{"a":'.repeat(100_000), [400]],
  ['a number that JSON does not have', '{"event_id":"x","semantic_kind":"press","payload":{"by":1e999}}', [400, 422]],
  ['two million characters', `{"event_id":"x","payload":{"by":"${'x'.repeat(2_000_000)}"}}`, [413, 422]],
  ['a prototype', '{"event_id":"x","semantic_kind":"press","payload":{"by":1,"__proto__":{"n":2}}}', [400, 422]],
  ['a prototype of the event', '{"__proto__":{"event_id":"x"},"semantic_kind":"press","payload":{"by":1}}', [400, 422]],
  ['an id of the run itself', '{"event_id":"pump/1/2.0","semantic_kind":"press","payload":{"by":1}}', [422]],
])('an event over HTTP with %s is refused with a fault, and the run goes on', async (_, text, statuses) => {
  const { post, run } = await counting()
  const { status, json } = await post(text)
  expect(statuses).toContain(status)
  expect(json).toMatchObject({ error: { code: expect.stringMatching(/^R\d{4}$/) as string } })
  expect(await post(presses(1)[0])).toMatchObject({ status: 202 })
  await run.idle()
  expect(run.get('n')).toBe(1)
})

test('an event that is twice in one list over HTTP is accepted once', async () => {
  const { post, run } = await counting()
  const [first] = presses(1)
  expect(await post([first, first])).toMatchObject({ json: { accepted: 1, refused: [{ index: 1, event_id: 'p1', code: 'R1334' }] } })
  await run.idle()
  expect(run.value ?? run.get('n')).toBe(1)
})
