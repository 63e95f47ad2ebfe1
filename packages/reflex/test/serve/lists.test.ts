import { describe, expect, test } from 'vitest'
import { scriptedModel } from '../../src/models/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import type { RunFilter } from '../../src/kernel/index.ts'
import { type Loose, served, type Served, word } from './served.ts'

const ask = (name: string): { readonly text: string; readonly name: string } => ({
  text: `digraph ${name} { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }`,
  name: `${name}.dot`,
})

async function started({ send }: Served, ...runs: readonly (readonly [id: string, name: string])[]): Promise<void> {
  for (const [id, name] of runs) await send('POST', '/v1/runs', { program: ask(name), id, wait: true })
}

/** Returns the ids of a list, as many of its `field` as it has. */
function ids({ runs }: Loose): string[] {
  return (runs as unknown as readonly { readonly id: string }[]).map(({ id }) => id)
}

describe('lists of runs', () => {
  test('the store filters and pages: no request reads all runs', async () => {
    const store = memoryStore()
    const asked: (RunFilter | undefined)[] = []
    const runs = store.runs.bind(store)
    store.runs = (filter) => {
      asked.push(filter)
      return runs(filter)
    }
    const server = await served({}, { store })
    await started(server, ['a-1', 'one'], ['b-1', 'two'], ['c-1', 'one'], ['d-1', 'one'])
    await server.send('POST', '/v1/runs/c-1/cancel', {})
    asked.length = 0
    const list = async (query: string): Promise<Loose> => (await server.send('GET', `/v1/runs?${query}`)).json
    expect(ids(await list('program=pipeline:one'))).toEqual(['d-1', 'c-1', 'a-1'])
    expect(ids(await list('status=suspended&program=pipeline:one'))).toEqual(['d-1', 'a-1'])
    expect(ids(await list('status=suspended,cancelled'))).toEqual(['d-1', 'c-1', 'b-1', 'a-1'])
    expect(ids(await list('kind=tree'))).toEqual([])
    const { updated } = (await list('status=cancelled')).runs?.[0] ?? {}
    expect(ids(await list(`since=${word(updated)}`))).toEqual(['c-1'])
    expect(ids(await list('since=2999-01-01T00:00:00Z'))).toEqual([])
    expect(ids(await list(`until=${word(updated)}`))).toEqual(['d-1', 'b-1', 'a-1'])
    for (const filter of asked) expect(filter?.limit).toBeLessThanOrEqual(200)
  })

  test('a page leads to the next one, although runs are started in between', async () => {
    const server = await served()
    await started(server, ['a-1', 'one'], ['b-1', 'one'], ['c-1', 'two'], ['d-1', 'one'])
    const first = (await server.send('GET', '/v1/runs?program=pipeline:one&limit=2')).json
    expect([ids(first), first.more]).toEqual([['d-1', 'b-1'], true])
    await started(server, ['e-1', 'one'])
    const second = (await server.send('GET', `/v1/runs?program=pipeline:one&limit=2&cursor=${word(first.next)}`)).json
    expect([ids(second), second.more, second.next]).toEqual([['a-1'], false, undefined])
  })

  test('a cursor that is damaged, or of another store with a run of the same name, is refused', async () => {
    const [one, other] = [await served(), await served()]
    for (const server of [one, other]) await started(server, ['a-1', 'one'], ['b-1', 'one'])
    const { next } = (await one.send('GET', '/v1/runs?limit=1')).json
    expect(await one.send('GET', `/v1/runs?cursor=${word(next)}`)).toMatchObject({ status: 200 })
    for (const cursor of [`${word(next)}0`, 'nonsense', '~', 'b-1', 'b-1~', '', '%00'])
      expect(await one.send('GET', `/v1/runs?cursor=${cursor}`), cursor).toMatchObject({ status: 400, json: { error: { code: 'R6010' } } })
    expect(await other.send('GET', `/v1/runs?cursor=${word(next)}`)).toMatchObject({ status: 400, json: { error: { code: 'R6010' } } })
  })
})

const ASKS_MODELS = `digraph poem { start [shape=Mdiamond]; exit [shape=Msquare]; write [prompt="Write."]; judge [prompt="Judge."]
  start -> write -> judge -> exit }`

describe('the effects and the cost of a run', () => {
  async function poem(): Promise<Served> {
    const model = scriptedModel(({ label = '' }) => {
      if (label.includes('judge')) throw new Error('no judge today')
      return { text: 'a poem', usage: { input: 60, output: 40 } }
    }, 'test')
    const server = await served({}, { models: { test: model }, model: 'test', prices: { test: { input: 100, output: 100 } } })
    await server.send('POST', '/v1/runs', { program: { text: ASKS_MODELS, name: 'poem.dot' }, id: 'otter', wait: true })
    return server
  }

  test('each effect has its request, outcome, times, attempts, cost and address', async () => {
    const { send } = await poem()
    const { effects } = (await send('GET', '/v1/runs/otter/effects')).json as unknown as { readonly effects: readonly Loose[] }
    const asked = effects.filter(({ port }) => word(port) === 'model')
    expect(asked[0]).toMatchObject({
      address: expect.stringMatching(/^otter@\d+$/) as unknown,
      key: expect.stringContaining('otter') as unknown,
      path: 'write',
      program: 'poem',
      port: 'model',
      request: expect.objectContaining({}) as unknown,
      attempts: 1,
      outcome: 'done',
      settled: expect.stringContaining('Z') as unknown,
      value: { text: 'a poem' },
      used: { tokens: 100, cost: 0.01, calls: 1 },
    })
    expect(asked[1]).toMatchObject({ path: 'judge', outcome: 'failed', error: { code: expect.stringMatching(/^R4/) as unknown } })
    const pages: Loose[] = []
    for (let from = '1'; from !== ''; ) {
      const { json } = await send('GET', `/v1/runs/otter/effects?limit=1&from=${from}`)
      pages.push(...(json.effects as unknown as readonly Loose[]))
      from = word(json.next)
    }
    expect(pages).toEqual(effects)
    expect((await send('GET', '/v1/runs/otter/effects?from=9999')).json).toEqual({ v: 1, effects: [] })
  })

  test('the usage of the places is that of the meter', async () => {
    const { send } = await poem()
    const { json } = await send('GET', '/v1/runs/otter/cost')
    const { used, places } = json as unknown as {
      readonly used: Readonly<Record<string, number>>
      readonly places: readonly (Readonly<Record<string, number>> & { readonly path: unknown })[]
    }
    expect(used).toMatchObject({ tokens: 100, cost: 0.01, calls: 1 })
    expect(places.find(({ path }) => path === 'write')).toMatchObject({ tokens: 100, cost: 0.01 })
    for (const name of ['tokens', 'cost', 'calls', 'steps', 'unpriced'])
      expect(
        places.reduce((sum, place) => sum + (place[name] ?? 0), 0),
        name,
      ).toBeCloseTo(used[name] ?? 0)
    expect(await send('GET', '/v1/runs/nobody/cost')).toMatchObject({ status: 404, json: { error: { code: 'R2016' } } })
  })
})
