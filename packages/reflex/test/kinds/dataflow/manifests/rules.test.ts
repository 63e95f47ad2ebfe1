// proves: dataflow 1, dataflow 2, dataflow 3, dataflow 5, dataflow 6, dataflow SRC-1, dataflow SRC-2, dataflow SRC-3, dataflow SRC-4
// proves: dataflow SRC-5, dataflow SRC-6, dataflow SRC-7, dataflow SRC-8, dataflow SRC-9, dataflow SRC-12, dataflow SRC-13
// proves: dataflow SRC-15, dataflow SRC-16, dataflow SRC-17, dataflow CMP-1, dataflow CMP-2, dataflow CMP-3, dataflow CMP-4
// proves: dataflow CMP-5, dataflow CMP-6, dataflow CMP-7, dataflow CMP-8, dataflow CMP-9, dataflow CMP-10, dataflow CMP-13
// proves: dataflow CMP-14, dataflow CMP-15, dataflow CMP-16, dataflow CMP-17, dataflow CMP-19, dataflow CMP-20, dataflow TRG-1
// proves: dataflow TRG-2, dataflow TRG-3, dataflow TRG-4, dataflow TRG-5, dataflow TRG-6, dataflow TRG-7, dataflow TRG-8
// proves: dataflow TRG-9, dataflow TRG-10, dataflow TRG-11, dataflow TRG-12, dataflow TRG-14, dataflow ACT-1, dataflow ACT-2
// proves: dataflow ACT-3, dataflow ACT-4, dataflow ACT-5, dataflow ACT-6, dataflow ACT-7, dataflow ACT-8, dataflow ACT-9, dataflow ACT-10
// proves: dataflow ACT-11, dataflow ACT-14, dataflow ACT-15, dataflow ACT-16, dataflow ACT-17, dataflow ACT-19, dataflow ACT-20
// proves: dataflow ACT-21, dataflow ACT-22, dataflow ACT-23, dataflow ACT-24, dataflow ACT-25, dataflow ACT-26, dataflow ACT-27
// proves: dataflow ACT-28, dataflow ACT-29, dataflow ACT-30, dataflow ACT-31, dataflow ACT-32, dataflow ACT-33, dataflow TRG-STATE-1
// proves: dataflow R.5, dataflow X.1, dataflow X.6, dataflow X.7, dataflow X.8, dataflow X.10
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkManifest } from '../../../../src/kinds/dataflow/manifests/check-manifest.ts'
import { readManifest } from '../../../../src/kinds/dataflow/manifests/read-manifest.ts'
import { RULES } from '../../../../src/kinds/dataflow/manifests/rules.ts'
import type { Manifest, PrimitiveKind } from '../../../../src/kinds/dataflow/model/manifest.ts'

const COMMON = {
  version: '1.0.0',
  inputs: [],
  parameters: [],
  execution: { deterministic: true },
  state: { allowed: false },
  side_effects: false,
} satisfies Partial<Manifest>
const KEY = { name: 'key', type: 'String' } as const

/** A manifest of each kind that breaks no rule and uses every part. */
const SOUND: Readonly<Record<PrimitiveKind, Manifest>> = {
  source: {
    ...COMMON,
    kind: 'source',
    id: 'read',
    outputs: [{ name: 'value', type: 'Number' }],
    parameters: [
      { ...KEY, default: 'x' },
      { name: 'size', type: 'Int', default: 3 },
    ],
    requires: { context: [{ name: '$key', type: 'Number', required: false }] },
  },
  compute: {
    ...COMMON,
    kind: 'compute',
    id: 'scale',
    inputs: [
      { name: 'a', type: 'Number' },
      { name: 'b', type: 'Series', required: false },
    ],
    outputs: [{ name: 'result', type: 'Number' }],
    parameters: [{ name: 'by', type: 'Number', default: 2 }],
    errors: { allowed: true, types: ['DivisionByZero'], deterministic: true },
  },
  trigger: {
    ...COMMON,
    kind: 'trigger',
    id: 'when',
    inputs: [{ name: 'input', type: 'Bool' }],
    outputs: [{ name: 'event', type: 'Event' }],
    parameters: [{ name: 'mode', type: 'Enum', values: ['rise', 'fall'], default: 'rise' }],
    execution: { deterministic: true, cadence: 'event' },
  },
  action: {
    ...COMMON,
    kind: 'action',
    id: 'order',
    inputs: [
      { name: 'event', type: 'Event' },
      { name: 'on', type: 'Bool' },
      { name: 'note', type: 'String', required: false },
    ],
    outputs: [{ name: 'outcome', type: 'Event' }],
    parameters: [KEY, { name: 'zone', type: 'String' }, { name: 'level', type: 'Int', default: 1 }],
    execution: { deterministic: true, retryable: false },
    side_effects: true,
    effects: {
      writes: [{ name: '$key', type: 'Bool', from_input: 'on' }],
      intents: [
        {
          name: 'heater',
          fields: [
            { name: 'on', type: 'Bool', from_input: 'on' },
            { name: 'zone', type: 'String', from_param: 'zone' },
          ],
          mirror_writes: [{ name: 'heater_on', type: 'Bool', from_field: 'on' }],
        },
      ],
    },
  },
}

