import { describe, expect, expectTypeOf, it } from 'vitest'
import { digest, isFault, type Json } from '../../../../src/kernel/index.ts'
import { checkManifest } from '../../../../src/kinds/dataflow/manifests/check-manifest.ts'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import { readManifest } from '../../../../src/kinds/dataflow/manifests/read-manifest.ts'
import { manifestSchema } from '../../../../src/kinds/dataflow/manifests/schema.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'
import { schemaIssues } from '../../../../src/text/json-schema/check.ts'

const COMMON = { version: '1.0.0', execution: { deterministic: true }, state: { allowed: false } } as const

const CLAMP = {
  ...COMMON,
  kind: 'compute',
  id: 'clamp',
  inputs: [
    { name: 'value', type: 'Number' },
    { name: 'most', type: 'Number', required: false },
  ],
  outputs: [
    { name: 'result', type: 'Number' },
    { name: 'cut', type: 'Bool' },
  ],
  parameters: [{ name: 'least', type: 'Int', default: 0 }],
  side_effects: false,
  errors: { allowed: true, types: ['Empty'], deterministic: true },
} as const

describe('definePrimitive', () => {
  it('types a compute by its manifest', () => {
    const clamp = definePrimitive(CLAMP, (inputs, parameters) => {
      expectTypeOf(inputs.value).toEqualTypeOf<number>()
      expectTypeOf(inputs.most).toEqualTypeOf<number | undefined>()
      expectTypeOf(parameters).toEqualTypeOf<{ readonly least: number }>()
      const { value, most = Number.MAX_VALUE } = inputs
      if (most < parameters.least) return { error: 'Empty' }
      return { result: Math.max(parameters.least, Math.min(value, most)), cut: value > most || value < parameters.least }
    })
    expect(checkManifest(clamp.manifest, { kind: clamp.kind })).toEqual([])
    expect(clamp.kind === 'compute' && clamp.run({ value: 7, most: 5 }, { least: 0 })).toEqual({ result: 5, cut: true })
    // @ts-expect-error -- the output "cut" is missing
    definePrimitive(CLAMP, ({ value }) => ({ result: value }))
    // @ts-expect-error -- an output has another type
    definePrimitive(CLAMP, ({ value }) => ({ result: value, cut: value }))
    // @ts-expect-error -- an input that is not declared
    definePrimitive(CLAMP, ({ other }) => ({ result: Number(other), cut: true }))
    // @ts-expect-error -- an error that is not declared
    definePrimitive(CLAMP, () => ({ error: 'Other' }))
    // @ts-expect-error -- a promise
    definePrimitive(CLAMP, async ({ value }) => ({ result: value, cut: false }))
  })

  it('types the other kinds', () => {
    definePrimitive(
      { ...COMMON, kind: 'source', id: 's', inputs: [], outputs: [{ name: 'v', type: 'Series' }], parameters: [], side_effects: false },
      (_, context) => {
        expectTypeOf(context.value('x')).toEqualTypeOf<number | readonly number[] | boolean | string | undefined>()
        return { v: [1] }
      },
    )
    const trigger = {
      ...COMMON,
      kind: 'trigger',
      id: 't',
      inputs: [{ name: 'e', type: 'Event' }],
      outputs: [{ name: 'event', type: 'Event' }],
      parameters: [{ name: 'mode', type: 'Enum', values: ['on', 'off'] }],
      side_effects: false,
    } as const
    definePrimitive(trigger, ({ e }, { mode }) => {
      expectTypeOf(e).toEqualTypeOf<'Emitted' | 'NotEmitted'>()
      expectTypeOf(mode).toEqualTypeOf<'on' | 'off'>()
      return mode === 'on' ? e : 'NotEmitted'
    })
    // @ts-expect-error -- a trigger returns an event
    definePrimitive(trigger, () => true)
    const action = {
      ...COMMON,
      kind: 'action',
      id: 'a',
      inputs: [{ name: 'event', type: 'Event' }],
      outputs: [{ name: 'outcome', type: 'Event' }],
      parameters: [],
      side_effects: true,
    } as const
    definePrimitive(action, ({ event }) => {
      expectTypeOf(event).toEqualTypeOf<'Attempted'>()
      return 'Completed'
    })
    // @ts-expect-error -- a function never skips itself
    definePrimitive(action, () => 'Skipped')
  })

  it('keeps a copy of the manifest and the digest of the text of the function', () => {
    const manifest = structuredClone(CLAMP)
    const run = ({ value }: { value: number }) => ({ result: value, cut: false })
    const primitive = definePrimitive(manifest, run)
    expect(primitive.digest).toBe(digest(String(run)))
    ;(manifest as { id: string }).id = 'other'
    expect(primitive.manifest.id).toBe('clamp')
    expect(Object.isFrozen(primitive.manifest.inputs)).toBe(true)
  })

  it('refuses what is not a manifest or a function', () => {
    const define = definePrimitive as (manifest: unknown, run: unknown) => unknown
    for (const [manifest, run] of [
      [undefined, () => ({})],
      [CLAMP, undefined],
      [{ ...CLAMP, about: Number.NaN }, () => ({})],
    ])
      expect(() => define(manifest, run)).toThrow(expect.toSatisfy(isFault))
  })
})

