import { describe, expect, test } from 'vitest'
import { eventsOf, served, word } from './served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }'
const program = { text: ASKS, name: 'ask.dot' }

describe('runs over HTTP', () => {
  test('a text is started, asks, is answered and ends; the stream tells all of it once', async () => {
    const server = await served()
    const { send } = server
    const started = await send('POST', '/v1/runs', { program, id: 'otter', wait: true })
    expect(started).toMatchObject({ status: 201, json: { run: 'otter', status: 'suspended', questions: [{ id: 'otter/q1' }] } })
    const questions = await send('GET', '/v1/questions')
    expect(questions.json.questions).toMatchObject([{ id: 'otter/q1', text: 'Release?' }])
    const before = await eventsOf(server, '/v1/runs/otter/events', { most: Number(started.json.records) })
    const rest = eventsOf(server, '/v1/runs/otter/events', { lastEventId: before.at(-1)?.id ?? '' })
    expect(await send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes', reason: 'the tests pass' })).toMatchObject({
      status: 200,
      json: { answered: { by: 'ana', reason: 'the tests pass' } },
    })
    const all = [...before, ...(await rest)]
    expect(all.map(({ id }) => id)).toEqual(all.map((_, i) => `otter@${i + 1}`))
    expect(all.at(-1)?.data).toMatchObject({ ended: 'completed' })
    expect(JSON.stringify(all)).toContain('"by":"ana","reason":"the tests pass"')
    expect(await send('GET', '/v1/runs/otter')).toMatchObject({ status: 200, json: { run: { status: 'completed' } } })
    expect(await send('GET', '/v1/runs/otter/events', undefined, { 'last-event-id': all.at(-1)?.id ?? '' })).toMatchObject({ status: 204 })
  })

  test('a question is answered once', async () => {
    const { send } = await served()
    await send('POST', '/v1/runs', { program, id: 'otter', wait: true })
    const wrong = await send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'maybe' })
    expect(wrong).toMatchObject({ status: 400, json: { error: { code: 'R4200' } } })
    await send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })
    const late = await send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'no' })
    expect(late).toMatchObject({
      status: 409,
      json: { error: { code: 'R2002', message: expect.stringContaining('ana was first, with yes') as unknown } },
    })
    expect(await send('POST', '/v1/runs/nobody/questions/q1/answer', { value: 'no' })).toMatchObject({
      status: 404,
      json: { error: { code: 'R2016' } },
    })
  })

  test('a start with an idempotency key is made once', async () => {
    const { send, reflex } = await served()
    const key = { 'idempotency-key': 'order-7' }
    const first = await send('POST', '/v1/runs', { program, wait: true }, key)
    const second = await send('POST', '/v1/runs', { program, wait: true }, key)
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.json).toEqual(first.json)
    expect(await reflex.runs()).toHaveLength(1)
    expect(await send('POST', '/v1/runs', { program, wait: false }, key)).toMatchObject({ status: 409, json: { error: { code: 'R6009' } } })
  })
})

describe('what a server refuses', () => {
  test.each([
    ['no token', { authorization: '' }, 401, 'R6001'],
    ['a wrong token', { authorization: 'Bearer nonsense' }, 401, 'R6001'],
    ['a page of another site', { origin: 'http://evil.example' }, 403, 'R6003'],
    ['a body that is no JSON', { 'content-type': 'text/plain' }, 415, 'R6005'],
  ])('%s', async (_, headers, status, code) => {
    const { send } = await served()
    expect(await send('POST', '/v1/runs', { program }, headers)).toMatchObject({ status, json: { v: 1, error: { code } } })
  })

  test.each([
    ['{', 400, 'R6080'],
    ['{"program": 7}', 400, 'R6006'],
    ['{"program": {"text": "x"}, "surprise": 1}', 400, 'R6006'],
    [JSON.stringify({ program: { text: 'digraph {', name: 'a.dot' } }), 422, 'R1'],
  ])('the body %s', async (body, status, code) => {
    const { send, reflex } = await served()
    expect(await send('POST', '/v1/runs', body)).toMatchObject({
      status,
      json: { error: { code: expect.stringContaining(code) as unknown } },
    })
    expect(await reflex.runs()).toEqual([])
  })

  test('a body that is too large, an unknown route and another method', async () => {
    const { send } = await served({ maxBody: 100 })
    expect(await send('POST', '/v1/runs', { program: 'x'.repeat(200) })).toMatchObject({ status: 413, json: { error: { code: 'R6004' } } })
    expect(await send('GET', '/v1/rusn')).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining('did you mean /v1/runs?') as unknown } },
    })
    expect(await send('DELETE', '/v1/runs')).toMatchObject({ status: 405, json: { error: { code: 'R6007' } } })
  })
})

