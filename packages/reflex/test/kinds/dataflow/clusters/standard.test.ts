// proves: dataflow S5
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClusterLibrary } from '../../../../src/kinds/dataflow/clusters/library.ts'
import { STANDARD_CLUSTERS, standardClusters } from '../../../../src/kinds/dataflow/clusters/standard/standard-clusters.ts'
import { contextKeys } from '../../../../src/kinds/dataflow/graph/keys.ts'
import type { ParameterValue } from '../../../../src/kinds/dataflow/model/manifest.ts'
import { type Scalar, untagged } from '../../../../src/kinds/dataflow/model/value.ts'
import { evaluatePlan } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { planOf } from '../../../../src/kinds/dataflow/pass/plan.ts'
import { graphOf } from '../compile.ts'
import { contextOf } from '../pass/graph.ts'

type Payload = Readonly<Record<string, Scalar>>
type Outputs = Readonly<Record<string, Scalar>>

const clusters = new ClusterLibrary(standardClusters())

/** Returns a graph around one cluster: each input is a source of its name, each event output is acknowledged, all others are outputs. */
function graphAround(id: string, params: Readonly<Record<string, ParameterValue>>) {
  const { inputs = [], outputs = {} } = STANDARD_CLUSTERS[id] ?? {}
  const events = new Set(['event', 'changed'])
  const source = (type: string) => (type === 'Number' ? 'context_number_source' : 'context_bool_source')
  const names = Object.keys(outputs)
  return graphOf(
    {
      id: 'around',
      version: 1,
      nodes: {
        it: { cluster: `${id}@^1`, params },
        ...Object.fromEntries(inputs.map(({ name, type }) => [`in_${name}`, { impl: `${source(type)}@0.1`, params: { key: name } }])),
        ...(inputs.some(({ type }) => type === 'Event') ? { as_bool: { impl: 'and@0.1' }, as_event: { impl: 'emit_if_true@0.1' } } : {}),
        ...Object.fromEntries(names.filter((name) => events.has(name)).map((name) => [`ack_${name}`, { impl: 'ack_action@0.1' }])),
      },
      edges: [
        ...inputs.flatMap(({ name, type }) =>
          type === 'Event'
            ? [
                `in_${name}.value -> as_bool.a`,
                `in_${name}.value -> as_bool.b`,
                'as_bool.result -> as_event.input',
                `as_event.event -> it.${name}`,
              ]
            : [`in_${name}.value -> it.${name}`],
        ),
        ...names.filter((name) => events.has(name)).map((name) => `it.${name} -> ack_${name}.event`),
      ],
      outputs: Object.fromEntries(names.map((name) => [name, events.has(name) ? `ack_${name}.outcome` : `it.${name}`])),
    },
    { clusters },
  )
}

/** Plays events through a cluster: what one event writes, the next reads. Returns the outputs of each; an event is true if it came. */
function play(id: string, params: Readonly<Record<string, ParameterValue>>, events: readonly Payload[]): Outputs[] {
  const plan = planOf(graphAround(id, params))
  const store: Record<string, Scalar> = {}
  return events.map((payload) => {
    const result = evaluatePlan(plan, contextOf({ ...store, ...payload }))
    if ('error' in result) throw result.error.fault
    for (const { key, value } of result.effects.flatMap(({ writes }) => writes)) store[key] = untagged(value)
    const plain = (value: Scalar) => (value === 'Completed' ? true : value === 'Skipped' ? false : value)
    return Object.fromEntries(Object.entries(result.outputs).map(([name, value]) => [name, plain(value)]))
  })
}

interface Model {
  readonly params?: Readonly<Record<string, ParameterValue>>
  /** Returns a function that takes events in order and returns the outputs of each. */
  readonly make: () => (payload: never) => Outputs
}

interface Timed {
  readonly ts: number
}

