import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../app/folders.ts'
import { served } from './served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; no [shape=box, tool_command="true"]; gate -> exit [label="yes"]; gate -> no [label="no"]; no -> exit }'

test('of two answers at once to a run, one through the server that holds it, exactly one counts, and the other names it', async () => {
  const folder = newFolder()
  const store = join(folder, 'reflex.db')
  const one = await served({}, { store, workdir: folder })
  const other = await served({}, { store, workdir: folder })
  for (let i = 0; i < 4; i++) {
    const run = `otter-${i}`
    expect(await one.send('POST', '/v1/runs', { program: { text: ASKS, name: 'ask.dot' }, id: run, wait: true })).toMatchObject({
      status: 201,
    })
    const answers = await Promise.all([
      other.send('POST', `/v1/runs/${run}/questions/q1/answer`, { value: 'yes' }),
      one.send('POST', `/v1/runs/${run}/questions/q1/answer`, { value: 'no' }),
    ])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409])
    const lost = answers.find(({ status }) => status === 409)
    expect(lost?.json).toMatchObject({ error: { code: 'R2002' } })
  }
})
