import { expect, test } from 'vitest'
import type { Kind, Port, Store } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { FaultSuite, type KindCase, type KindSubject, kindSuite, type StoreCase, storeSuite } from '../../src/testing/index.ts'

/** Returns the messages of the cases that fail. */
async function failures(cases: readonly (KindCase | StoreCase)[]): Promise<readonly string[]> {
  const said: string[] = []
  for (const { name, run } of cases)
    await run().catch((thrown: unknown) => said.push(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`))
  return said
}

const pay: Port = { leaves: true, repeat: 'keyed', perform: ({ key, args }) => ({ paid: args ?? null, keyed: key !== '' }) }

/** A kind that asks, pays, and calls the program in its source. */
function payment(more: Partial<Kind<{ readonly next?: string }>> = {}, port: Port = pay): KindSubject {
  const kind: Kind<{ readonly next?: string }> = {
    name: 'payment',
    rev: 1,
    compile: (source) => source as { readonly next?: string },
    calls: ({ next }) => (next === undefined ? [] : [next]),
    step(x, input) {
      if (input === undefined) x.wait('answer', 'sum')
      else if (input[0] === 'answer') x.request('pay', input[2])
      else if (input[0] === 'err') x.fail({ code: 'R1', message: 'unpaid', verdict: 'fail' })
      else if (input[0] === 'ok' && x.def.next !== undefined) x.call(x.def.next)
      else if (input[0] === 'ok') x.done(input[2])
      else if (input[0] === 'ret') x.done(input[3] ?? null)
    },
    ...more,
  }
  return {
    name: 'payment',
    kinds: [kind],
    programs: [{ kind: 'payment', id: 'one', source: {} }],
    ports: () => ({ pay: port }),
    script: { answer: () => 84 },
    calling: (next) => ({ next }),
  }
}

test('a kind that keeps its promises passes', async () => {
  expect(await failures(kindSuite(payment()))).toEqual([])
})

test('a kind with hidden state is reported with the place where it decides differently', async () => {
  let steps = 0
  const [honest] = payment().kinds
  const counting: Kind['step'] = (x, input) => {
    x.set('steps', ++steps)
    honest?.step(x, input)
  }
  const said = await failures(kindSuite(payment({ step: counting })))
  expect(said[0]).toMatch(
    /a replay decides record 2 differently at writes\[1\] \(\d+, not \d+\): .*a clock, randomness or its own variable/,
  )
  expect(said[1]).toMatch(/the end differs at board\.steps \(\d+, not \d+\):\n {2}is /)
})

test('a kind that accepts any input, and a kind that does not name the program that it calls, are found', async () => {
  const [honest] = payment().kinds
  const hasty: Kind['step'] = (x, input) => (input?.[0] === 'part' ? x.done('paid, I suppose') : honest?.step(x, input))
  const other: Kind['step'] = (x, input) =>
    input?.[0] === 'part' ? x.fail({ code: 'R1', message: 'what is that', verdict: 'fail' }) : honest?.step(x, input)
  for (const one of [hasty, other])
    expect(await failures(kindSuite(payment({ step: one })))).toEqual([
      expect.stringMatching(/ignores progress that it did not request: .* show progress differs/),
    ])
  expect(await failures(kindSuite(payment({ calls: () => [] })))).toEqual([
    'payment: can call another kind: `calls` does not name the program that calling calls; the run pins only payment:calling',
  ])
})

test('a port with a result that is not JSON fails the effect, and a port that never answers is named', async () => {
  const suite = await FaultSuite.of(payment({}, { ...pay, perform: () => new Date(0) }))
  for await (const point of suite.points([])) expect((await suite.inject(point)).violations).toEqual([])
  await expect(FaultSuite.of(payment({}, { ...pay, perform: () => new Promise(() => undefined) }))).rejects.toThrow(
    /it waits for effect \d+ of pay/,
  )
})

test('a store that breaks a rule is reported with the expected result', async () => {
  const broken = (more: Partial<Store>) =>
    storeSuite('mine', () => {
      const inner = memoryStore()
      const store = new Proxy(inner, {
        get: (target, name) => {
          const value: unknown = Reflect.get(more, name) ?? Reflect.get(target, name, target)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
      return { open: () => store, dispose: () => undefined }
    })
  expect(await failures(broken({}))).toEqual([])
  const posts = await failures(broken({ post: () => true }))
  expect(posts.join('\n')).toMatch(/expected R20\d\d, but nothing was thrown/)
  const silent = await failures(broken({ commit: () => [] }))
  expect(silent.length).toBeGreaterThan(20)
  const durable = await failures(broken({ durable: true }))
  expect(durable).toEqual([expect.stringContaining('a durable store must be opened again')])
})
