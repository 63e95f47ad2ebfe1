import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { bindEvent } from '../../../../src/kinds/dataflow/adapter/bind-event.ts'
import { prepareAdapter } from '../../../../src/kinds/dataflow/adapter/event-form.ts'
import { readHostFile } from '../../../../src/kinds/dataflow/adapter/host-file.ts'
import { readAdapter } from '../../../../src/kinds/dataflow/adapter/read-adapter.ts'
import type { Bundle } from '../../../../src/kinds/dataflow/capture/bundle.ts'
import { bundleOf } from '../../../../src/kinds/dataflow/capture/capture-step.ts'
import { hashText } from '../../../../src/kinds/dataflow/capture/hash.ts'
import { readBundle } from '../../../../src/kinds/dataflow/capture/read-bundle.ts'
import { replayBundle } from '../../../../src/kinds/dataflow/capture/replay-bundle.ts'
import type { HostedEvent } from '../../../../src/kinds/dataflow/model/event.ts'
import { THERMOSTAT } from '../adapter/thermostat.ts'
import { THERMOSTAT_GRAPH } from '../graphs.ts'
import { evaluation, readings, record } from './recorded-run.ts'

const { header, steps } = record(THERMOSTAT_GRAPH, THERMOSTAT, readings([20, 18.5, 21]))
const BUNDLE = bundleOf(header, steps) as Bundle
const HOST = {
  kind: 'host',
  constraints: { max_per_window: 1, rate_window: '1s' },
  channels: { hvac: { type: 'process', command: ['hvac'] } },
  routes: { heater_command: { channel: 'hvac', ack_timeout: '5s' } },
}

const WORDS = [
  '',
  'object',
  'number',
  '__proto__',
  'constructor',
  'temp',
  '$ref',
  '~due/0',
  '1s',
  '\ud800',
  -1,
  0,
  1e308,
  0.5,
  null,
  true,
  [],
  {},
]

/** Replaces the part of a value that a list of numbers leads to. */
function replaced(value: Json, [step, ...rest]: readonly number[], by: Json): Json {
  if (step === undefined || typeof value !== 'object' || value === null) return by
  const keys = Object.keys(value)
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined) return by
  const inner = replaced((value as Record<string, Json>)[key] ?? null, rest, by)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as Record<string, Json>), [key]: inner }
}

const changes = fc.array(
  fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 7 }), fc.oneof(fc.constantFrom(...WORDS), fc.jsonValue())),
  {
    minLength: 1,
    maxLength: 3,
  },
)

function changed(value: unknown, list: readonly (readonly [readonly number[], unknown])[]): string {
  return JSON.stringify(list.reduce((at, [path, by]) => replaced(at, path, by as Json), value as Json))
}

it('adapters, host files and captures with wrong parts are read, or refused with findings that say what to do', () => {
  fc.assert(
    fc.property(changes, fc.nat(), (list, cut) => {
      for (const [value, read] of [
        [THERMOSTAT, readAdapter],
        [HOST, readHostFile],
        [BUNDLE, readBundle],
      ] as const) {
        const text = changed(value, list)
        for (const wrong of [text, text.slice(0, cut % (text.length + 1))])
          for (const finding of read(wrong, 'file').findings) expect([finding.message, finding.file]).toEqual([expect.any(String), 'file'])
      }
      const { adapter } = readAdapter(changed(THERMOSTAT, list))
      if (adapter !== undefined) prepareAdapter(adapter)
    }),
    { numRuns: 150, seed: 11 },
  )
})

it('a capture with wrong parts that can be read is replayed or refused', () => {
  fc.assert(
    fc.property(changes, (list) => {
      const { bundle } = readBundle(changed(BUNDLE, list))
      if (bundle === undefined) return
      const options = { graph: THERMOSTAT_GRAPH, adapter: THERMOSTAT, evaluate: evaluation(THERMOSTAT_GRAPH) }
      const { findings } = replayBundle(bundle, options)
      if (JSON.stringify(bundle) !== JSON.stringify(BUNDLE)) expect(findings[0]?.rule).toMatch(/^replay\./)
    }),
    { numRuns: 500, seed: 12 },
  )
})

it('an event with any payload is bound or refused', () => {
  const prepared = prepareAdapter(THERMOSTAT)
  const payloads = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('temp', 'heater_on', 'tmp', '__proto__'), fc.jsonValue()))
  fc.assert(
    fc.property(payloads, (payload) => {
      const event = { ...readings([1])[0], payload } as HostedEvent
      const bound = bindEvent(prepared, () => undefined, event)
      if ('refused' in bound) expect(bound.refused.code).toBe('R1331')
      else expect(Object.keys(bound.context).every((name) => ['temp', 'heater_on'].includes(name))).toBe(true)
    }),
    { numRuns: 500, seed: 13 },
  )
})

it('a payload that is nested deeply is refused, in an event as in a capture', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const payload = `{"temp":${deep}}`
  const event = { ...readings([1])[0], payload: JSON.parse(payload) as object } as HostedEvent
  expect(bindEvent(prepareAdapter(THERMOSTAT), () => undefined, event)).toMatchObject({ refused: { code: 'R1331' } })
  const first = { ...steps[0], event: { ...steps[0]?.event, payload, payload_hash: hashText(payload) } } as (typeof steps)[number]
  const captured = bundleOf(header, [first, ...steps.slice(1)]) as Bundle
  const options = { graph: THERMOSTAT_GRAPH, adapter: THERMOSTAT, evaluate: evaluation(THERMOSTAT_GRAPH) }
  expect(replayBundle(captured, options).findings).toMatchObject([{ rule: 'replay.event_rehydrate_failed' }])
})
