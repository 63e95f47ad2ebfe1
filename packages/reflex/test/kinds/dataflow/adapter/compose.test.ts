// proves: dataflow 43
// proves: dataflow 47
// proves: dataflow 50
// proves: dataflow HST-5
// proves: dataflow RUN-CANON-2
// proves: dataflow COMP-1
// proves: dataflow COMP-2
// proves: dataflow COMP-3
// proves: dataflow COMP-11
// proves: dataflow COMP-12
// proves: dataflow COMP-13
// proves: dataflow COMP-14
// proves: dataflow COMP-16
// proves: dataflow COMP-17
// proves: dataflow COMP-18
// proves: dataflow COMP-19
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { compositionFindings } from '../../../../src/kinds/dataflow/adapter/compose.ts'
import { coverageFindings } from '../../../../src/kinds/dataflow/adapter/coverage.ts'
import type { Adapter } from '../../../../src/kinds/dataflow/model/adapter.ts'
import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { action, graphOf, THERMOSTAT_GRAPH } from '../graphs.ts'
import { THERMOSTAT } from './thermostat.ts'

function withKey(name: string, change: Partial<Adapter['context_keys'][number]>): Adapter {
  return { ...THERMOSTAT, context_keys: THERMOSTAT.context_keys.map((key) => (key.name === name ? { ...key, ...change } : key)) }
}

function withSchema(schema: unknown): Adapter {
  const effects = (THERMOSTAT.accepts?.effects ?? []).map((effect) =>
    effect.name === 'heater_command' ? { ...effect, payload_schema: schema as JsonObject } : effect,
  )
  return { ...THERMOSTAT, accepts: { effects } }
}

const without = (name: string): Adapter => ({
  ...THERMOSTAT,
  accepts: { effects: (THERMOSTAT.accepts?.effects ?? []).filter((effect) => effect.name !== name) },
})

const COMMAND: JsonObject = THERMOSTAT.accepts?.effects[1]?.payload_schema ?? {}
const properties = COMMAND.properties as JsonObject

const NEEDY: Primitive = {
  kind: 'source',
  manifest: {
    ...THERMOSTAT_GRAPH.nodes[11]?.primitive.manifest,
    kind: 'source',
    id: 'needy',
    version: '1.0.0',
    inputs: [],
    outputs: [{ name: 'value', type: 'Number' }],
    parameters: [],
    execution: { deterministic: true },
    state: { allowed: false },
    side_effects: false,
    requires: { context: [{ name: 'tmp', type: 'Number', required: true }] },
  },
  run: () => ({ value: 0 }),
}
const PAIR = action(
  'pair',
  { value: 'Number' },
  [
    { name: 'a', type: 'String' },
    { name: 'b', type: 'String' },
  ],
  {
    writes: [
      { name: '$a', type: 'Number', from_input: 'value' },
      { name: '$b', type: 'Number', from_input: 'value' },
    ],
  },
)
const needy = graphOf('needy', { needy: [NEEDY] })
const pair = (a: string, b: string) => graphOf('pair', { pair: [PAIR, { a, b }] })
const two = withKey('temp', { writable: true, required: false })
const both: Adapter = { ...two, context_keys: [...two.context_keys, { name: 'x', type: 'Number', required: false, writable: true }] }

