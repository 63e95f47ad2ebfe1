// proves: dataflow 45
// proves: dataflow 59
// proves: dataflow 60
// proves: dataflow 61
// proves: dataflow 62
// proves: dataflow 63
// proves: dataflow 64
// proves: dataflow 65
// proves: dataflow 66
// proves: dataflow SUP-3
// proves: dataflow REP-1
// proves: dataflow REP-2
// proves: dataflow REP-7
// proves: dataflow REP-8
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../../src/kernel/index.ts'
import type { Bundle } from '../../../../src/kinds/dataflow/capture/bundle.ts'
import { bundleOf } from '../../../../src/kinds/dataflow/capture/capture-step.ts'
import { hashJson, hashText } from '../../../../src/kinds/dataflow/capture/hash.ts'
import { type HostState, isFinalizable, nextHostState } from '../../../../src/kinds/dataflow/capture/host-state.ts'
import { preflight } from '../../../../src/kinds/dataflow/capture/preflight.ts'
import { readBundle } from '../../../../src/kinds/dataflow/capture/read-bundle.ts'
import { replayBundle, type ReplayOptions } from '../../../../src/kinds/dataflow/capture/replay-bundle.ts'
import { writeBundle } from '../../../../src/kinds/dataflow/capture/write-bundle.ts'
import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import { THERMOSTAT } from '../adapter/thermostat.ts'
import { graphOf, THERMOSTAT_GRAPH } from '../graphs.ts'
import { evaluation, readings, record, type Recorded } from './recorded-run.ts'

const RUN = record(THERMOSTAT_GRAPH, THERMOSTAT, readings([20, 18.5, 20.5, 21, 20, 19]))
const LIMITED = { max_per_window: 1, rate_window: 3000, max_retries: 1, deadline: 5000 }
const DEFERRING = record(THERMOSTAT_GRAPH, THERMOSTAT, readings([18, 22, null, 18, null, null, null]), LIMITED)

function bundle({ header, steps }: Recorded): Bundle {
  const made = bundleOf(header, steps)
  if (made === undefined) throw new Error('the run has no events')
  return made
}

function replay(captured: Bundle, more: Partial<ReplayOptions> = {}) {
  return replayBundle(captured, { graph: THERMOSTAT_GRAPH, adapter: THERMOSTAT, evaluate: evaluation(THERMOSTAT_GRAPH), ...more })
}

const rulesOf = (findings: readonly { readonly rule?: string | undefined }[]) => findings.map(({ rule }) => rule)

describe('the hashes of captures', () => {
  it('are those of the reference', () => {
    expect(hashText('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    const effect = { kind: 'set_context', writes: [{ key: 'x', value: { Number: 1 } }], intents: [] }
    expect(canonicalJson(effect)).toBe('{"intents":[],"kind":"set_context","writes":[{"key":"x","value":{"Number":1}}]}')
    expect(hashJson(effect)).toBe('935d3e059c07c32f2cacaa78c8d3d79841709aac439bdab3356772b1d531a768')
  })

  it('are over canonical JSON as RFC 8785 has it', () => {
    const sample = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 })).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    )
    expect(canonicalJson([-0, 0, 1e21, 1e-7])).toBe('[0,0,1e+21,1e-7]')
  })
})