describe('a file of a manifest', () => {
  it('is read with comments and its schema', () => {
    const text = `// a clamp\n${JSON.stringify({ $schema: 'x.json', ...CLAMP })}`
    expect(readManifest(text, 'clamp.primitive.json')).toEqual({ manifest: CLAMP, findings: [] })
  })

  it('gets every finding with its place', () => {
    const text = JSON.stringify({ ...CLAMP, id: 'Clamp', side_effects: true }, null, 2)
    const { manifest, findings } = readManifest(text, 'clamp.primitive.json')
    expect(manifest).toBeUndefined()
    expect(findings.map(({ rule, file, line, path }) => [rule, file, line, path])).toEqual([
      ['CMP-1', 'clamp.primitive.json', 10, 'id'],
      ['CMP-8', 'clamp.primitive.json', text.split('\n').findIndex((line) => line.includes('side_effects')) + 1, 'side_effects'],
    ])
    expect(findings[0]?.frame).toContain('"id": "Clamp"')
  })

  it('is refused for text that is not JSON, and for an Int that JSON rounds', () => {
    expect(readManifest('{').findings.map(({ code }) => code)).toEqual(['R1001'])
    const text = JSON.stringify(CLAMP).replace('"default":0', '"default":9007199254740993')
    expect(readManifest(text).findings.map(({ rule, severity, message }) => [rule, severity, message])).toEqual([
      [undefined, 'warning', '"9007199254740993" becomes 9007199254740992'],
      ['CMP-19', 'error', expect.stringContaining('cannot be 9007199254740993')],
    ])
  })

  it('has a published schema with an explanation of every field', () => {
    const schema = manifestSchema() as { $id: string; properties: Record<string, object>; required: string[] }
    expect(schema.$id).toBe('urn:reflex:dataflow-primitive')
    expect(schema.required).toEqual(['kind', 'id', 'version', 'inputs', 'outputs', 'parameters', 'execution', 'state', 'side_effects'])
  })

  it('fits the published schema if it has the shape of a manifest', () => {
    const fits = (value: unknown) => schemaIssues(manifestSchema(), value as Json).length === 0
    expect([CLAMP, ...STANDARD.map(({ manifest }) => manifest)].filter((manifest) => !fits(manifest))).toEqual([])
    for (const wrong of [
      { ...CLAMP, kind: 'sink' },
      { ...CLAMP, outptus: [] },
      { ...CLAMP, inputs: [{ name: 'a b', type: 'Number' }] },
      {},
    ])
      expect([fits(wrong), checkManifest(wrong).length > 0]).toEqual([false, true])
  })
})