/** Each cluster as a function with memory. */
const MODELS: Readonly<Record<string, Model>> = {
  once: {
    make: () => {
      let done = false
      return ({ event }: { event: boolean }) => {
        const fire = event && !done
        done ||= fire
        return { event: fire }
      }
    },
  },
  latch: {
    make: () => {
      let on = false
      return ({ set, reset }: { set: boolean; reset: boolean }) => {
        const next = (set || on) && !reset
        const changed = next !== on
        on = next
        return { on, changed }
      }
    },
  },
  toggle: {
    make: () => {
      let on = false
      return ({ when }: { when: boolean }) => {
        if (when) on = !on
        return { on, changed: when }
      }
    },
  },
  hysteresis: {
    params: { high: 3, low: 1 },
    make: () => {
      let on = false
      return ({ value }: { value: number }) => {
        const next = value >= 3 ? true : value <= 1 ? false : on
        const changed = next !== on
        on = next
        return { on, changed }
      }
    },
  },
  'rising-edge': { make: () => edgeModel((level, before) => level && !before) },
  'falling-edge': { make: () => edgeModel((level, before) => !level && before) },
  'any-edge': { make: () => edgeModel((level, before) => level !== before) },
  debounce: {
    params: { quiet: 3 },
    make: () => {
      let last: number | undefined
      return ({ press, ts }: Timed & { press: boolean }) => {
        const fire = !press && last !== undefined && ts - last >= 3
        if (press) last = ts
        if (fire) last = undefined
        return { event: fire, now: fire, pending: last !== undefined }
      }
    },
  },
  'leading-debounce': {
    params: { quiet: 3 },
    make: () => {
      let last: number | undefined
      return ({ press, ts }: Timed & { press: boolean }) => {
        const fire = press && (last === undefined || ts - last >= 3)
        if (press) last = ts
        return { event: fire, now: fire }
      }
    },
  },
  cooldown: {
    params: { gap: 3 },
    make: () => {
      let last: number | undefined
      return ({ when, ts }: Timed & { when: boolean }) => {
        const fire = when && (last === undefined || ts - last >= 3)
        if (fire) last = ts
        return { event: fire, now: fire }
      }
    },
  },
  count: {
    make: () => {
      let count = 0
      return ({ when }: { when: boolean }) => ({ count: when ? ++count : count })
    },
  },
  'every-nth': {
    params: { n: 3 },
    make: () => {
      let count = 0
      return ({ when }: { when: boolean }) => {
        const fire = when && ++count % 3 === 0
        return { event: fire, now: fire }
      }
    },
  },
  'rolling-window': {
    params: { size: 3 },
    make: () => {
      let before: number[] = []
      return ({ value, when }: { value: number; when: boolean }) => {
        const values = [...before, value].slice(-3)
        const result = { values, count: values.length, before }
        if (when) before = values
        return result
      }
    },
  },
  'rolling-mean': {
    params: { size: 4 },
    make: () => {
      let values: number[] = []
      return ({ value, when }: { value: number; when: boolean }) => {
        if (when) values = [...values, value].slice(-4)
        return { mean: values.length === 0 ? 0 : values.reduce((sum, each) => sum + each, 0) / values.length }
      }
    },
  },
  xor: {
    make:
      () =>
      ({ a, b }: { a: boolean; b: boolean }) => ({ result: a !== b }),
  },
  'bool-memory': {
    make: () => {
      let before = false
      return ({ next }: { next: boolean }) => {
        const result = { before, changed: next !== before, is_changed: next !== before }
        before = next
        return result
      }
    },
  },
}

function edgeModel(isEdge: (level: boolean, before: boolean) => boolean) {
  let before = false
  return ({ level }: { level: boolean }) => {
    const now = isEdge(level, before)
    before = level
    return { event: now, now }
  }
}

/** Random events for the inputs of a cluster. Times never go back. */
function events(id: string): fc.Arbitrary<Payload[]> {
  const inputs = STANDARD_CLUSTERS[id]?.inputs ?? []
  const fields = inputs.map(({ name, type }) => [name, type === 'Number' ? fc.integer({ min: 0, max: 5 }) : fc.boolean()] as const)
  return fc.array(fc.record<Record<string, Scalar>>(Object.fromEntries(fields)), { maxLength: 40, size: 'max' }).map((list) => {
    let clock = 0
    return list.map((event) => ('ts' in event ? { ...event, ts: (clock += Number(event['ts']) % 3) } : event))
  })
}

