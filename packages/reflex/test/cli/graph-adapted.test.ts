import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quoted } from '../../src/kinds/pipeline/dot/literal.ts'
import { reflex, workFolder } from './worlds.ts'

const ops = [
  { op: 'add_node', id: 'check', attrs: { type: 'transform', transform: 'constant', expression: 'fine', output_key: 'verdict' } },
  { op: 'remove_edge', from: 'plan', to: 'ship' },
  { op: 'add_edge', from: 'plan', to: 'check' },
  { op: 'add_edge', from: 'check', to: 'ship' },
]
const GROW = `digraph grow {
  start [shape=Mdiamond]
  plan [type=adapt, mutations=${quoted(JSON.stringify(ops))}]
  ship [type=transform, transform=constant, expression="shipped", output_key="state"]
  done [shape=Msquare]
  start -> plan -> ship -> done
}`

test('a run that changed its pipeline is drawn with the current pipeline and its changes', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'grow.dot'), GROW)
  expect((await reflex(['run', 'grow.dot', '--trust', 'autonomous', '--id', 'otter-2m9q', '--answers', 'none'], { folder })).code).toBe(0)
  const { out, code } = await reflex(['graph', 'otter-2m9q', '--json'], { folder })
  expect(code).toBe(0)
  const [drawn] = (JSON.parse(out) as { programs: { program: string; nodes: { id: string; standing: string }[] }[] }).programs
  expect(drawn).toMatchObject({ program: 'grow~v1', changes: ['+check', '+plan->check', '+check->ship', '-plan->ship'] })
  expect(drawn?.nodes.find(({ id }) => id === 'check')?.standing).toBe('passed')

  const before = JSON.parse((await reflex(['graph', 'otter-2m9q@3', '--json'], { folder })).out) as { programs: object[] }
  expect(before.programs[0]).toMatchObject({ program: 'grow' })

  expect((await reflex(['graph', 'otter-2m9q', '--no-color'], { folder, columns: 80 })).out).toContain(
    'changed by the run: +check, +plan->check, +check->ship, -plan->ship',
  )
  expect((await reflex(['trace', 'otter-2m9q', '--no-color'], { folder, columns: 120 })).out).toMatch(
    /plan +changes the pipeline, version 1: \+ check, \+ plan -> check/,
  )
  expect((await reflex(['replay', 'otter-2m9q'], { folder })).code).toBe(0)
})
