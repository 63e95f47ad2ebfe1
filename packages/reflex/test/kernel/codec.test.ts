import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blobsOf, decodeBatch, encodeRecord } from '../../src/kernel/journal/codec.ts'
import { copyJson, type Json } from '../../src/kernel/journal/json.ts'
import { FORMAT, type Input, type Outputs, type Rec, type Request } from '../../src/kernel/journal/record.ts'
import { codeOf } from './world.ts'

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => copyJson(value, 'value'))
const ref = fc.oneof(fc.nat(), fc.constantFrom('12w', '3f', '4s1', '5.1'))
const input = fc.oneof(
  fc.constant(undefined),
  fc.tuple(fc.constantFrom('ok' as const, 'err' as const, 'part' as const), ref, json),
  fc.tuple(fc.constantFrom('again' as const, 'unknown' as const, 'timer' as const), ref),
  fc.tuple(fc.constant('message' as const), ref, json, fc.string()),
  fc.tuple(
    fc.constant('messages' as const),
    ref,
    fc.array(fc.oneof(fc.tuple(fc.string(), json), fc.tuple(fc.string(), json, fc.string())), { minLength: 1, maxLength: 3 }),
  ),
  fc.tuple(fc.constantFrom('ret' as const, 'end' as const), ref, fc.constantFrom('done' as const, 'failed' as const)),
  fc.tuple(fc.constant('host' as const), json),
) as fc.Arbitrary<Input | undefined>
const writes = fc
  .array(fc.tuple(fc.string(), json), { minLength: 1, maxLength: 4 })
  .map((pairs) => pairs.flatMap(([key, value]): Json[] => [key, value]))
const more: fc.Arbitrary<Outputs> = fc.record(
  {
    note: json,
    tombstones: fc.array(fc.string()),
    go: fc.constant(1 as const),
    patch: fc.oneof(fc.dictionary(fc.string(), json), fc.tuple(fc.nat(), json)),
  },
  { requiredKeys: [] },
)
const record: fc.Arbitrary<Rec> = fc.record({
  frame: ref,
  elapsed: fc.nat(),
  input,
  writes: fc.option(writes, { nil: undefined }),
  position: fc.option(
    json.filter((value) => value !== null),
    { nil: undefined },
  ),
  requests: fc.option(fc.array(fc.tuple(fc.string(), json) as fc.Arbitrary<Request>, { minLength: 1 }), { nil: undefined }),
  more: fc.option(more, { nil: undefined }),
})

function decoded(rec: Rec): { readonly rec: Rec | undefined; readonly text: string } {
  const { text, blobs } = encodeRecord(rec)
  expect(blobsOf(`[${text}]`).sort()).toEqual([...(blobs?.keys() ?? [])].sort())
  return { rec: decodeBatch(FORMAT, `[${text}]`, (hash) => blobs?.get(hash) ?? 'missing')[0], text }
}

function plain(rec: Partial<Rec>): Rec {
  return { frame: 0, elapsed: 0, input: undefined, writes: undefined, position: undefined, requests: undefined, more: undefined, ...rec }
}

function inputList(rec: Rec | undefined): readonly Json[] | undefined {
  const input = rec?.input
  return input?.[0] === 'ok' && Array.isArray(input[2]) ? (input[2] as readonly Json[]) : undefined
}

describe('the codec', () => {
  it('stores the body of a message of a list once, also where it is written', () => {
    const body = { text: 'a text that is long enough', list: [1, 2, 3] }
    const rec = plain({
      input: [
        'messages',
        '2w',
        [
          ['m1', 1],
          ['m2', body, 'ann'],
        ],
      ],
      writes: ['last', body],
    })
    const { rec: back, text } = decoded(rec)
    expect(back).toEqual(rec)
    expect(text.split('long enough')).toHaveLength(2)
  })

  it('gives back every record, frozen, and encodes it to the same text again', () => {
    fc.assert(
      fc.property(record, (rec) => {
        const { rec: back, text } = decoded(rec)
        expect(back).toEqual(rec)
        expect(back === undefined ? '' : encodeRecord(back).text).toBe(text)
        for (const part of [back?.input, back?.writes, back?.position, back?.requests, back?.more]) expect(Object.isFrozen(part)).toBe(true)
      }),
    )
  })

  it('writes a value that came with the input once', () => {
    const value = copyJson({ text: 'a text that is long enough to be shared', deep: { a: 1 } }, 'v') as { text: Json; deep: Json }
    const cases: Json[][] = [
      ['k', value],
      ['k', value.text, 'l', 1, 'm', value.deep],
    ]
    for (const list of cases) {
      const rec = plain({ input: ['ok', 3, value], writes: list })
      const { rec: back, text } = decoded(rec)
      expect(back).toEqual(rec)
      expect(text.split('a text that').length - 1).toBe(1)
    }
    const list = copyJson(['k', 'short', 'l', { a: 1 }], 'v') as readonly Json[]
    const whole = plain({ input: ['ok', 3, copyJson(0, 'v')], writes: list })
    expect(decoded(whole).rec).toEqual(whole)
    const accepted = plain({ input: ['ok', 3, [list[0] ?? null, list]], writes: list })
    expect(decoded(accepted).rec).toEqual(accepted)
    const { rec: back } = decoded(accepted)
    expect(back?.writes).toBe(inputList(back)?.[1])
  })

  it('keeps large values beside the journal, wherever they stand, and the rest readable', () => {
    const large = 'x'.repeat(200_000)
    const many = Array.from({ length: 20_000 }, (_, i) => `item ${i}`)
    for (const value of [large, { small: 1, large }, [[['deep', large]]], many, { many, large }]) {
      const rec = plain({ input: ['ok', 7, copyJson(value, 'v')], writes: ['key', copyJson(value, 'v')], more: { note: 'small' } })
      const { rec: back, text } = decoded(rec)
      expect(back).toEqual(rec)
      expect(text.length).toBeLessThan(1_000)
      expect(text).toContain('small')
    }
  })

  it('refuses newer formats, and what is not a record', async () => {
    const decode = (version: number, body: string) => codeOf(Promise.resolve().then(() => decodeBatch(version, body, () => '')))
    expect(await decode(FORMAT + 1, '[]')).toBe('R5004')
    for (const body of ['[', '{}', '[1]', '[["x"]]', '[[1]]', '[[1,0,0]]', '[[4096,0]]', '[[-1]]', '[[0.5]]'])
      expect(await decode(FORMAT, body)).toBe('R5003')
  })
})