describe('a replay', () => {
  // proves: dataflow REP-SCOPE
  it('equals its capture, sends nothing, and rebuilds the context', () => {
    for (const recorded of [RUN, DEFERRING]) {
      const report = replay(bundle(recorded))
      expect(report.findings).toEqual([])
      expect(report.context).toEqual(recorded.context)
      expect(report.events).toBe(recorded.steps.length)
    }
    expect(replay(bundle(RUN)).verified).toBe(3)
    expect(RUN.steps.map(({ decision }) => decision.effects.length)).toEqual([0, 2, 0, 2, 0, 2])
    expect(RUN.steps[1]?.decision.effects[1]?.effect.intents[0]?.intent_id).toMatch(
      /2e29020229421795d11c2a8aa8babc668c4063d2bd5689d7e9db9121c6d78e29$/,
    )
    expect(DEFERRING.steps.map(({ decision }) => decision.decision)).toContain('Defer')
  })

  it('equals the capture of any run: random events, limits and pumps', () => {
    const events = fc.array(fc.option(fc.integer({ min: 16, max: 23 })), { minLength: 1, maxLength: 25 })
    const limits = fc.constantFrom({}, LIMITED, { max_per_window: 2, rate_window: 1500 }, { deadline: 0 })
    fc.assert(
      fc.property(events, limits, (temperatures, constraints) => {
        const recorded = record(THERMOSTAT_GRAPH, THERMOSTAT, readings(temperatures), constraints)
        const captured = bundle(recorded)
        const report = replay(captured)
        expect([report.findings, report.context]).toEqual([[], recorded.context])
        const text = [...writeBundle(recorded.header, recorded.steps)].join('')
        const read = readBundle(text).bundle
        expect(read).toEqual(captured)
        expect(text).toBe(`${canonicalJson(JSON.parse(JSON.stringify(captured)) as never)}\n`)
        const lines = [...writeBundle(recorded.header, recorded.steps, 0)].join('')
        expect(lines.split('\n')).toHaveLength(temperatures.length + 3)
        expect(readBundle(lines)).toEqual({ bundle: captured, findings: [] })
      }),
      { numRuns: 100, seed: 3 },
    )
  })

  it('equals the capture of an interrupted run, whose last intent has no acknowledgement', () => {
    const recorded = record(THERMOSTAT_GRAPH, THERMOSTAT, readings([20, 18.5]), {}, 'egress_ack_timeout')
    const captured = bundle(recorded)
    expect(captured.decisions[1]).toMatchObject({ interruption: 'egress_ack_timeout' })
    expect(captured.decisions[1]?.intent_acks).toBeUndefined()
    expect(replay(captured)).toMatchObject({ findings: [], verified: 1, context: new Map([['heater_on', true]]) })
  })

  it('does not exist for a run without events', () => {
    expect(bundleOf(RUN.header, [])).toBeUndefined()
    expect([...writeBundle(RUN.header, [])]).toEqual([])
  })

  it('stops at the first difference, or reports all', () => {
    const off: ReplayOptions['evaluate'] = (context, id) => ({ ...evaluation(THERMOSTAT_GRAPH)(context, id), effects: [] })
    expect(rulesOf(replay(bundle(RUN), { evaluate: off }).findings)).toEqual(['replay.effect_mismatch'])
    const [first, ...others] = replay(bundle(RUN), { evaluate: off, all: true }).findings
    expect(first?.data).toMatchObject({ event_id: 't2', effect_index: 0, expected: { kind: 'set_context' } })
    expect(others.length).toBeGreaterThan(1)
  })
})

