// proves: dataflow 52
// proves: dataflow 53
// proves: dataflow 54
// proves: dataflow 55
// proves: dataflow 56
// proves: dataflow 58
// proves: dataflow SUP-2
// proves: dataflow SUP-4
// proves: dataflow SUP-5
// proves: dataflow SUP-TICK-1
// proves: dataflow HST-8
// proves: dataflow REP-3
// proves: dataflow RTHANDLE-ID-1
import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import type { Constraints } from '../../../../src/kinds/dataflow/model/constraints.ts'
import { ERROR_KINDS, type RunTermination } from '../../../../src/kinds/dataflow/model/termination.ts'
import type { Decision } from '../../../../src/kinds/dataflow/supervisor/decision.ts'
import type { SupervisorStore } from '../../../../src/kinds/dataflow/supervisor/due-queue.ts'
import { type Invoker, scriptedInvoker } from '../../../../src/kinds/dataflow/supervisor/invoker.ts'
import {
  type Arrival,
  checkConstraints,
  FIRST_STATE,
  isMechanical,
  nextDue,
  supervise,
  type SupervisorState,
} from '../../../../src/kinds/dataflow/supervisor/supervise.ts'
import { later } from '../../../../src/kinds/dataflow/supervisor/instant.ts'
import { naiveSupervisor } from './naive-supervisor.ts'

/** A store that counts its operations. */
class CountingStore implements SupervisorStore {
  readonly values = new Map<string, Json>()
  operations = 0
  get(key: string): Json | undefined {
    this.operations++
    return this.values.get(key)
  }
  set(key: string, value: Json): void {
    this.operations++
    this.values.set(key, JSON.parse(JSON.stringify(value)) as Json)
  }
  delete(key: string): void {
    this.operations++
    this.values.delete(key)
  }
}

function event(event_id: string, secs: number, kind: Arrival<Json>['kind'] = 'Command'): Arrival<Json> {
  return { event_id, kind, at: { secs, nanos: 0 }, context: { from: event_id } }
}

interface Ran {
  readonly decisions: Decision[]
  /** The id and context of each attempt. */
  readonly attempts: (readonly [string, Json, number])[]
  readonly store: CountingStore
  readonly state: SupervisorState
}

/** Runs events; the state passes through JSON between two of them, as in a journal. */
function run(events: readonly Arrival<Json>[], constraints: Constraints, invoker: Invoker<unknown> = () => 'Completed'): Ran {
  const store = new CountingStore()
  const attempts: (readonly [string, Json, number])[] = []
  const decisions: Decision[] = []
  let state = FIRST_STATE
  for (const arrival of events) {
    const done = supervise({ constraints, store }, state, arrival, (invocation) => {
      attempts.push([invocation.event_id, invocation.context, invocation.attempt])
      return invoker(invocation)
    })
    decisions.push(done.decision)
    state = JSON.parse(JSON.stringify(done.state)) as SupervisorState
  }
  return { decisions, attempts, store, state }
}

const short = ({ event_id, decision, episode_id, schedule_at }: Decision) =>
  `${event_id} ${decision} ${episode_id}${schedule_at === null ? '' : ` at ${schedule_at.secs}`}`

