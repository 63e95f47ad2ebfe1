import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/kernel/ports/store.ts'
import {
  type Breach,
  type Circumstance,
  FaultSuite,
  type FaultPoint,
  type KindSubject,
  parsePoint,
  pointText,
  type PlantedBug,
  type Violation,
} from '../../src/testing/index.ts'
import { SUBJECTS } from '../kernel/probes/subjects.ts'

function subject(name: string): KindSubject {
  const found = SUBJECTS.find((one) => one.name === name)
  if (found === undefined) throw new Error(name)
  return found
}

/** Returns some of the points, evenly spread. */
async function someOf(suite: FaultSuite, count: number, ...under: readonly (readonly Circumstance[])[]): Promise<FaultPoint[]> {
  const all: FaultPoint[] = []
  for await (const point of suite.points(...under)) all.push(point)
  const step = Math.max(1, all.length / count)
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)]).filter((point) => point !== undefined)
}

describe('a run with a fault at any moment', () => {
  it.each(SUBJECTS)('ends like an undisturbed run: $name', async (subject) => {
    const suite = await FaultSuite.of(subject)
    const points = await someOf(suite, 60, [], ['slow'], ['posts'], ['retries'], ['leaves'], ['lingers'], ['slow', 'posts', 'apart'])
    const wrong: (readonly [string, readonly Violation[]])[] = []
    for (const point of points) {
      const { violations } = await suite.inject(point)
      if (violations.length > 0) wrong.push([pointText(point), violations])
    }
    expect(wrong).toEqual([])
  })

  it('dies up to three times', async () => {
    const suite = await FaultSuite.of(subject('plan'))
    let lives = 0
    for (const text of [
      '20 die, 9 die, 12 die',
      '33 tear, 4 fail, 20 die',
      '18 die, 30 nap, slow',
      '40 stop, 2 ahead',
      '25 full, 11 room',
    ]) {
      const verdict = await suite.inject(parsePoint(text))
      expect(verdict.violations, text).toEqual([])
      lives = Math.max(lives, verdict.lives)
    }
    expect(lives).toBe(4)
  })

  it('has the same records for the same point', async () => {
    const suite = await FaultSuite.of(subject('stage'))
    const point = parsePoint('31 tear, 12 die, slow, retries')
    expect(pointText(point)).toBe('31 tear, 12 die, slow, retries')
    const [a, b] = [await suite.inject(point), await suite.inject(point)]
    expect(a.records).toEqual(b.records)
    expect(() => parsePoint('31 burn')).toThrow(/`31 burn` is not a part of a point/)
  })
})

/** Returns the store with some methods replaced. */
function changed(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, { get: (target, name) => Reflect.get(name in methods ? methods : target, name) as unknown })
}

const PLANTED: readonly (readonly [
  what: string,
  subject: string,
  spoil: () => PlantedBug,
  breach: Breach,
  under?: readonly Circumstance[],
])[] = [
  [
    'effects that do not wait for the disk',
    'plan',
    () => ({
      store: (store) =>
        changed(store, {
          commit: (batches) => {
            void Promise.resolve().then(() => store.commit(batches))
            return []
          },
        }),
    }),
    'early',
  ],
  [
    'an effect that is performed again once it has settled',
    'stage',
    () => {
      let before: (() => unknown) | undefined
      return {
        port: (port) => ({
          ...port,
          perform: (call) => {
            before?.()
            before = () => port.perform(call)
            return port.perform(call)
          },
        }),
      }
    },
    'repeated',
  ],
  ['a doubt that answers itself', 'plan', () => ({ port: (port) => ({ ...port, repeat: 'free' }) }), 'repeated'],
  [
    'a request that is repeated under another key',
    'stage',
    () => {
      let keys = 0
      return { port: (port) => ({ ...port, perform: (call) => port.perform({ ...call, ...known(call), key: `${call.key} ${++keys}` }) }) }
    },
    'repeated',
  ],
  [
    'a message that is lost',
    'pass',
    () => ({ store: (store) => changed(store, { post: (run, message) => message.id === 'm2' || store.post(run, message) }) }),
    'lost',
  ],
  [
    'a message that is taken and stays in the inbox',
    'pass',
    () => ({ store: (store) => changed(store, { commit: (batches) => store.commit(batches.map(({ taken: _, ...batch }) => batch)) }) }),
    'repeated',
  ],
  [
    'records that were acknowledged and are gone',
    'flow',
    () => {
      let forgets = false
      return {
        store: (store) =>
          changed(store, {
            // Once in a run, the disk confirms a write that it did not do.
            commit: (batches) => {
              const [batch] = batches
              if (!forgets && batch !== undefined && batch.first > 3) forgets = true
              else return store.commit(batches)
              return []
            },
          }),
      }
    },
    'lost',
  ],
  [
    'a run that is called suspended while an effect is under way',
    'stage',
    () => ({
      store: (store) =>
        changed(store, {
          commit: (batches) => store.commit(batches.map((batch) => ({ ...batch, row: { ...batch.row, status: 'suspended' as const } }))),
        }),
    }),
    'unowned',
  ],
  [
    'a right to a run that is never given up',
    'flow',
    () => ({ store: (store) => changed(store, { release: () => undefined }) }),
    'unowned',
    ['lingers'],
  ],
  [
    'a failure without a code',
    'flow',
    () => ({
      store: (store) =>
        changed(store, {
          claim: () => {
            throw new Error('no connection')
          },
        }),
    }),
    'untyped',
  ],
]

/** Reads the fields of a call, which are getters of a class. */
function known({ args, id, run }: { readonly args: unknown; readonly id: unknown; readonly run: unknown }): object {
  return { args, id, run }
}

describe('the faults find', () => {
  it.each(PLANTED.map((planted) => ({ planted, toString: () => planted[0] })))(
    '%s',
    async ({ planted: [, name, plantBug, breach, under = []] }) => {
      const suite = await FaultSuite.of(subject(name), { plantBug })
      const found = new Set<Breach>()
      for (const point of await someOf(suite, 80, under)) {
        for (const violation of (await suite.inject(point)).violations) found.add(violation.breach)
        if (found.has(breach)) break
      }
      expect([...found]).toContain(breach)
    },
  )
})