describe('looking over HTTP', () => {
  test('a run is shown at any record, traced, explained, drawn and read record by record', async () => {
    const server = await served()
    const { send } = server
    await send('POST', '/v1/runs', { program, id: 'otter', wait: true })
    await send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })
    await eventsOf(server, '/v1/runs/otter/events')
    expect(await send('GET', '/v1/runs/otter?at=2')).toMatchObject({ status: 200, json: { record: 2 } })
    expect(await send('GET', '/v1/runs/otter?at=99')).toMatchObject({ status: 404, json: { error: { code: 'R2021' } } })
    expect((await send('GET', '/v1/runs/otter/trace')).json.lines).not.toHaveLength(0)
    expect(await send('GET', '/v1/runs/otter/why?what=gate')).toMatchObject({ status: 200, json: { cause: { what: 'decision' } } })
    expect(await send('GET', '/v1/runs/otter/graph')).toMatchObject({
      json: { programs: [{ nodes: expect.arrayContaining([]) as unknown }] },
    })
    const first = await send('GET', '/v1/runs/otter/records?limit=2')
    const second = await send('GET', `/v1/runs/otter/records?from=${word(first.json.next)}&limit=100`)
    expect(first.json.records).toMatchObject([{ record: 1 }, { record: 2 }])
    expect(second.json.records).toMatchObject([{ record: 3 }, { record: 4 }, { record: 5 }, { record: 6 }])
    expect(await send('GET', '/v1/runs?status=completed')).toMatchObject({ json: { runs: [{ id: 'otter' }], more: false } })
  })

  test('the description has every route, with the schemas that check requests', async () => {
    const { send } = await served()
    const { json } = await send('GET', '/v1/openapi.json')
    expect(json.paths?.['/v1/runs']?.post).toMatchObject({ operationId: 'runs.start', security: [{ token: ['start'] }] })
    expect(json.paths?.['/v1/runs/{run}']?.get?.parameters).toMatchObject([
      { name: 'run', in: 'path', required: true },
      { name: 'at', in: 'query' },
    ])
  })
})

describe('more than one run over HTTP', () => {
  test('an archive of a run is imported by another server, and continues there', async () => {
    const [here, there] = [await served(), await served()]
    await here.send('POST', '/v1/runs', { program, id: 'otter', wait: true })
    const archive = await fetch(`${here.url}/v1/runs/otter/archive`, { headers: { authorization: `Bearer ${here.token}` } })
    const lines = await archive.text()
    expect(await there.send('POST', '/v1/archives?id=lark', lines, { 'content-type': 'application/jsonl' })).toMatchObject({
      status: 201,
      json: { run: 'lark', status: 'suspended', signature: 'none' },
    })
    expect(await there.send('POST', '/v1/runs/lark/questions/q1/answer', { value: 'yes' })).toMatchObject({ status: 200 })
    expect(await there.send('POST', '/v1/archives', 'nonsense', { 'content-type': 'application/jsonl' })).toMatchObject({
      status: 422,
      json: { error: { code: expect.stringMatching(/^R20/) as unknown } },
    })
  })

  test('the runs of a kind are cancelled together', async () => {
    const { send } = await served()
    for (const id of ['otter', 'lark']) await send('POST', '/v1/runs', { program, id, wait: true })
    expect(await send('POST', '/v1/runs/cancel', { filter: { kind: 'workflow' } })).toMatchObject({ status: 202, json: { cancelled: [] } })
    const { json } = await send('POST', '/v1/runs/cancel', { filter: { kind: 'pipeline' }, reason: 'a freeze' })
    expect(json).toMatchObject({ cancelled: expect.arrayContaining(['otter', 'lark']) as unknown, failed: [] })
    expect(await send('GET', '/v1/runs?status=cancelled')).toMatchObject({ json: { runs: [{}, {}] } })
  })
})