describe('a supervisor', () => {
  // proves: dataflow SUP-7
  it('never reads its log: what a caller does with an entry changes no later one, and its store has none', () => {
    const events = Array.from({ length: 12 }, (_, i) => event(`e${i}`, i, i % 3 === 2 ? 'Pump' : 'Command'))
    const limits = { max_per_window: 1, rate_window: 3000, max_retries: 1 }
    const { decisions, store } = run(events, limits, () => ({ Failed: 'RuntimeError' }))
    const [other, entries] = [new CountingStore(), [] as string[]]
    let state = FIRST_STATE
    for (const arrival of events) {
      const done = supervise({ constraints: limits, store: other }, state, arrival, () => ({ Failed: 'RuntimeError' }))
      entries.push(JSON.stringify(done.decision))
      for (const field of Object.keys(done.decision)) delete (done.decision as unknown as Record<string, unknown>)[field]
      state = done.state
    }
    expect(entries).toEqual(decisions.map((decision) => JSON.stringify(decision)))
    expect(JSON.stringify([...store.values])).not.toMatch(/Invoke|Defer"|RuntimeError/)
  })

  // proves: dataflow REP-5
  it('reads no clock but the times of events, and no randomness', () => {
    const refuse = (): never => {
      throw new Error('a supervisor read the clock of the machine')
    }
    const spies = [vi.spyOn(Date, 'now'), vi.spyOn(performance, 'now'), vi.spyOn(Math, 'random')].map((spy) =>
      spy.mockImplementation(refuse),
    )
    try {
      const { decisions } = run([event('a', 5), event('b', 6), event('p', 20, 'Pump')], {
        max_per_window: 1,
        rate_window: 10_000,
        max_retries: 2,
      })
      expect(decisions.map(short)).toEqual(['a Invoke 0', 'b Defer 1 at 15', 'p Invoke 1'])
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })

  it('runs each event at once without limits, and counts episodes from 0, empty pumps included', () => {
    const { decisions, attempts } = run([event('a', 1), event('p', 2, 'Pump'), event('b', 3, 'DataAvailable')], {})
    expect(decisions.map(short)).toEqual(['a Invoke 0', 'p Defer 1', 'b Invoke 2'])
    expect(attempts.map(([id]) => id)).toEqual(['a', 'b'])
  })

  it('defers over the rate, and runs one deferred episode for a pump: under its own episode and the context of its arrival', () => {
    const pump = (secs: number) => event(`p${secs}`, secs, 'Pump')
    const events = [event('a', 0), event('b', 1), event('c', 2), pump(9), pump(10), pump(10), pump(20)]
    const { decisions, attempts, store, state } = run(events, { max_per_window: 1, rate_window: 10_000 })
    expect(decisions.map(short)).toEqual([
      'a Invoke 0',
      'b Defer 1 at 10',
      'c Defer 2 at 10',
      'p9 Defer 3',
      'p10 Invoke 1',
      'p10 Defer 2 at 20',
      'p20 Invoke 2',
    ])
    expect(attempts).toEqual([
      ['a', { from: 'a' }, 0],
      ['b', { from: 'b' }, 0],
      ['c', { from: 'c' }, 0],
    ])
    expect(state).toEqual({ episode: 4, clock: { secs: 20, nanos: 0 }, invoked: 3, deferred: 0 })
    expect([...store.values.keys()]).toEqual(['~rate/0'])
  })

  it('never moves its clock back', () => {
    const { decisions, state } = run([event('a', 100), event('b', 3), event('p', 50, 'Pump')], { max_per_window: 1, rate_window: 1000 })
    expect(decisions.map(short)).toEqual(['a Invoke 0', 'b Defer 1 at 101', 'p Defer 2'])
    expect(state.clock).toEqual({ secs: 100, nanos: 0 })
  })

  it('states when the next deferred episode is due', () => {
    const { store, state } = run([event('a', 0), event('b', 1)], { max_per_window: 1, rate_window: 1500 })
    expect(nextDue(store, state)).toEqual({ secs: 1, nanos: 500_000_000 })
    expect(nextDue(new CountingStore(), FIRST_STATE)).toBeUndefined()
  })

  it('defers to the present while too many episodes run', () => {
    const store = new CountingStore()
    const at = (arrival: Arrival<Json>, state: SupervisorState, inFlight: number) =>
      supervise({ constraints: { max_in_flight: 2 }, store, inFlight }, state, arrival, () => 'Completed')
    const first = at(event('a', 5), FIRST_STATE, 2)
    const again = at(event('p', 6, 'Pump'), first.state, 2)
    const then = at(event('q', 6, 'Pump'), again.state, 1)
    expect([first, again, then].map(({ decision }) => short(decision))).toEqual(['a Defer 0 at 5', 'p Defer 0 at 6', 'q Invoke 0'])
  })

  it.each<[termination: RunTermination, attempts: number]>([
    ['Completed', 1],
    ['Aborted', 1],
    ['TimedOut', 4],
    ...ERROR_KINDS.map((kind): [RunTermination, number] => [
      { Failed: kind },
      ['NetworkTimeout', 'AdapterUnavailable', 'RuntimeError'].includes(kind) ? 4 : 1,
    ]),
  ])('retries only mechanical failures: %j', (termination, count) => {
    const { decisions, attempts } = run([event('a', 0)], { max_retries: 3 }, scriptedInvoker({}, termination))
    expect(attempts.map(([, , attempt]) => attempt)).toEqual([...Array(count).keys()])
    expect(decisions).toMatchObject([{ termination, retry_count: count - 1 }])
    expect(isMechanical(termination)).toBe(count > 1)
  })

  it('ends a pass as its last attempt ended', () => {
    const script = { a: ['TimedOut', { Failed: 'RuntimeError' }, 'Completed'], b: ['TimedOut', { Failed: 'SemanticError' }] } as const
    const { decisions } = run([event('a', 0), event('b', 1), event('c', 1)], { max_retries: 5 }, scriptedInvoker(script))
    expect(decisions.map(({ termination, retry_count }) => [termination, retry_count])).toEqual([
      ['Completed', 2],
      [{ Failed: 'SemanticError' }, 1],
      ['Completed', 0],
    ])
  })

  it('aborts every pass if the deadline is 0, and records any other', () => {
    expect(run([event('a', 0)], { deadline: 0, max_retries: 2 })).toMatchObject({
      attempts: [],
      decisions: [{ decision: 'Invoke', termination: 'Aborted', deadline: 0, retry_count: 0 }],
    })
    expect(run([event('a', 0)], { deadline: 5 }).decisions).toMatchObject([{ termination: 'Completed', deadline: 5 }])
  })

  it.each<Constraints>([
    { max_in_flight: 0 },
    { max_per_window: 0, rate_window: 1 },
    { max_per_window: 1 },
    { rate_window: 1 },
    { rate_window: 0, max_per_window: 1 },
    { max_retries: -1 },
    { max_retries: 1.5 },
    { deadline: -1 },
  ])('refuses limits that cannot be kept: %j', (constraints) => {
    expect(() => checkConstraints(constraints)).toThrow(expect.objectContaining({ code: 'R1356' }))
  })

  it('takes limits that can', () => checkConstraints({ max_in_flight: 1, max_per_window: 1, rate_window: 1, deadline: 0, max_retries: 0 }))

  it('sees how an attempt ended and nothing else', () => {
    expectTypeOf<ReturnType<Invoker<Json>>>().toEqualTypeOf<RunTermination>()
    expectTypeOf<Parameters<Invoker<Json>>['length']>().toEqualTypeOf<1>()
    type WithOutputs = () => { readonly termination: RunTermination; readonly outputs: Json }
    expectTypeOf<WithOutputs>().not.toExtend<Invoker<Json>>()
  })
})

describe('a supervisor over random events', () => {
  const arrivals = fc.array(
    fc.record({
      kind: fc.constantFrom('Command', 'DataAvailable', 'Pump', 'Pump'),
      secs: fc.integer({ min: 0, max: 12 }),
      nanos: fc.constantFrom(0, 1, 999_999_999),
      inFlight: fc.constantFrom(0, 0, 1, 2),
    }),
    { maxLength: 60 },
  )
  const limits = fc.record(
    {
      rate: fc.record({ max_per_window: fc.integer({ min: 1, max: 3 }), rate_window: fc.integer({ min: 1, max: 4000 }) }),
      max_in_flight: fc.integer({ min: 1, max: 2 }),
      max_retries: fc.integer({ min: 0, max: 2 }),
    },
    { requiredKeys: [] },
  )
  const endings = fc.dictionary(
    fc.integer({ min: 0, max: 60 }).map((n) => `e${n}`),
    fc.array(fc.constantFrom<RunTermination[]>('TimedOut', 'Completed', { Failed: 'RuntimeError' }, { Failed: 'SemanticError' }), {
      maxLength: 3,
    }),
  )

  it('decides as a supervisor that keeps plain lists', () => {
    fc.assert(
      fc.property(arrivals, limits, endings, (events, { rate, ...others }, script) => {
        const constraints: Constraints = { ...others, ...rate }
        const store = new CountingStore()
        const seen: string[] = []
        const invoker = scriptedInvoker(script)
        let state = FIRST_STATE
        const list = events.map(({ kind, secs, nanos, inFlight }, index) => ({
          ...event(`e${index}`, secs, kind),
          at: { secs, nanos },
          inFlight,
        }))
        const decisions = list.map(({ inFlight, ...arrival }) => {
          const done = supervise({ constraints, store, inFlight }, state, arrival, (invocation) => {
            seen.push(invocation.event_id)
            expect(invocation.context).toEqual({ from: invocation.event_id })
            return invoker(invocation)
          })
          state = JSON.parse(JSON.stringify(done.state)) as SupervisorState
          return done.decision
        })
        const naive = naiveSupervisor(list, constraints, scriptedInvoker(script))
        expect(decisions).toEqual(naive.decisions)
        expect(seen).toEqual(naive.attempts)
        expect(nextDue(store, state)).toEqual(naive.nextDue)
        expect([...store.values.keys()].filter((key) => key.startsWith('~deferred/'))).toHaveLength(state.deferred)
        expect(decisions).toHaveLength(events.length)
      }),
      { numRuns: 1000, seed: 7 },
    )
  })

  it('does a number of operations that grows with the logarithm of the deferred episodes', () => {
    const many = 4096
    const constraints: Constraints = { max_per_window: 1, rate_window: 1000 }
    const store = new CountingStore()
    let state = FIRST_STATE
    let most = 0
    const step = (arrival: Arrival<Json>) => {
      const before = store.operations
      state = supervise({ constraints, store }, state, arrival, () => 'Completed').state
      most = Math.max(most, store.operations - before)
    }
    for (let i = 0; i <= many; i++) step(event(`e${i}`, 0))
    expect(state.deferred).toBe(many)
    for (let i = 1; i <= many; i++) step(event(`p${i}`, i, 'Pump'))
    expect(state.deferred).toBe(0)
    expect(most).toBeLessThan(60)
    expect([...store.values.keys()]).toEqual(['~rate/0'])
  })

  it('counts nanoseconds exactly', () => {
    expect(later({ secs: 1_800_000_000, nanos: 999_999_999 }, 1)).toEqual({ secs: 1_800_000_001, nanos: 999_999 })
    expect(later({ secs: 5, nanos: 1 }, 3_600_000)).toEqual({ secs: 3605, nanos: 1 })
  })
})