/** A change of a sound manifest, as a path and the new value. */
type Change = readonly [path: readonly (string | number)[], value: unknown]
type Case = readonly [rule: string, kind: PrimitiveKind, ...changes: Change[]]

const input = (name: string, type: string, more: object = {}) => ({ name, type, ...more })
const WRITE = ['effects', 'writes', 0] as const
const INTENT = ['effects', 'intents', 0] as const

const CASES: readonly Case[] = [
  ...each(['SRC-1', 'CMP-1', 'TRG-1', 'ACT-1'], [['id'], 'No']),
  ...each(['SRC-2', 'CMP-2', 'TRG-2', 'ACT-2'], [['version'], '1.0']),
  ['SRC-4', 'source', [['inputs'], [input('a', 'Number')]]],
  ['CMP-4', 'compute', [['inputs'], []]],
  ['TRG-4', 'trigger', [['inputs'], []]],
  ['ACT-4', 'action', [['inputs', 0, 'type'], 'Number']],
  ['CMP-5', 'compute', [['inputs', 1, 'name'], 'a']],
  ['TRG-5', 'trigger', [['inputs', 1], input('input', 'Bool')]],
  ['ACT-5', 'action', [['inputs', 3], input('event', 'Event')]],
  ['CMP-13', 'compute', [['inputs', 0, 'type'], 'String']],
  ['CMP-13', 'compute', [['inputs', 0, 'type'], 'Event']],
  ['TRG-6', 'trigger', [['inputs', 0, 'type'], 'String']],
  ['CMP-13', 'compute', [['inputs', 0, 'type'], 'Int']],
  ['TRG-6', 'trigger', [['inputs', 0, 'type'], 'Any']],
  ['ACT-6', 'action', [['inputs', 1, 'type'], 'Boolean']],
  ['CMP-14', 'compute', [['inputs', 0, 'cardinality'], 'multiple']],
  ['TRG-12', 'trigger', [['inputs', 0, 'cardinality'], 'multiple']],
  ['SRC-5', 'source', [['outputs'], []]],
  ['CMP-6', 'compute', [['outputs'], []]],
  ['TRG-7', 'trigger', [['outputs'], []]],
  ['TRG-7', 'trigger', [['outputs', 1], { name: 'other', type: 'Event' }]],
  ['ACT-7', 'action', [['outputs'], []]],
  ['ACT-7', 'action', [['outputs', 1], { name: 'other', type: 'Event' }]],
  ['SRC-6', 'source', [['outputs', 1], { name: 'value', type: 'Bool' }]],
  ['CMP-7', 'compute', [['outputs', 1], { name: 'result', type: 'Bool' }]],
  ['ACT-8', 'action', [['outputs', 0, 'name'], 'done']],
  ['SRC-7', 'source', [['outputs', 0, 'type'], 'Event']],
  ['SRC-7', 'source', [['outputs', 0, 'type'], 'Float']],
  ['CMP-20', 'compute', [['outputs', 0, 'type'], 'Event']],
  ['TRG-8', 'trigger', [['outputs', 0, 'type'], 'Bool']],
  ['ACT-9', 'action', [['outputs', 0, 'type'], 'Bool']],
  ...each(['SRC-8', 'CMP-9', 'TRG-9', 'ACT-10'], [['state', 'allowed'], true]),
  ...each(['SRC-9', 'CMP-8', 'TRG-10'], [['side_effects'], true]),
  ['ACT-11', 'action', [['side_effects'], false]],
  ...each(['SRC-12', 'CMP-17', 'TRG-11', 'ACT-17'], [['execution', 'deterministic'], false]),
  ...each(['SRC-13', 'CMP-16'], [['execution', 'cadence'], 'event']),
  ['CMP-10', 'compute', [['errors', 'deterministic'], false]],
  ['ACT-16', 'action', [['execution', 'retryable'], true]],
  ['SRC-15', 'source', [['parameters', 0, 'default'], 3]],
  ['SRC-15', 'source', [['parameters', 1, 'default'], 1.5]],
  ['CMP-19', 'compute', [['parameters', 0, 'default'], true]],
  ['TRG-14', 'trigger', [['parameters', 0, 'default'], 'rises']],
  ['ACT-19', 'action', [['parameters', 2, 'default'], 2 ** 53 + 2]],
  ['CMP-15', 'compute', [['parameters', 0], { name: 'by', type: 'String', default: 'x' }]],
  ['CMP-15', 'compute', [['parameters', 0], { name: 'by', type: 'Enum', values: ['x'] }]],
  ['SRC-16', 'source', [['requires', 'context', 0, 'name'], '$other']],
  ['SRC-17', 'source', [['requires', 'context', 0, 'name'], '$size']],
  ['ACT-20', 'action', [[...WRITE, 'name'], '$other']],
  ['ACT-21', 'action', [[...WRITE, 'name'], '$level']],
  ['ACT-20', 'action', [[...INTENT, 'mirror_writes', 0, 'name'], '$other']],
  ['ACT-21', 'action', [[...INTENT, 'mirror_writes', 0, 'name'], '$level']],
  ['ACT-14', 'action', [['effects', 'writes', 1], { name: '$key', type: 'Bool', from_input: 'on' }]],
  ['ACT-14', 'action', [[...INTENT, 'mirror_writes', 0, 'name'], '$key']],
  ['ACT-15', 'action', [[...WRITE, 'type'], 'Event']],
  ['ACT-15', 'action', [[...WRITE, 'type'], 'Json']],
  ['ACT-22', 'action', [[...WRITE, 'from_input'], 'none']],
  ['ACT-23', 'action', [[...WRITE, 'type'], 'Number']],
  ['ACT-23', 'action', [[...WRITE, 'from_input'], 'event']],
  ['ACT-24', 'action', [['effects', 'intents', 1], { name: 'heater', fields: [] }]],
  ['ACT-25', 'action', [[...INTENT, 'fields', 2], { name: 'on', type: 'Bool', from_input: 'on' }]],
  ['ACT-26', 'action', [[...INTENT, 'fields', 1], { name: 'zone', type: 'String' }]],
  ['ACT-27', 'action', [[...INTENT, 'fields', 0, 'from_param'], 'zone']],
  ['ACT-28', 'action', [[...INTENT, 'fields', 0, 'from_input'], 'none']],
  ['ACT-29', 'action', [[...INTENT, 'fields', 2], { name: 'x', type: 'Number', from_input: 'on' }]],
  ['ACT-29', 'action', [[...INTENT, 'fields', 2], { name: 'x', type: 'Event', from_input: 'event' }]],
  ['ACT-30', 'action', [[...INTENT, 'fields', 1, 'from_param'], 'none']],
  ['ACT-31', 'action', [[...INTENT, 'fields', 2], { name: 'x', type: 'Number', from_param: 'level' }]],
  ['ACT-31', 'action', [[...INTENT, 'fields', 1, 'type'], 'Bool']],
  ['ACT-32', 'action', [[...INTENT, 'mirror_writes', 0, 'from_field'], 'none']],
  ['ACT-33', 'action', [[...INTENT, 'mirror_writes', 0, 'type'], 'Number']],
]