describe('the preflight', () => {
  const never: ReplayOptions['evaluate'] = () => {
    throw new Error('evaluated')
  }
  const refused = (more: Partial<ReplayOptions>, captured = bundle(RUN)) => rulesOf(replay(captured, { evaluate: never, ...more }).findings)
  const changedNode = (change: (node: ValidatedGraph['nodes'][number]) => ValidatedGraph['nodes'][number]): ValidatedGraph => ({
    ...THERMOSTAT_GRAPH,
    nodes: THERMOSTAT_GRAPH.nodes.map((node, index) => (index === 0 ? change(node) : node)),
  })

  it('refuses another graph, parameter, primitive or adapter, and evaluates nothing', () => {
    const graphs: ValidatedGraph[] = [
      changedNode((node) => ({ ...node, params: { zone: 'attic' } })),
      changedNode(({ primitive, ...node }) => ({ ...node, primitive: { ...primitive, digest: 'b'.repeat(64) } })),
      changedNode(({ primitive, ...node }) => ({
        ...node,
        primitive: {
          ...primitive,
          manifest: { ...primitive.manifest, effects: { writes: [{ name: 'k', type: 'Bool', from_input: 'on' }] } },
        },
      })),
      changedNode(({ primitive, ...node }) => ({
        ...node,
        primitive: { ...primitive, manifest: { ...primitive.manifest, version: '0.2.0' } },
      })),
      { ...THERMOSTAT_GRAPH, edges: THERMOSTAT_GRAPH.edges.slice(1) },
      { ...THERMOSTAT_GRAPH, outputs: [] },
    ]
    for (const graph of graphs) expect(refused({ graph })[0]).toBe('replay.runtime_provenance_mismatch')
    expect(refused({ adapter: undefined })[0]).toBe('replay.adapter_required')
    expect(refused({ adapter: { ...THERMOSTAT, about: 'changed' } })).toEqual(['replay.adapter_provenance_mismatch'])
    expect(refused({ graph: { ...THERMOSTAT_GRAPH, id: 'other' } })).toEqual([
      'replay.runtime_provenance_mismatch',
      'replay.graph_id_mismatch',
    ])
  })

  it('takes a graph with other names, selectors and descriptions', () => {
    const renamed = changedNode(({ primitive, ...node }) => ({
      ...node,
      selector: '0.1.0',
      path: [['thermostat', 'heat']],
      primitive: { ...primitive, manifest: { ...primitive.manifest, about: 'Switches the heater.' } },
    }))
    expect(preflight(bundle(RUN), { graph: renamed, adapter: THERMOSTAT })).toEqual([])
  })

  it('refuses an adapter for a capture without one, and effects that the adapter does not accept', () => {
    const pure = graphOf('pure', { n: ['number_source'] })
    const { header, steps } = record(pure, THERMOSTAT, readings([1]))
    const captured = bundle({ header: { ...header, adapter_provenance: 'none' }, steps, context: new Map() })
    expect(rulesOf(preflight(captured, { graph: pure, adapter: THERMOSTAT }))).toEqual(['replay.unexpected_adapter'])
    expect(rulesOf(preflight(captured, { graph: pure }))).toEqual([])
    const deaf = { ...THERMOSTAT, accepts: { effects: (THERMOSTAT.accepts?.effects ?? []).slice(0, 1) } }
    const recorded = bundle(record(THERMOSTAT_GRAPH, deaf, readings([20])))
    expect(rulesOf(preflight(recorded, { graph: THERMOSTAT_GRAPH, adapter: deaf }))).toEqual([
      'replay.external_effect_kind_unrepresentable',
    ])
  })
})

/** The code of a changed field: by its path without indexes. */
const CODES: readonly (readonly [path: RegExp, code: string])[] = [
  [/^capture_version$/, 'replay.unsupported_capture_version'],
  [/^graph_id$/, 'replay.graph_id_mismatch'],
  [/^adapter_provenance$/, 'replay.(adapter_provenance_mismatch|unexpected_adapter)'],
  [/^runtime_provenance$/, 'replay.runtime_provenance_mismatch'],
  [/^egress_provenance$|^chain$|^config/, 'replay.chain_mismatch'],
  [/^events\.(payload|payload_hash|incoming|incoming_hash)$/, 'replay.hash_mismatch'],
  [/^events\.(event_id|event_time\..*|kind|semantic_kind)$/, 'replay.chain_mismatch'],
  [/^decisions\.effects/, 'replay.effect_mismatch'],
  [/^decisions\.(intent_acks|interruption)/, 'replay.chain_mismatch'],
  [/^decisions\./, 'replay.decision_mismatch'],
]

type Path = readonly (string | number)[]

function* leaves(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) yield path
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** Returns a copy with one value changed. */
function withChange(captured: Bundle, path: Path, change: (before: unknown) => unknown): Bundle {
  const copy = structuredClone(captured) as unknown as Record<string | number, unknown>
  let at = copy
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>
  const last = path.at(-1) ?? ''
  const next = change(at[last])
  if (next === undefined) delete at[last]
  else at[last] = next
  return copy as unknown as Bundle
}

const OTHER_WORDS: Readonly<Record<string, unknown>> = {
  DataAvailable: 'Command',
  Pump: 'Command',
  Invoke: 'Skip',
  Defer: 'Invoke',
  Completed: 'TimedOut',
}

