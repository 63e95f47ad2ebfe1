import { expect, test } from 'vitest'
import { served } from './served.ts'

const TREE = JSON.stringify({
  format: 1,
  id: 'patrol',
  events: true,
  board: { rounds: { type: 'int', default: 0 } },
  root: {
    type: 'sequence',
    id: 'root',
    children: [
      { type: 'set', id: 'count', params: { key: 'rounds', expression: 'bb.rounds + 1' } },
      { type: 'wait', id: 'nap', params: { wait_ms: 3_600_000 } },
    ],
  },
})

// The routes of reference tree 7.4.
test('a tree is looked at and debugged over HTTP by an admin, and its replay is equal', async () => {
  const { send, reflex } = await served()
  const started = await send('POST', '/v1/runs', { program: { text: TREE, name: 'patrol.tree.json' }, id: 'otter', wait: true })
  expect(started).toMatchObject({ status: 201, json: { status: 'suspended' } })
  const debug = '/api/bt/debug'
  expect(await send('GET', `${debug}/trees`)).toMatchObject({ json: { trees: [{ id: 'otter', status: 'suspended' }] } })
  expect(await send('GET', `${debug}/tree/otter`)).toMatchObject({
    json: {
      node_count: 3,
      active_path: ['root', 'nap'],
      root: { status: 'RUNNING', children: [{ status: 'SUCCESS' }, { status: 'RUNNING' }] },
    },
  })
  expect(await send('GET', `${debug}/tree/otter/blackboard`)).toMatchObject({ json: { values: { rounds: { value: 1 } } } })
  expect(await send('GET', `${debug}/tree/otter/history?node=count`)).toMatchObject({
    json: { entries: [{ node_path: 'count', status: 'SUCCESS' }], statistics: { runs: 1, successes: 1 } },
  })
  expect(await send('POST', `${debug}/tree/otter/breakpoint`, { node_id: 'count', condition: 'bb.rounds > 5' })).toMatchObject({
    status: 202,
  })
  expect(await send('GET', `${debug}/tree/otter/breakpoint`)).toMatchObject({
    json: { breakpoints: [{ node_id: 'count', condition: 'bb.rounds > 5' }] },
  })
  expect(await send('DELETE', `${debug}/tree/otter/breakpoint?node_id=count`)).toMatchObject({ status: 202 })
  expect(await send('GET', `${debug}/tree/otter/breakpoint`)).toMatchObject({ json: { breakpoints: [] } })
  expect(await send('POST', `${debug}/validate`, { text: 'return BT.tree("x", { root = BT.sucseed() })' })).toMatchObject({
    json: { findings: [{ code: 'R1202', line: 1 }] },
  })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
  await send('POST', '/pipelines', {
    dot: 'digraph p { s [shape=Mdiamond]; e [shape=Msquare]; s -> e }',
    options: { id: 'lark', wait: true },
  })
  expect(await send('GET', `${debug}/tree/lark`)).toMatchObject({ status: 422, json: { error: { code: 'R1220' } } })
})