/** Rules of ours, without a number. */
const OWN: readonly Case[] = [
  ['has parameter "key" twice', 'source', [['parameters', 2], { ...KEY }]],
  ['has parameter "mode" of type Enum without values', 'trigger', [['parameters', 0], { name: 'mode', type: 'Enum' }]],
  ['has input "on" for several edges', 'action', [['inputs', 1, 'cardinality'], 'multiple']],
  ['which can be unconnected', 'action', [['effects', 'writes', 1], { name: 'n', type: 'String', from_input: 'note' }]],
  ['which can be unconnected', 'action', [[...INTENT, 'fields', 2], { name: 'n', type: 'String', from_input: 'note' }]],
  ['has an intent "set_context"', 'action', [[...INTENT, 'name'], 'set_context']],
  ['has "effects", which only actions have', 'trigger', [['effects'], {}]],
  ['has "requires", which only sources have', 'action', [['requires'], { context: [] }]],
  ['has "errors", which only computes have', 'source', [['errors'], { allowed: false, types: [], deterministic: true }]],
]

function each(rules: readonly string[], change: Change): Case[] {
  const kinds = { SRC: 'source', CMP: 'compute', TRG: 'trigger', ACT: 'action' } as const
  return rules.map((rule) => [rule, kinds[rule.slice(0, 3) as keyof typeof kinds], change])
}

