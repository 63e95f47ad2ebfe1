import { expect, test } from 'vitest'
import { AGENT_WORK, scenario, SERVERS } from '../../../../bench/cluster/scenarios.ts'
import type { ClusterSettings, TenantLoad } from '../../../../bench/cluster/settings.ts'
import type { SimulationResult, TurnEvent } from '../../../../bench/cluster/result.ts'
import { simulate } from '../../../../bench/cluster/simulate.ts'

/** The model of a cluster in `bench/cluster`, on which the figures of docs/scaling.md rest. */

const LEASE = 15_000

const tenant = (name: string, more: Partial<TenantLoad> = {}): TenantLoad => ({
  tenant: name,
  queue: 'turns',
  runs: 30,
  perSecond: 20,
  ...more,
})

/** A small cluster that works until nothing is left. */
function cluster(change: Partial<ClusterSettings> = {}): ClusterSettings {
  return {
    seed: 7,
    loadMs: 20_000,
    workers: 3,
    slots: 8,
    recoverySlots: 4,
    pollMs: 100,
    tickMs: 250,
    leaseMs: LEASE,
    server: SERVERS.small,
    connectionsPerWorker: 11,
    queues: { turns: {} },
    tenants: [tenant('a'), tenant('b')],
    work: { steps: 4, medianMs: 50, spread: 0.8 },
    ...change,
  }
}

function watched(settings: ClusterSettings): { readonly result: SimulationResult; readonly events: readonly TurnEvent[] } {
  const events: TurnEvent[] = []
  return { result: simulate(settings, (event) => void events.push(event)), events }
}

/** The greatest number of turns that were admitted and had not ended, of those that count. */
function mostAtOnce(events: readonly TurnEvent[], counts: (event: TurnEvent) => boolean = () => true): number {
  let [now, most] = [0, 0]
  for (const event of events.filter(counts)) {
    if (event.did === 'admitted') most = Math.max(most, ++now)
    if (event.did === 'ended') now--
  }
  return most
}

const deaths = [
  { at: 5000, worker: 0 },
  { at: 9000, worker: 1 },
]

test.each([1, 2, 3])('no turn is lost and none ends twice, also when workers die or stop for a while (seed %i)', (seed) => {
  const stops = [{ at: 3000, until: 19_500, worker: 2 }]
  const { result, events } = watched(cluster({ seed, deaths: deaths.slice(0, 1), stops }))
  expect(result.misjudged).toBe(1)
  const of = (did: TurnEvent['did']): readonly string[] =>
    events.flatMap((event) => (event.did === did ? [`${event.turn.run.id}:${event.turn.number}`] : []))
  const due = of('due').toSorted()
  expect(due.length).toBeGreaterThan(400)
  expect(new Set(due).size).toBe(due.length)
  expect(of('admitted').toSorted()).toEqual(due)
  expect(of('ended').toSorted()).toEqual(due)
  expect(of('lost').length).toBeGreaterThan(0)
  const { inputs, joined, turns, ended } = result.counts
  expect({ inputs, turns }).toEqual({ inputs: turns + joined, turns: ended })
  expect(result.left).toEqual({ waiting: 0, admitted: 0, running: 0, inputs: 0 })
})

test('a run has one turn at a time, and its turns have an order', () => {
  const { events } = watched(cluster({ deaths, tenants: [tenant('a', { runs: 5, perSecond: 40 })] }))
  const running = new Map<number, number>()
  const last = new Map<number, number>()
  for (const { did, turn } of events) {
    if (did === 'begun') {
      expect(running.get(turn.run.id)).toBeUndefined()
      running.set(turn.run.id, turn.number)
    }
    if (did === 'ended') {
      expect(turn.number).toBe((last.get(turn.run.id) ?? 0) + 1)
      last.set(turn.run.id, turn.number)
    }
    if (did === 'ended' || did === 'lost') running.delete(turn.run.id)
  }
  expect(last.size).toBe(5)
})

test('an input that arrives while a turn runs makes the run due again', () => {
  const { events } = watched(cluster({ tenants: [tenant('a', { runs: 5, perSecond: 40 })] }))
  const ends = new Set(events.flatMap(({ did, turn, at }) => (did === 'ended' ? [`${turn.run.id}:${turn.number}:${at}`] : [])))
  const again = events.filter(({ did, turn, at }) => did === 'due' && ends.has(`${turn.run.id}:${turn.number - 1}:${at}`))
  expect(again.length).toBeGreaterThan(100)
})

test('the turns of a worker that died begin again within two lease times', () => {
  const { result } = watched(cluster({ deaths }))
  expect(result.takeovers.count).toBeGreaterThan(0)
  expect(result.takeovers.at(1)).toBeLessThanOrEqual(2 * LEASE)
  expect(result.misjudged).toBe(0)
})