function otherValue(before: unknown): unknown {
  if (typeof before === 'number') return before + 1
  if (typeof before === 'boolean') return !before
  if (before === null) return 1
  const text = typeof before === 'string' ? before : ''
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.startsWith('0') ? '1' : '0'}${text.slice(1)}`
  return OTHER_WORDS[text] ?? `${text}x`
}

describe('a tampered capture', () => {
  const captures = [bundle(RUN), bundle(DEFERRING), bundle(record(THERMOSTAT_GRAPH, THERMOSTAT, readings([20, 18]), {}, 'egress_io'))]

  it('is refused with the code of the field, whichever single field is changed or removed', () => {
    let changes = 0
    for (const captured of captures) {
      for (const path of leaves(captured)) {
        const plain = path.filter((step) => typeof step === 'string').join('.')
        const code = CODES.find(([form]) => form.test(plain))?.[1]
        expect(code, plain).toBeDefined()
        const [first] = replay(withChange(captured, path, otherValue)).findings
        expect(`${plain} ${first?.rule}`).toMatch(new RegExp(`^${plain} ${code}$`))
        const text = JSON.stringify(withChange(captured, path, () => undefined))
        const removed = readBundle(text)
        const rule = removed.bundle === undefined ? 'shape' : replay(removed.bundle).findings[0]?.rule
        expect(`${plain} ${rule}`).not.toBe(`${plain} undefined`)
        changes++
      }
    }
    expect(changes).toBeGreaterThan(300)
  })

  it('is refused if events or decisions change places, are missing or occur twice', () => {
    for (const captured of captures) {
      for (const list of ['events', 'decisions', 'both'] as const) {
        for (let at = 0; at + 1 < captured.events.length; at++) {
          const edits = {
            swap: <T>(items: readonly T[]) => items.toSpliced(at, 2, items[at + 1] as T, items[at] as T),
            drop: <T>(items: readonly T[]) => items.toSpliced(at, 1),
            repeat: <T>(items: readonly T[]) => items.toSpliced(at, 0, items[at] as T),
          }
          for (const [name, edit] of Object.entries(edits)) {
            const changed: Bundle = {
              ...captured,
              ...(list === 'decisions' ? {} : { events: edit(captured.events) }),
              ...(list === 'events' ? {} : { decisions: edit(captured.decisions) }),
            }
            const expected =
              list === 'decisions' ? /(chain|decision)_mismatch/ : name === 'repeat' ? /duplicate_event_id/ : /chain_mismatch/
            expect(replay(changed).findings[0]?.rule).toMatch(expected)
          }
        }
      }
    }
  })

  it('is found although payload and hash were changed together, by the chain; with a new chain, by the merge', () => {
    const payload = canonicalJson({ heater_on: true, temp: 20.5 })
    const captured = bundle(RUN)
    const index = 4
    const events = captured.events.map((event, at) => (at === index ? { ...event, payload, payload_hash: hashText(payload) } : event))
    expect(rulesOf(replay({ ...captured, events }).findings)).toEqual(['replay.chain_mismatch'])
    const steps = events.flatMap((event, at) => {
      const decision = captured.decisions[at]
      return decision === undefined ? [] : [{ event, decision }]
    })
    expect(rulesOf(replay(bundle({ ...RUN, steps })).findings)).toEqual(['replay.invalid_payload'])
  })

  it('is refused if an effect and its hash were changed together', () => {
    const captured = bundle(RUN)
    const effect = { kind: 'set_context', writes: [{ key: 'heater_on', value: { Bool: false } }], intents: [] }
    const decisions = captured.decisions.map((decision, at) =>
      at === 1 ? { ...decision, effects: [{ effect, effect_hash: hashJson(effect) }, ...decision.effects.slice(1)] } : decision,
    )
    expect(rulesOf(replay({ ...captured, decisions }).findings)).toEqual(['replay.effect_mismatch'])
  })

  it('is refused if a payload is no object, or not canonical', () => {
    const withPayload = (payload: string) => {
      const steps = RUN.steps.map(({ event, decision }, at) => ({
        event: at === 0 ? { ...event, payload, payload_hash: hashText(payload) } : event,
        decision,
      }))
      return rulesOf(replay(bundle({ ...RUN, steps })).findings)
    }
    expect(withPayload('[1]')).toEqual(['replay.event_rehydrate_failed'])
    expect(withPayload('{')).toEqual(['replay.event_rehydrate_failed'])
    expect(withPayload('{"temp": 20}')).toEqual(['replay.invalid_payload'])
    expect(withPayload('{"temp":20,"temp":20}')).toEqual(['replay.invalid_payload'])
  })

  it('is refused with a context that the adapter does not let it write, and with limits that cannot be kept', () => {
    const evaluate: ReplayOptions['evaluate'] = () => ({
      termination: 'Completed',
      outputs: {},
      effects: [{ kind: 'set_context', writes: [{ key: 'temp', value: { Number: 1 } }], intents: [] }],
    })
    expect(rulesOf(replay(bundle(RUN), { evaluate, all: true }).findings)).toContain('replay.effect_mismatch')
    const limited = { ...RUN, header: { ...RUN.header, config: { max_in_flight: 0 } } }
    expect(rulesOf(replay(bundle(limited)).findings)).toEqual(['replay.host_setup_failed'])
  })
})

describe('the text of a capture', () => {
  const text = [...writeBundle(RUN.header, RUN.steps)].join('')
  const lines = [...writeBundle(RUN.header, RUN.steps, 1000)].join('')

  it('is the same bytes for the same run, after reading and writing, too', () => {
    const read = readBundle(text).bundle as Bundle
    const steps = read.events.map((event, index) => ({ event, decision: read.decisions[index] as Bundle['decisions'][number] }))
    const { events: _events, decisions: _decisions, chain: _chain, ...header } = read
    expect([...writeBundle(header, steps)].join('')).toBe(text)
    expect([...writeBundle(header, steps, 1000)].join('')).toBe(lines)
  })

  it.each<[what: string, text: string, code: string]>([
    ['an unknown field', text.replace('"chain"', '"chian":1,"chain"'), 'R1011'],
    ['no effects', JSON.stringify({ ...bundle(RUN), decisions: [{ ...RUN.steps[0]?.decision, effects: undefined }] }), 'R1012'],
    ['another format', text.replace('reflex-dataflow/1', 'v3'), 'R1390'],
    ['another format, with another shape', '{"capture_version":"v3","events":{}}', 'R1390'],
    ['a text that is cut off', text.slice(0, 500), 'R1001'],
    ['a comment', `// mine\n${text}`, 'R1390'],
    ['lines without an end', lines.split('\n').slice(0, 3).join('\n'), 'R1390'],
    ['a line that is cut off', lines.slice(0, 1500), 'R1390'],
    ['lines after the end', `${lines}{"chain":""}`, 'R1390'],
    ['a line with an unknown field', lines.replace('"event":', '"evnt":1,"event":'), 'R1011'],
    ['nothing', '', 'R1001'],
    ['a list', '[]', 'R1013'],
    ['a number', '3', 'R1013'],
  ])('is refused: %s', (_what, wrong, code) => {
    const { bundle: read, findings } = readBundle(wrong, 'run.capture.json')
    expect([read, findings[0]?.code]).toEqual([undefined, code])
  })
})

describe('the state of a host', () => {
  it('never leaves FinalizeOnly and Fatal, and lets an event that is refused change nothing', () => {
    const after = (...ends: Parameters<typeof nextHostState>[1][]) => ends.reduce(nextHostState, 'NoCommittedSteps')
    expect(after()).toBe('NoCommittedSteps')
    expect(after('refused')).toBe('NoCommittedSteps')
    expect(after('committed', 'refused')).toBe('Eligible')
    for (const end of ['committed', 'refused', 'egress_failed', 'failed'] as const) {
      expect(after('committed', 'egress_failed', end)).toBe('FinalizeOnly')
      expect(after('committed', 'failed', end)).toBe('Fatal')
    }
    const states: HostState[] = ['NoCommittedSteps', 'Eligible', 'FinalizeOnly', 'Fatal']
    expect(states.map(isFinalizable)).toEqual([false, true, true, false])
  })
})
