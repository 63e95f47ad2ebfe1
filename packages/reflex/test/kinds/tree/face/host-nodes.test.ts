import { expect, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import { type Next, SUCCESS, type Tick, type TreeNode } from '../../../../src/kinds/tree/manifest/behaviour.ts'
import type { NodeManifest } from '../../../../src/kinds/tree/manifest/manifest.ts'

const CHARGE = {
  type: 'charge',
  role: 'leaf',
  children: [0, 0],
  parameters: [],
  propagates: 'leaf',
  outcomes: () => ({ success: true, failure: false, running: false }),
  doc: 'Sets the level of a battery.',
  example: 'BT.charge()',
  behaviour: { enter: () => SUCCESS },
}

test.each<[where: string, wrong: object]>([
  ['.nodes[0].type', { type: 7 }],
  ['.nodes[0].role', { role: 'twig' }],
  ['.nodes[0].parameters[0].type', { parameters: [{ name: 'to', type: 'int', doc: 'The level.' }] }],
  ['.nodes[0].outcomes', { outcomes: undefined }],
  ['.nodes[0].behaviour', { behaviour: {} }],
])('a manifest of a host is refused before a tree is read: %s', (where, wrong) => {
  const nodes = [{ ...CHARGE, ...wrong }] as unknown as NodeManifest[]
  expect(() => new Reflex({ store: 'memory:', tree: { nodes } })).toThrow(
    expect.objectContaining({ code: 'R1090', path: `options.tree${where}` }),
  )
})

test.each<[what: string, enter: (tick: Tick, node: TreeNode) => Next, code: string]>([
  ['a refused write', (tick, node) => (tick.board(node).set('level', 'much'), SUCCESS), 'E1002'],
  ['a key that is not declared', (tick, node) => (tick.board(node).set('nothing', 1), SUCCESS), 'E1001'],
  [
    'an error in its code',
    () => {
      throw new TypeError('no such battery')
    },
    'R1254',
  ],
])('what a node of a host throws is a failure of the node, and the tree goes on: %s', async (_, enter, code) => {
  const reflex = new Reflex({ store: 'memory:', tree: { nodes: [{ ...CHARGE, behaviour: { enter } } as unknown as NodeManifest] } })
  const root = {
    type: 'selector',
    id: 'root',
    children: [
      { type: 'charge', id: 'charge' },
      { type: 'set', id: 'else', params: { key: 'level', value: 7 } },
    ],
  }
  const handle = await reflex.run({ format: 1, id: 'main', board: { level: { type: 'int' } }, root } as never, { id: 'otter' })
  expect([handle.status, handle.get('level')]).toEqual(['completed', 7])
  expect((await reflex.show('otter')).failures).toMatchObject([{ node: 'charge' }])
  expect(handle.run.state.root.reader().get('_failure.0')).toMatchObject({ error_code: code })
  await reflex.close()
})
