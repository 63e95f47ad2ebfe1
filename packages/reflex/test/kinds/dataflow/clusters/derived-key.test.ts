// proves: dataflow 14
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { derivedKey } from '../../../../src/kinds/dataflow/clusters/derived-key.ts'
import type { AuthoringPath } from '../../../../src/kinds/dataflow/model/graph.ts'
import { graphOf } from '../compile.ts'

it('has each segment with its length in bytes', () => {
  expect(derivedKey([['root', 'once_a']], 'has_fired')).toBe('__reflex/4:root/6:once_a/9:has_fired')
  const nested: AuthoringPath = [
    ['root', 'outer_a'],
    ['outer', 'once_b'],
  ]
  expect(derivedKey(nested, 'has_fired')).toBe('__reflex/4:root/7:outer_a/5:outer/6:once_b/9:has_fired')
  expect(derivedKey([], 's')).toBe('__reflex/1:s')
  expect(derivedKey([], 'é😀')).toBe('__reflex/6:é😀')
})

it('differs for different places and slots, also with "/" and ":" in names', () => {
  const name = fc.oneof(fc.string({ unit: fc.constantFrom('a', '/', ':', '1', 'é'), maxLength: 6 }), fc.constant('1:a/1:a'))
  const place = fc.tuple(fc.array(fc.tuple(name, name), { maxLength: 3 }), name)
  fc.assert(
    fc.property(place, place, (a, b) => {
      expect(derivedKey(...a) === derivedKey(...b)).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
    { numRuns: 2_000 },
  )
})

it('is the key of an instance, unless the instance states another', () => {
  const latch = {
    id: 'latch',
    version: 1,
    parameters: ['one', 'two'].map((name) => ({ name, type: 'String', default: { derive_key: name } })),
    nodes: {
      a: { impl: 'context_bool_source@0.1', params: { key: { exposed: 'one' } } },
      b: { impl: 'context_bool_source@0.1', params: { key: { exposed: 'two' } } },
    },
  }
  const root = {
    id: 'root',
    version: 1,
    nodes: {
      x: { cluster: 'latch@1' },
      y: { cluster: 'latch@1', params: { two: 'mine' } },
      z: { cluster: 'latch@1', params: { two: 'mine' } },
    },
  }
  expect(graphOf(root, { clusters: [latch] }).nodes.map(({ params }) => params.key)).toEqual([
    '__reflex/4:root/1:x/3:one',
    '__reflex/4:root/1:x/3:two',
    '__reflex/4:root/1:y/3:one',
    'mine',
    '__reflex/4:root/1:z/3:one',
    'mine',
  ])
})
