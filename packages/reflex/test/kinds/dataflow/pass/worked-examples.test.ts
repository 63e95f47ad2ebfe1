// proves: dataflow 24, dataflow 27, dataflow 29, dataflow 37, dataflow 38
import { describe, expect, it } from 'vitest'
import { nodeName, type ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import { type Scalar, untagged } from '../../../../src/kinds/dataflow/model/value.ts'
import { evaluate } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { contextOf, effectTexts } from './graph.ts'
import { DEBOUNCE, RISING_EDGE, THERMOSTAT } from './worked-examples.ts'

/** Runs events in order. What an event writes is merged into the next; the incoming value wins. */
function play(graph: ValidatedGraph, events: readonly (readonly [id: string, payload: Readonly<Record<string, Scalar>>])[]) {
  const store: Record<string, Scalar> = {}
  return events.map(([eventId, payload]) => {
    const result = evaluate(graph, contextOf({ ...store, ...payload }), { graphId: graph.id, eventId })
    if ('error' in result) throw result.error.fault
    for (const { key, value } of result.effects.flatMap(({ writes }) => writes)) store[key] = untagged(value)
    const ids = result.effects.flatMap(({ intents }) => intents.map(({ intent_id: id }) => id.replace('eid1:sha256:', '')))
    return { outputs: result.outputs, effects: effectTexts(result), ids, store: { ...store } }
  })
}

function orderOf(graph: ValidatedGraph): string {
  return graph.order.map((index) => nodeName(graph.nodes[index] ?? { path: [], id: '' })).join(' ')
}

describe('the worked examples', () => {
  it('find a rising edge', () => {
    expect(orderOf(RISING_EDGE)).toBe('always level prev notprev rise edge fire tick save')
    const [T, F] = [true, false]
    const steps = play(RISING_EDGE, [
      ['e1', { level: F }],
      ['e2', { level: T }],
      ['e3', { level: T }],
      ['e4', { level: F }],
      ['e5', { level: T }],
      ['e6', { level: T, prev: F }],
    ])
    expect(steps.map(({ outputs, effects }) => [outputs['rise'], outputs['fired'], ...effects])).toEqual([
      [F, 'Skipped', 'prev=false'],
      [T, 'Completed', 'prev=true'],
      [F, 'Skipped', 'prev=true'],
      [F, 'Skipped', 'prev=false'],
      [T, 'Completed', 'prev=true'],
      [T, 'Completed', 'prev=true'],
    ])
  })

  it('heat with hysteresis, one command for each change', () => {
    const temperatures = [20, 18.5, 20.5, 21, 20, 19]
    const steps = play(
      THERMOSTAT,
      temperatures.map((temp, i) => [`t${i + 1}`, { temp }] as const),
    )
    const on = ['heater_on=true', 'heater_command{on:true,zone:hall}']
    const off = ['heater_on=false', 'heater_command{on:false,zone:hall}']
    expect(steps.map(({ effects }) => effects)).toEqual([[], on, [], off, [], on])
    expect(steps.map(({ outputs }) => outputs['want'])).toEqual([false, true, true, false, false, true])
    expect(steps.map(({ outputs }) => outputs['outcome'])).toEqual(['Skipped', 'Attempted', 'Skipped', 'Attempted', 'Skipped', 'Attempted'])
    expect(steps.flatMap(({ ids }) => ids)).toEqual([
      '2e29020229421795d11c2a8aa8babc668c4063d2bd5689d7e9db9121c6d78e29',
      'b32c3ae577f3d3b01692f831ba1fdd9903aa09ab45ef7daa2333bec29391a33d',
      '140d6afa710d17ea8894812e42b02c13b7f73377ff0d1c900a44653bcee93ffb',
    ])
  })

  it('fire once after the last press', () => {
    expect(orderOf(DEBOUNCE)).toBe(
      'is_press last_ts no_press pending press quiet ts elapsed due ripe expire keep still pending1 both notboth either changed g_chg set_pend g_fire fire g_press set_last',
    )
    const presses = [
      [true, 100, 100, ['pending=true', 'last_ts=100']],
      [true, 103, 3, ['last_ts=103']],
      [false, 106, 3, []],
      [true, 107, 4, ['last_ts=107']],
      [false, 111, 4, []],
      [false, 112, 5, ['pending=false']],
      [false, 113, 6, []],
      [true, 120, 13, ['pending=true', 'last_ts=120']],
    ] as const
    const steps = play(
      DEBOUNCE,
      presses.map(([press, ts], i) => [`d${i + 1}`, { is_press: press, ts }] as const),
    )
    expect(steps.map(({ outputs, effects }) => [outputs['elapsed'], effects])).toEqual(
      presses.map(([, , elapsed, effects]) => [elapsed, effects]),
    )
    expect(steps.map(({ outputs }) => outputs['fired'] === 'Completed')).toEqual(presses.map((_, i) => i === 5))
    expect(steps.map(({ outputs }) => outputs['pending'])).toEqual([true, true, true, true, true, false, false, true])
  })
})