describe('a graph and an adapter', () => {
  it('fit if no rule is broken', () => {
    expect(compositionFindings(THERMOSTAT_GRAPH, THERMOSTAT)).toEqual([])
    expect(compositionFindings(pair('x', 'temp'), both)).toEqual([])
  })

  it.each<[rule: string, graph: ValidatedGraph, adapter: Adapter, message: string]>([
    ['COMP-1', needy, THERMOSTAT, 'needy needs the key "tmp", which the adapter does not provide'],
    [
      'COMP-2',
      THERMOSTAT_GRAPH,
      withKey('temp', { type: 'Series' }),
      'temp reads the key "temp" as a Number; in the adapter it is a Series',
    ],
    [
      'COMP-3',
      THERMOSTAT_GRAPH,
      { ...THERMOSTAT, capture: { format_version: '2', fields: [] } },
      'the capture format "2" of the adapter is',
    ],
    ['COMP-11', pair('y', 'temp'), both, 'pair writes the key "y", which the adapter does not declare'],
    ['COMP-11', THERMOSTAT_GRAPH, withKey('heater_on', { name: 'heater' }), 'act writes the key "heater_on", which the adapter does not'],
    [
      'COMP-12',
      THERMOSTAT_GRAPH,
      withKey('heater_on', { writable: false }),
      'act writes the key "heater_on", which the adapter declares as',
    ],
    ['COMP-13', pair('x', 'heater_on'), both, 'pair writes the key "heater_on" as a Number; in the adapter it is a Bool'],
    ['COMP-14', THERMOSTAT_GRAPH, without('set_context'), 'act writes the context, and the adapter does not accept set_context'],
    ['COMP-16', pair('', 'temp'), both, 'pair has no key in its parameter "a"'],
    ['COMP-17', THERMOSTAT_GRAPH, without('heater_command'), 'act asks for "heater_command", which the adapter does not accept'],
    ['COMP-18', THERMOSTAT_GRAPH, withSchema(undefined), 'the adapter accepts "heater_command" without a payload_schema'],
    ['COMP-19', THERMOSTAT_GRAPH, withSchema({ ...COMMAND, required: ['on', 'why'] }), 'the schema requires "why"'],
    ['COMP-19', THERMOSTAT_GRAPH, withSchema({ ...COMMAND, properties: { on: properties['on'] } }), 'the schema has no property "zone"'],
    [
      'COMP-19',
      THERMOSTAT_GRAPH,
      withSchema({ ...COMMAND, properties: { ...properties, on: { type: 'number' } } }),
      'field "on" is a Bool',
    ],
    ['COMP-19', THERMOSTAT_GRAPH, withSchema({ ...COMMAND, allOf: [] }), 'the schema has "allOf", so its fit cannot be judged'],
    ['COMP-19', THERMOSTAT_GRAPH, withSchema({ type: 'object', additionalProperties: false }), 'must be an object with properties'],
    ['ACT-14', pair('temp', 'temp'), both, 'pair writes the key "temp" twice, as "$a" and as "$b"'],
  ])('%s %#', (rule, graph, adapter, message) => {
    const findings = compositionFindings(graph, adapter)
    expect(findings.map((finding) => finding.rule)).toEqual([rule])
    expect(findings[0]?.message).toContain(message)
  })

  it('COMP-13: a mirror write has another type than the key, which its source reads with another type, too', () => {
    expect(compositionFindings(THERMOSTAT_GRAPH, withKey('heater_on', { type: 'Number' })).map(({ rule }) => rule)).toEqual([
      'COMP-2',
      'COMP-13',
    ])
  })

  it('COMP-19 refuses a schema of whole numbers for a Number, which registration takes', () => {
    const order = action('order', { size: 'Number' }, [], {
      intents: [{ name: 'order', fields: [{ name: 'size', type: 'Number', from_input: 'size' }] }],
    })
    const schema = (type: string) => ({ type: 'object', additionalProperties: false, properties: { size: { type } } })
    const rules = (type: string) =>
      compositionFindings(graphOf('o', { order: [order] }), {
        ...THERMOSTAT,
        accepts: { effects: [{ name: 'order', payload_schema: schema(type) }] },
      }).map(({ rule }) => rule)
    expect([rules('number'), rules('integer')]).toEqual([[], ['COMP-19']])
  })

  it('has every finding, in one order, with the key that was meant', () => {
    const empty: Adapter = { ...THERMOSTAT, context_keys: [], accepts: { effects: [] }, capture: { format_version: '', fields: [] } }
    const findings = compositionFindings(THERMOSTAT_GRAPH, empty)
    expect(findings.map(({ rule }) => rule)).toEqual(['COMP-3', 'COMP-11', 'COMP-14', 'COMP-17'])
    expect(compositionFindings(needy, THERMOSTAT)[0]).toMatchObject({
      path: 'nodes.needy',
      fix: 'write "temp", or declare it in the adapter as a Number',
    })
  })
})

describe('the coverage of effects', () => {
  const cover = (
    graph: ValidatedGraph,
    adapter: Adapter | undefined,
    routes: readonly string[],
    ingress: 'fixture' | 'production' = 'production',
  ) => coverageFindings(graph, { adapter, routes, ingress }).map(({ code, message }) => `${code} ${message}`)
  const pure = graphOf('pure', { n: ['number_source'] })

  it('needs exactly one owner for each kind that the graph emits and the adapter accepts', () => {
    expect(cover(THERMOSTAT_GRAPH, THERMOSTAT, ['heater_command'])).toEqual([])
    expect(cover(THERMOSTAT_GRAPH, THERMOSTAT, [])).toEqual(['R1357 nothing realizes the effect "heater_command"'])
    expect(cover(THERMOSTAT_GRAPH, THERMOSTAT, ['heater_command', 'set_context'])).toEqual([
      'R1357 "set_context" is realized by the host and has a route',
    ])
  })

  it('refuses a route that the adapter does not accept, and warns about one that the graph does not use', () => {
    expect(cover(THERMOSTAT_GRAPH, THERMOSTAT, ['heater_command', 'heater_comand'])).toEqual([
      'R1357 the adapter does not accept "heater_comand", for which there is a route',
    ])
    expect(cover(pure, THERMOSTAT, ['heater_command'])).toEqual(['R1358 no action of the graph emits "heater_command"'])
  })

  it('refuses a run without an adapter, unless it is a fixture whose graph needs none', () => {
    expect(cover(pure, undefined, [])).toEqual(['R1357 a run needs an adapter; only fixtures run without one'])
    expect(cover(pure, undefined, [], 'fixture')).toEqual([])
    expect(cover(pure, undefined, ['x'], 'fixture')).toHaveLength(1)
    for (const graph of [THERMOSTAT_GRAPH, needy, pair('x', 'temp')]) expect(cover(graph, undefined, [], 'fixture')).toHaveLength(1)
  })
})