function changed([, kind, ...changes]: Case): Manifest {
  const manifest = structuredClone(SOUND[kind])
  for (const [path, value] of changes) {
    let owner = manifest as unknown as Record<string | number, unknown>
    for (const step of path.slice(0, -1)) owner = owner[step] as Record<string | number, unknown>
    owner[path.at(-1) ?? ''] = value
  }
  return manifest
}

describe('the rules of manifests', () => {
  it.each(Object.entries(SOUND))('accept a %s that uses every part', (_, manifest) => expect(checkManifest(manifest)).toEqual([]))

  it.each(CASES.map((each, i) => [i, each[0], each] as const))('%i: a manifest that breaks only %s gets it', (_, rule, each) => {
    expect(checkManifest(changed(each)).map((fault) => fault.rule)).toEqual([rule])
  })

  it.each(OWN.map((each, i) => [i, each[0], each] as const))('%i: a manifest that %s is refused', (_, text, each) => {
    const [fault, ...more] = checkManifest(changed(each))
    expect(more).toEqual([])
    expect(fault?.rule).toBeUndefined()
    expect(fault?.message).toContain(text)
  })

  it('refuse a function of another kind', () => {
    const kinds = { source: 'SRC-3', compute: 'CMP-3', trigger: 'TRG-3', action: 'ACT-3' } as const
    for (const [kind, rule] of Object.entries(kinds)) {
      const manifest = { ...SOUND[kind as PrimitiveKind], kind: kind === 'source' ? 'action' : 'source' }
      expect(checkManifest(manifest, { kind: kind as PrimitiveKind }).map((fault) => fault.rule)).toEqual([rule])
    }
  })

  it('have a case each', () => {
    const proved = new Set<string>([...CASES.map(([rule]) => rule), 'SRC-3', 'CMP-3', 'TRG-3', 'ACT-3'])
    const numbered = Object.values(RULES).flatMap(({ ids }) => Object.values(ids).filter((id) => id !== undefined && id !== 'own'))
    expect(numbered.filter((id) => !proved.has(id))).toEqual([])
  })

  it('are all reported, in the order of their numbers', () => {
    const manifest = changed(['', 'compute', [['id'], '1'], [['side_effects'], true], [['inputs', 0, 'type'], 'Event'], [['outputs'], []]])
    expect(checkManifest(manifest).map((fault) => fault.rule)).toEqual(['CMP-1', 'CMP-6', 'CMP-8', 'CMP-13'])
  })

  it('are not asked for a value without the shape of a manifest', () => {
    for (const value of [
      undefined,
      null,
      3,
      [],
      {},
      { ...SOUND.source, kind: 'sink' },
      { ...SOUND.source, outptus: [] },
      { ...SOUND.source, outputs: [{ name: 'a.b', type: 'Number' }] },
      { ...SOUND.source, outputs: [{ name: '__proto__', type: 'Number' }] },
      { ...SOUND.action, effects: { intents: [{ name: '\ud800', fields: [] }] } },
    ]) {
      const findings = checkManifest(value)
      expect(findings.length).toBeGreaterThan(0)
      for (const { code } of findings) expect(code).toMatch(/^R101[1-5]$/)
    }
  })

  it('never throw, whatever a manifest has', () => {
    const kinds = fc.constantFrom<PrimitiveKind>('source', 'compute', 'trigger', 'action')
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('$key', '$', 'event', 'Event', 'Number', 'Enum', '\ud800', '__proto__', 1e308))
    fc.assert(
      fc.property(kinds, kinds, fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 4 }), (kind, role, changes) => {
        const manifest = structuredClone(SOUND[kind]) as unknown
        for (const [at, next] of changes) {
          const places = placesOf(manifest)
          const [owner, key] = places[at % places.length] ?? [{}, '']
          owner[key] = next
        }
        for (const { code, message } of checkManifest(manifest, { kind: role })) {
          expect(code).toMatch(/^R1(01[1-5]|34[1-6])$/)
          expect(message).not.toContain('undefined')
        }
        expect(Array.isArray(readManifest(JSON.stringify(manifest)).findings)).toBe(true)
      }),
    )
  })
})

/** Returns every place of a value: its owner and its key. */
function placesOf(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown>
  return Object.keys(owner).flatMap((key) => [[owner, key] as [Record<string, unknown>, string], ...placesOf(owner[key])])
}
