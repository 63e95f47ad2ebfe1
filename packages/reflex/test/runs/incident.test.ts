import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFault } from '../../src/kernel/index.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { reflexOf } from './world.ts'

/** Two branches that wait for somebody. */
const FAN = `digraph fan { start [shape=Mdiamond]; done [shape=Msquare]; fan [shape=component]; join [shape=tripleoctagon]
  one [shape=hexagon, label="One?"]; two [shape=hexagon, label="Two?"]
  start -> fan; fan -> one; fan -> two; one -> join [label="Yes"]; two -> join [label="Yes"]; join -> done }`
const FAILS = `digraph fails { start [shape=Mdiamond]; done [shape=Msquare]; ship [type=transform, transform=increment, source_key=current_node]; back [type=transform, transform=constant, expression=x, output_key=k]
  start -> ship -> done; ship -> back [condition="outcome=fail"]; back -> done }`

async function started(name: string, dot: string): Promise<Reflex> {
  const reflex = reflexOf()
  const file = join(reflex.workdir, `${name}.dot`)
  writeFileSync(file, dot)
  await reflex.run(file, { id: 'otter' })
  return reflex
}

test('a failed node is shown as failed', async () => {
  const reflex = await started('fails', FAILS)
  expect(await reflex.why('otter', 'ship')).toMatchObject({ name: 'ship', failed: true })
  expect(await reflex.why('otter', 'back')).not.toHaveProperty('failed')
})

test('branches that have begun are not offered as edges, and end with a cancelled run', async () => {
  const reflex = await started('fan', FAN)
  const { last } = await reflex.find('otter')
  expect((await reflex.show(`otter@${last}`)).choices.map(({ id }) => id)).toEqual(['one->join', 'two->join'])
  const { handle } = await reflex.cancel('otter')
  await handle?.idle()
  const ended = (await reflex.trace('otter')).lines.filter(({ event: { mark } }) => mark === 'skip')
  expect(ended.map(({ event: { node, text } }) => `${node} ${text}`)).toEqual(['one cancelled', 'two cancelled'])
})

test('if there is nothing to decide, the fix is a command for a record that has a decision', async () => {
  const reflex = reflexOf()
  const asks = {
    id: 'asks',
    entry: 'a',
    nodes: { a: { id: 'a', spec: {} }, b: { id: 'b', spec: { ask: 'Go on?' } } },
    edges: [{ id: 'e', from: 'a', to: 'b', event: 'NEXT' }],
  }
  await reflex.run(asks, { id: 'otter' })
  const thrown: unknown = await reflex.fork('otter@1', { decide: 'yes' }).catch((fault: unknown) => fault)
  expect(isFault(thrown) && [thrown.code, thrown.fix]).toEqual(['R2063', expect.stringMatching(/^reflex fork otter@\d+ --decide yes$/)])
})
