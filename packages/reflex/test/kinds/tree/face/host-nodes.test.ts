import { expect, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import { SUCCESS } from '../../../../src/kinds/tree/manifest/behaviour.ts'
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