describe('a ready-made cluster', () => {
  it('exists for each model, and is read without findings', () => {
    expect(Object.keys(MODELS).sort()).toEqual(Object.keys(STANDARD_CLUSTERS).sort())
    expect(standardClusters()).toHaveLength(Object.keys(MODELS).length)
  })

  it.each(Object.keys(MODELS))('%s does what its model does', (id) => {
    const { params = {}, make } = MODELS[id] ?? { make: () => () => ({}) }
    fc.assert(
      fc.property(events(id), (list) => {
        const model = make() as (payload: Payload) => Outputs
        expect(play(id, params, list)).toEqual(list.map((payload) => model(payload)))
      }),
      { numRuns: 50 },
    )
  })

  it('debounce gives the values of the third worked example', () => {
    const presses = [
      [true, 100],
      [true, 103],
      [false, 106],
      [true, 107],
      [false, 111],
      [false, 112],
      [false, 113],
      [true, 120],
    ] as const
    const outputs = play(
      'debounce',
      { quiet: 5 },
      presses.map(([press, ts]) => ({ press, ts })),
    )
    expect(outputs.map(({ event }) => event)).toEqual([false, false, false, false, false, true, false, false])
    expect(outputs.map(({ pending }) => pending)).toEqual([true, true, true, true, true, false, false, true])
  })

  it('keeps the state of each instance under a key of its own', () => {
    const nodes = {
      s: { impl: 'context_bool_source@0.1' },
      a: { cluster: 'count@^1' },
      b: { cluster: 'count@^1' },
      c: { cluster: 'count@^1', params: { state_key: 'mine' } },
      mean: { cluster: 'rolling-mean@1', params: { size: 3 } },
      n: { impl: 'number_source@0.1' },
    }
    const edges = ['s.value -> a.when', 's.value -> b.when', 's.value -> c.when', 's.value -> mean.when', 'n.value -> mean.value']
    const graph = graphOf({ id: 'g', version: 1, nodes, edges }, { clusters })
    expect(contextKeys(graph).writes.map(({ key }) => key)).toEqual([
      '__reflex/1:g/1:a/5:count',
      '__reflex/1:g/1:b/5:count',
      '__reflex/1:g/4:mean/6:values',
      'mine',
    ])
  })

  it('is used in the example of its page', () => {
    const page = readFileSync(new URL('../../../../../../docs/kinds/dataflow-clusters.md', import.meta.url), 'utf8')
    const graph = graphOf(/```json\n([^]*?)```/.exec(page)?.[1], { clusters })
    const keys = contextKeys(graph).writes.map(({ key }) => key)
    expect(keys).toEqual(['__reflex/6:alerts/3:hot/2:on', '__reflex/6:alerts/4:rise/5:level'])
    expect(page).toContain(`\`${keys[0]}\``)
  })

  it('can be used with the others: one alert for each third rise', () => {
    const nodes = {
      cpu: { impl: 'context_number_source@0.1', params: { key: 'cpu' } },
      hot: { cluster: 'hysteresis@^1', params: { high: 0.9, low: 0.7 } },
      rise: { cluster: 'rising-edge@^1' },
      third: { cluster: 'every-nth@^1', params: { n: 3 } },
      first: { cluster: 'once@^1' },
      alert: { impl: 'ack_action@0.1' },
    }
    const edges = [
      'cpu.value -> hot.value',
      'hot.on -> rise.level',
      'rise.now -> third.when',
      'third.event -> first.event',
      'first.event -> alert.event',
    ]
    const graph = graphOf({ id: 'g', version: 1, nodes, edges, outputs: { alert: 'alert.outcome' } }, { clusters })
    const store: Record<string, Scalar> = {}
    const alerts = [0.95, 0.5, 0.95, 0.8, 0.95, 0.5, 0.92, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9].map((cpu) => {
      const result = evaluatePlan(planOf(graph), contextOf({ ...store, cpu }))
      if ('error' in result) throw result.error.fault
      for (const { key, value } of result.effects.flatMap(({ writes }) => writes)) store[key] = untagged(value)
      return result.outputs['alert']
    })
    expect(alerts.flatMap((alert, i) => (alert === 'Completed' ? [i] : []))).toEqual([6])
  })
})
