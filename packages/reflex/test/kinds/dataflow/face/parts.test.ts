import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'

const ACTION: JsonObject = {
  kind: 'action',
  id: 'call',
  version: '1.0.0',
  inputs: [{ name: 'event', type: 'Event' }],
  outputs: [{ name: 'outcome', type: 'Event' }],
  parameters: [{ name: 'who', type: 'String' }],
  execution: { deterministic: true, retryable: false },
  state: { allowed: false },
  side_effects: true,
  effects: { writes: [], intents: [{ name: 'call', fields: [{ name: 'who', type: 'String', from_param: 'who' }] }] },
}

const GRAPH: JsonObject = {
  kind: 'cluster',
  id: 'bell',
  version: '0.1.0',
  nodes: {
    pressed: { impl: 'context_bool_source@^0.1', params: { key: 'pressed' } },
    edge: { cluster: 'rising-edge@^1', params: { state_key: 'was_pressed' } },
    call: { impl: 'call@^1', params: { who: 'ana' } },
  },
  edges: ['pressed.value -> edge.level', 'edge.event -> call.event'],
  outputs: { outcome: 'call.outcome' },
}

const ADAPTER: JsonObject = {
  kind: 'adapter',
  id: 'bell',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [
    { name: 'pressed', type: 'Bool', required: true, writable: false },
    { name: 'was_pressed', type: 'Bool', required: false, writable: true },
  ],
  event_kinds: [
    {
      name: 'press',
      payload_schema: {
        type: 'object',
        properties: { pressed: { type: 'boolean' }, was_pressed: { type: 'boolean' } },
        required: ['pressed'],
        additionalProperties: false,
      },
    },
  ],
  accepts: {
    effects: [
      { name: 'set_context', payload_schema: { type: 'object', additionalProperties: false } },
      {
        name: 'call',
        payload_schema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'], additionalProperties: false },
      },
    ],
  },
  capture: { format_version: '1', fields: ['event.press'] },
}

const HOST: JsonObject = { kind: 'host', channels: { calls: { type: 'ledger', ledger: 'calls' } }, routes: { call: { channel: 'calls' } } }

/** A folder with the graph of a bell, and its parts. */
function bell(action: JsonObject): { readonly folder: string; readonly graph: string; readonly events: string } {
  const folder = newFolder()
  const write = (name: string, value: JsonObject): string => {
    writeFileSync(join(folder, name), JSON.stringify(value))
    return join(folder, name)
  }
  write('bell.adapter.json', ADAPTER)
  write('bell.host.json', HOST)
  write('call.primitive.json', action)
  const events = join(folder, 'presses.jsonl')
  const presses = [true, true, false, true].map((pressed, i) => ({
    event_id: `p${i}`,
    at: i,
    semantic_kind: 'press',
    payload: { pressed },
  }))
  writeFileSync(events, presses.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return { folder, graph: write('bell.dataflow.json', GRAPH), events }
}

describe('the files beside a graph', () => {
  test('declare its actions, and clusters that are in none are the ready-made ones', async () => {
    const { folder, graph, events } = bell(ACTION)
    const reflex = lifeIn(folder)
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toEqual({ events: 4, refused: 0, failed: 0, sent: { call: 2 } })
    expect(await reflex.replay(run.id)).toMatchObject({ result: 'equal' })
  })

  test('are stored with the run: it continues after they are gone', async () => {
    const { folder, graph } = bell(ACTION)
    const first = lifeIn(folder)
    const run = await first.run(graph, { dataflow: { stays: true } })
    expect(run.status).toBe('suspended')
    await first.close()
    writeFileSync(join(folder, 'call.primitive.json'), '{}')
    const again = lifeIn(folder)
    await again.signal(run.id, 'event', { event_id: 'p0', at: 0, semantic_kind: 'press', payload: { pressed: true } })
    const { handle } = await again.signal(run.id, 'event', null)
    await handle?.idle({ until: 'end' })
    expect(handle?.value).toMatchObject({ sent: { call: 1 } })
  })

  test('name programs that must be there before the run begins', async () => {
    const { folder, graph, events } = bell(ACTION)
    const host = { kind: 'host', channels: { desk: { type: 'program', start: 'workflow:answer' } }, routes: { call: { channel: 'desk' } } }
    writeFileSync(join(folder, 'bell.host.json'), JSON.stringify(host))
    await expect(lifeIn(folder).run(graph, { dataflow: { source: events } })).rejects.toMatchObject({
      code: 'R2010',
      message: 'dataflow:bell can start workflow:answer, which cannot be found',
    })
  })

  test('cannot declare a primitive that computes', async () => {
    const compute = {
      kind: 'compute',
      id: 'call',
      version: '1.0.0',
      inputs: [{ name: 'a', type: 'Number' }],
      outputs: [{ name: 'result', type: 'Number' }],
      parameters: [],
      execution: { deterministic: true, cadence: 'continuous' },
      state: { allowed: false },
      side_effects: false,
    }
    const { folder, graph } = bell(compute)
    await expect(lifeIn(folder).run(graph)).rejects.toMatchObject({ code: 'R1349', message: 'the compute "call" has no function' })
  })
})
