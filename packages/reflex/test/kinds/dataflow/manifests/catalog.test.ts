// proves: dataflow 4, dataflow SRC-14, dataflow CMP-18, dataflow TRG-13, dataflow ACT-18
import { describe, expect, it } from 'vitest'
import { Catalog, catalogFindings } from '../../../../src/kinds/dataflow/manifests/catalog.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'

function constant(id: string, version = '1.0.0'): Primitive {
  const manifest = {
    kind: 'source',
    id,
    version,
    inputs: [],
    outputs: [{ name: 'value', type: 'Number' }],
    parameters: [],
    execution: { deterministic: true },
    state: { allowed: false },
    side_effects: false,
  } as const
  return { manifest, kind: 'source', run: () => ({ value: 1 }) }
}

describe('a catalog', () => {
  it('finds primitives by id and version, in the order of semantic versions', () => {
    const versions = ['1.10.0', '1.2.0', '1.2.0-rc.1', '2.0.0', '1.2.0+b', '1.2.0+a']
    const catalog = new Catalog([constant('b'), ...versions.map((version) => constant('a', version))], { severalVersions: true })
    expect(catalog.ids()).toEqual(['a', 'b'])
    expect(catalog.versions('a')).toEqual(['1.2.0-rc.1', '1.2.0', '1.2.0+a', '1.2.0+b', '1.10.0', '2.0.0'])
    expect(catalog.get('a', '1.10.0')?.manifest.version).toBe('1.10.0')
    expect([catalog.get('a', '3.0.0'), catalog.get('c', '1.0.0'), catalog.versions('constructor')]).toEqual([undefined, undefined, []])
  })

  it('refuses an id twice, whatever the version, unless it allows several versions', () => {
    const rules = (primitives: readonly Primitive[], severalVersions = false) =>
      catalogFindings(primitives, { severalVersions }).map(({ rule }) => rule)
    expect(rules([constant('a'), constant('a', '2.0.0')])).toEqual(['SRC-14'])
    expect(rules([constant('a'), constant('a', '2.0.0')], true)).toEqual([])
    expect(rules([constant('a'), constant('a'), constant('a')], true)).toEqual(['SRC-14', 'SRC-14'])
    const twice = { ...constant('a').manifest, kind: 'compute', inputs: [{ name: 'x', type: 'Number' }] } as const
    expect(rules([constant('a'), { manifest: twice, kind: 'compute', run: () => ({ value: 1 }) }])).toEqual(['CMP-18'])
    const pairs = ['const_number', 'emit_if_true', 'ack_action'].map((id) => STANDARD.filter(({ op }) => op === id))
    expect(pairs.map((pair) => rules([...pair, ...pair]))).toEqual([['CMP-18'], ['TRG-13'], ['ACT-18']])
    expect(() => new Catalog([constant('a'), constant('a')])).toThrow('primitive "a" occurs twice with version 1.0.0')
  })

  it('refuses versions that are not semantic versions with three parts', () => {
    for (const version of ['1', '1.0', 'v1.0.0', ' 1.0.0', '1.0.0 ', '01.0.0', '1.0.0-', '1.0.0-01', 'latest', '', '9'.repeat(300)])
      expect(catalogFindings([constant('a', version)]).map(({ rule }) => rule)).toEqual(['SRC-2'])
    for (const version of ['0.0.0', '1.0.0-rc.1', '1.0.0-0a', '1.0.0+01', '1.0.0-x.y+z.1'])
      expect(catalogFindings([constant('a', version)])).toEqual([])
  })

  it('refuses what is not a primitive', () => {
    for (const wrong of [undefined, {}, { id: 3 }]) {
      const primitive = { ...constant('a'), manifest: wrong } as unknown as Primitive
      expect(catalogFindings([primitive]).length).toBeGreaterThan(0)
    }
    const broken = { ...constant('b'), manifest: { ...constant('b').manifest, side_effects: true } } as Primitive
    expect(catalogFindings([constant('a'), broken]).map(({ path }) => path)).toEqual(['primitives[1].side_effects'])
  })
})