const many = { perSecond: 0, runs: 500, burst: { at: 1000, runs: 500 } }

test('no more turns are admitted than workers have slots, and of one tenant four fifths of these', () => {
  const { events } = watched(cluster({ tenants: [tenant('a', many), tenant('b', many)] }))
  expect(mostAtOnce(events)).toBe(24)
  expect(mostAtOnce(watched(cluster({ tenants: [tenant('a', many)] })).events)).toBe(19)
  expect(mostAtOnce(watched(cluster({ queues: { turns: { share: 1 } }, tenants: [tenant('a', many)] })).events)).toBe(24)
})

test('a queue and a tenant have no more turns than they may', () => {
  const queues = { turns: { tenantSlots: 5 }, reports: { slots: 3, share: 1 } }
  const { events } = watched(
    cluster({ queues, tenants: [tenant('a', many), tenant('b', many), tenant('c', { ...many, queue: 'reports' })] }),
  )
  expect(['a', 'b', 'c'].map((name) => mostAtOnce(events, ({ turn }) => turn.run.load.tenant === name))).toEqual([5, 5, 3])
})

test('a queue admits no more than its rate, and nothing while it is paused', () => {
  const queues = { turns: { rate: { most: 20, perMs: 1000 }, pauses: [{ from: 4000, to: 9000 }] } }
  const { events } = watched(cluster({ queues, tenants: [tenant('a', { ...many, runs: 200, burst: { at: 1000, runs: 200 } })] }))
  const times = events.flatMap(({ did, at }) => (did === 'admitted' ? [at] : []))
  expect(times).toHaveLength(200)
  expect(times.filter((at) => at >= 4000 && at < 9000)).toEqual([])
  // A bucket: at most twenty at once, and twenty more in each second after.
  for (const [i, at] of times.entries()) expect((times[i + 40] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(999)
  expect(times.at(-1)).toBeLessThan(16_000)
})

test('the lowest number of priority goes first, whoever the tenant is', () => {
  const late = { priority: 5, ...many }
  const { events } = watched(
    cluster({
      queues: { turns: { share: 1 } },
      tenants: [tenant('a', late), tenant('b', { perSecond: 0, runs: 50, burst: { at: 1010, runs: 50 } })],
    }),
  )
  const urgent = events.filter(({ did, turn }) => did === 'admitted' && turn.run.load.priority === undefined)
  const end = urgent.at(-1)?.at ?? 0
  const others = events.filter(({ did, at, turn }) => did === 'admitted' && at > 1010 && at < end && turn.run.load.priority === 5)
  expect(urgent).toHaveLength(50)
  expect(others).toEqual([])
})

test.each([
  [4, {}],
  [1, { share: 0.2 }],
])('100,000 runs of one tenant delay those of others by less than a second, on %i machines with %j', (machines, limits) => {
  const { delays, samples } = simulate(scenario(machines, SERVERS.small, { queues: { turns: limits } }))
  expect(samples.at(-1)?.waiting).toBeGreaterThan(90_000)
  expect(delays.get('burst')?.at(0.99)).toBeGreaterThan(10_000)
  for (const [name, one] of delays) if (name !== 'burst') expect(one.at(1), name).toBeLessThan(1000)
})

test('a server performs no more turns than it has commits for', () => {
  const server = { ...SERVERS.small, commitsPerSecond: 100 }
  const { counts, used } = simulate(cluster({ server, endMs: 20_000, tenants: [tenant('a', { runs: 1000, perSecond: 100 })] }))
  expect(used.commits).toBeGreaterThan(0.95)
  // Each turn has five commits or more of its own: store, dispatch, and its row.
  expect(counts.ended).toBeLessThan((20 * 100) / 5)
})

test('workers for which the server has no connections do not work', () => {
  const { refused, counts, left } = simulate(cluster({ server: { ...SERVERS.small, connections: 30 } }))
  expect(refused).toBe(1)
  expect({ ...left, ended: counts.ended }).toEqual({ waiting: 0, admitted: 0, running: 0, inputs: 0, ended: counts.turns })
})

test('equal seeds give equal simulations, and other seeds others', () => {
  const facts = (seed: number): unknown => {
    const { counts, delays, samples } = simulate(cluster({ seed, work: AGENT_WORK }))
    return [counts, samples, [...delays].map(([name, one]) => [name, one.at(0.5), one.at(1)])]
  }
  expect(facts(5)).toEqual(facts(5))
  expect(facts(5)).not.toEqual(facts(6))
})

test('a simulation in which no worker is left ends with an error', () => {
  const settings = cluster({ deaths: [0, 1, 2].map((worker) => ({ at: 1000, worker })) })
  expect(() => simulate(settings)).toThrow('no worker is left')
})
