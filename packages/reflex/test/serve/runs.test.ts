import { describe, expect, test } from 'vitest'
import { eventsOf, served } from './served.ts'

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
    expect(await send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })).toMatchObject({
      status: 200,
      json: { answered: { by: 'ana' } },
    })
    const all = [...before, ...(await rest)]
    expect(all.map(({ id }) => id)).toEqual(all.map((_, i) => `otter@${i + 1}`))
    expect(all.at(-1)?.data).toMatchObject({ ended: 'completed' })
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
      json: { error: { code: 'R2002', message: expect.stringContaining('ana was first, with yes') } },
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
    expect(second.json.run?.id).toBe(first.json.run)
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
    ['{', 415, 'R6005'],
    ['{"program": 7}', 400, 'R6006'],
    ['{"program": {"text": "x"}, "surprise": 1}', 400, 'R6006'],
    [JSON.stringify({ program: { text: 'digraph {', name: 'a.dot' } }), 422, 'R1'],
  ])('the body %s', async (body, status, code) => {
    const { send, reflex } = await served()
    expect(await send('POST', '/v1/runs', body)).toMatchObject({ status, json: { error: { code: expect.stringContaining(code) } } })
    expect(await reflex.runs()).toEqual([])
  })

  test('a body that is too large, an unknown route and another method', async () => {
    const { send } = await served({ maxBody: 100 })
    expect(await send('POST', '/v1/runs', { program: 'x'.repeat(200) })).toMatchObject({ status: 413, json: { error: { code: 'R6004' } } })
    expect(await send('GET', '/v1/rusn')).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining('did you mean /v1/runs?') } },
    })
    expect(await send('DELETE', '/v1/runs')).toMatchObject({ status: 405, json: { error: { code: 'R6007' } } })
  })
})
