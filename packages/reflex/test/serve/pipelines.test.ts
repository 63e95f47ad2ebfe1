import { describe, expect, test } from 'vitest'
import { eventsOf, served, type Served, word } from './served.ts'

const DOT =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }'

async function asked(server: Served): Promise<string> {
  const { json } = await server.send('POST', '/pipelines', { dot: DOT, options: { wait: true } })
  return word(json.id)
}

// proves: pipeline 10.1a
describe('the routes of pipelines', () => {
  test('start a pipeline from JSON or DOT, or say what is wrong with it', async () => {
    const { send } = await served()
    expect(await send('POST', '/pipelines', { dot: DOT, goal: 'ship it', options: { wait: true } })).toMatchObject({
      status: 202,
      json: { id: expect.any(String) as unknown, status: 'waiting', diagnostics: expect.any(Array) as unknown },
    })
    const raw = await send('POST', '/pipelines', DOT, { 'content-type': 'text/vnd.graphviz' })
    expect(raw).toMatchObject({ status: 202, json: { id: expect.any(String) as unknown } })
    expect(await send('POST', '/pipelines', { dot: 'digraph {' })).toMatchObject({
      status: 422,
      json: { diagnostics: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]) as unknown },
    })
    expect(await send('GET', '/pipelines')).toMatchObject({ json: { pipelines: [{ status: 'waiting' }, { status: 'waiting' }] } })
  })

  test('show the progress of one, its questions, context and graph', async () => {
    const server = await served()
    const { send } = server
    const id = await asked(server)
    expect(await send('GET', `/pipelines/${id}`)).toMatchObject({
      status: 200,
      json: {
        id,
        status: 'waiting',
        current_node: 'gate',
        completed_nodes: ['start'],
        failure_reason: null,
        questions_pending: 1,
        finished_at: null,
      },
    })
    expect(await send('GET', '/pipelines/nobody')).toMatchObject({ status: 404 })
    expect(await send('GET', `/pipelines/${id}/questions`)).toMatchObject({ json: { questions: [{ text: 'Release?' }] } })
    expect(await send('GET', `/pipelines/${id}/context`)).toMatchObject({ status: 200, json: { context: {} } })
    expect(await send('GET', `/pipelines/${id}/checkpoint`)).toMatchObject({
      status: 200,
      json: { run_id: id, completed_nodes: ['start'] },
    })
    expect(await send('GET', `/pipelines/${id}/graph?format=json`)).toMatchObject({
      status: 200,
      json: { programs: [{ kind: 'pipeline' }] },
    })
  })

  test('answer a question once, by value, selection or text', async () => {
    const server = await served()
    const { send } = server
    const id = await asked(server)
    const path = `/pipelines/${id}/questions/q1/answer`
    expect(await send('POST', path, { value: 'maybe' })).toMatchObject({ status: 400 })
    expect(await send('POST', `/pipelines/${id}/questions/q9/answer`, { value: 'yes' })).toMatchObject({ status: 404 })
    expect(await send('POST', path, { selected: 'yes' })).toMatchObject({ status: 200 })
    expect(await send('POST', path, { text: 'no' })).toMatchObject({ status: 409 })
    expect(await send('POST', `/pipelines/${id}/cancel`)).toMatchObject({ status: 409 })
    expect(await send('GET', `/pipelines/${id}`)).toMatchObject({ json: { status: 'completed', node_outcomes: { gate: 'success' } } })
  })

  test('cancel one, and send it a signal', async () => {
    const server = await served()
    const { send } = server
    const id = await asked(server)
    expect(await send('POST', `/pipelines/${id}/signals/news`, { a: 1 })).toMatchObject({ status: 202 })
    expect(await send('POST', `/pipelines/${id}/cancel`)).toMatchObject({ status: 202 })
    expect(await send('GET', `/pipelines/${id}`)).toMatchObject({ json: { status: 'cancelled' } })
  })

  // proves: pipeline 10.1c
  test('stream events with their types, and continue after any of them', async () => {
    const server = await served()
    const id = await asked(server)
    await server.send('POST', `/pipelines/${id}/questions/q1/answer`, { value: 'yes' })
    const all = await eventsOf(server, `/pipelines/${id}/events`)
    expect(all.map(({ event }) => event)).toEqual(expect.arrayContaining(['pipeline_started', 'interview_started', 'pipeline_completed']))
    expect(new Set(all.map((one) => one.id)).size).toBe(all.length)
    for (const [i, { id: seen }] of all.entries())
      expect(await eventsOf(server, `/pipelines/${id}/events`, { lastEventId: seen })).toEqual(all.slice(i + 1))
  })

  // proves: pipeline 10.1b
  test('have the aliases /run, /status and /answer', async () => {
    const { send } = await served()
    const { json } = await send('POST', '/run', { dot: DOT, options: { wait: true } })
    const id = word(json.id)
    expect(await send('GET', `/status?id=${id}`)).toMatchObject({ json: { status: 'waiting' } })
    expect(await send('POST', '/answer', { id, question: 'q1', value: 'yes' })).toMatchObject({ status: 200 })
  })
})
