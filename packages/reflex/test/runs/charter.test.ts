import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Surroundings } from '../../src/app/host.ts'
import { digest, isObject, type Store } from '../../src/kernel/index.ts'
import type { ReflexOptions, RunOptions } from '../../src/app/options.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { faultOf, reflexOf } from './world.ts'

const DAY = 86_400_000

interface Ground {
  readonly host: ReturnType<typeof virtualHost>
  /** One process after another on the same store. */
  open(options?: ReflexOptions, more?: Partial<Surroundings>): Reflex
}

function ground(store: Store = memoryStore()): Ground {
  const host = virtualHost()
  let opened = 0
  return {
    host,
    open(options, more) {
      const worker = { id: `back${opened++}`, host: 'here', pid: process.pid }
      return reflexOf({ store, surroundings: { host, worker, cwd: '/', environment: {}, actor: 'ana', ...more }, ...options })
    },
  }
}

/** Runs a pipeline as far as it goes, and lets go of it. */
async function ran(reflex: Reflex, dot: string, options: RunOptions = {}): Promise<number> {
  const file = join(reflex.workdir, 'p.dot')
  writeFileSync(file, dot)
  const run = await reflex.start(file, { id: 'otter', ...options })
  await run.idle()
  await run.leave()
  return (await reflex.runtime.journal('otter')).length
}

/** Resumes a run, as far as it goes; gives how it stands and what it asks. */
async function resumed(reflex: Reflex, id: string): Promise<string> {
  const run = await reflex.resume(id)
  await run.idle()
  return [run.status, ...run.questions.map(({ name }) => name)].join(' ')
}

describe('what is settled for a fork', () => {
  const READS = `digraph p { start [shape=Mdiamond] done [shape=Msquare]
    first [type=transform, transform=constant, expression=x, output_key=k]
    fan [shape=component] one [type=transform, transform=constant, expression=x, output_key=k] join [shape=tripleoctagon]
    hosts [type=read, source=file, path="/etc/hostname"]
    start -> first -> fan fan -> one -> hosts hosts -> join [condition="outcome=success"]
    hosts -> stop [condition="outcome=fail"] stop [type=gate, predicate=trust, min_tier=autonomous] stop -> join join -> done }`
  const granting: ReflexOptions = { policy: [{ file: 'the operator', allow: ['arbor://fs/read/etc/hostname'], deny: [] }] }

  test('is what whoever makes it grants, at every record before that counts', async () => {
    const world = ground()
    const last = await ran(world.open(), READS)
    const other = world.open(granting)
    const ends = []
    for (let at = 1; at <= last; at++) {
      const made = await other.fork(`otter@${at}`).catch(() => undefined)
      if (made === undefined) continue
      ends.push([at, await resumed(other, made.id)])
      expect((await other.replay(made.id)).result).toBe('equal')
    }
    const entered = (await other.trace('otter')).lines.find(({ place }) => place.endsWith('hosts'))?.n ?? 0
    expect(ends.filter(([at]) => Number(at) < entered)).not.toHaveLength(0)
    for (const [at, end] of ends) expect([at, end]).toEqual([at, Number(at) < entered ? 'completed' : 'failed'])
  })

  test('does not go beyond what whoever makes it grants', async () => {
    const world = ground()
    await ran(world.open(granting), READS)
    const other = world.open()
    const { id } = await other.fork('otter@4')
    expect(await resumed(other, id)).toBe('failed')
  })

  const GATED = `digraph p { start [shape=Mdiamond] done [shape=Msquare]
    gate [type="gate.trust", min_tier=trusted]
    start -> gate -> done }`

  test('is the trust that is said for it, proved by a secret of this machine', async () => {
    const world = ground()
    const seal = (text: string): string => digest(`mine${text}`)
    await ran(world.open({}, { seal }), GATED)
    const forked = await world.open({}, { seal }).fork('otter@3', { id: 'crane', trust: 'trusted' })
    expect(forked).toMatchObject({ trust: 'trusted', trustBefore: 'probationary', simulated: false })
    expect(await resumed(world.open({}, { seal }), 'crane')).toBe('completed')
    expect(await world.open({}, { seal }).fork('crane@3', { id: 'finch' })).toMatchObject({ trust: 'trusted' })
    // Somebody else, to whom the store has come, believes none of it.
    const theirs = world.open({}, { seal: (text) => digest(`theirs${text}`) })
    expect(await theirs.fork('crane@3', { id: 'ibis' })).toMatchObject({ trust: 'probationary' })
    expect(await resumed(theirs, 'ibis')).toBe('failed')
  })

  test('is no trust that nobody can prove, nor a level that there is not', async () => {
    const world = ground()
    const reflex = world.open()
    await ran(reflex, GATED)
    expect(await reflex.fork('otter@3', { id: 'crane', trust: 'veteran' })).toMatchObject({ trust: 'probationary' })
    expect(await resumed(reflex, 'crane')).toBe('failed')
    for (const trust of ['boundless', 5, null])
      expect(await faultOf(reflex.fork('otter@3', { trust: trust as never }))).toMatchObject({ code: 'R3013' })
  })

  test('can be less, and nothing', async () => {
    const world = ground()
    const reflex = world.open()
    await ran(reflex, GATED.replace('tier=trusted', 'tier=probationary'))
    expect(await reflex.fork('otter@3', { id: 'crane', trust: 'untrusted' })).toMatchObject({ trust: 'untrusted' })
    expect([await resumed(reflex, 'crane')]).toEqual(['failed'])
  })

  test('keeps when it began, and what its draws come from', async () => {
    const world = ground()
    const reflex = world.open()
    await ran(reflex, GATED)
    await world.host.advance(DAY)
    await reflex.fork('otter@3', { id: 'crane' })
    const permissions = async (id: string, at: number) => (await reflex.runtime.peek(id, at)).state.root.permissions
    const [before, after] = [await permissions('otter', 3), await permissions('crane', 5)]
    expect(after).toEqual({ ...before, settings: { ...before?.settings, run: 'crane', folder: reflex.runFolder('crane') } })
    expect(after?.facts).toMatchObject({ origin: 'otter' })
  })
})

describe('a budget of time', () => {
  const limits = { time: 60_000 }

  test.each([
    [
      'of a pipeline',
      'digraph p { start [shape=Mdiamond] done [shape=Msquare] a [type=transform, transform=constant, expression=x, output_key=k] b [type=transform, transform=constant, expression=x, output_key=k] start -> a -> b -> done }',
    ],
    [
      'a pipeline states',
      'digraph p { max_wall_time="60s" start [shape=Mdiamond] done [shape=Msquare] a [type=transform, transform=constant, expression=x, output_key=k] b [type=transform, transform=constant, expression=x, output_key=k] start -> a -> b -> done }',
    ],
  ])('%s does not count how long a fork lay', async (_, dot) => {
    const world = ground()
    const reflex = world.open()
    await ran(reflex, dot, dot.includes('max_wall') ? {} : { limits })
    await world.host.advance(10 * DAY)
    await reflex.fork('otter@3', { id: 'crane' })
    await world.host.advance(10 * DAY)
    await reflex.fork('crane', { id: 'finch' })
    await world.host.advance(10 * DAY)
    for (const id of ['crane', 'finch']) expect([id, await resumed(reflex, id)]).toEqual([id, 'completed'])
  })

  test('of a workflow does not either', async () => {
    const world = ground()
    const reflex = world.open()
    const steps = workflow({
      id: 'steps',
      entry: 'a',
      nodes: { a: {}, b: {}, c: {} },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
      ],
    })
    await reflex.run(steps, { id: 'otter', limits })
    await world.host.advance(10 * DAY)
    await reflex.fork('otter@2', { id: 'crane' })
    await world.host.advance(10 * DAY)
    expect(await resumed(reflex, 'crane')).toBe('completed')
  })
})

test('a fork that is simulated is so for good, whoever resumes it', async () => {
  const world = ground()
  const reflex = world.open()
  const dot = 'digraph p { start [shape=Mdiamond] done [shape=Msquare] think [prompt="Think", output_key=thought] start -> think -> done }'
  await ran(reflex, dot)
  expect(await reflex.fork('otter@3', { id: 'crane', simulate: true })).toMatchObject({ simulated: true, trust: 'probationary' })
  expect(await reflex.fork('otter@3', { id: 'finch' })).toMatchObject({ simulated: false })
  const other = world.open()
  expect([await resumed(other, 'crane'), await resumed(other, 'finch')]).toEqual(['completed', 'failed'])
  expect(await reflex.fork('crane@3')).toMatchObject({ simulated: true })
})

describe('what is decided for a fork', () => {
  const asking = workflow({
    id: 'offer',
    entry: 'look',
    nodes: { look: {}, decide: { spec: { ask: 'Which?' } }, month: {}, year: {} },
    edges: [
      { from: 'look', to: 'decide' },
      { from: 'decide', to: 'month', event: 'MONTH' },
      { from: 'decide', to: 'year', event: 'YEAR' },
    ],
  })

  test.each(['year', 'decide=year', 'offer/decide=year'])('may name its place as messages do: %s', async (decide) => {
    const world = ground()
    const reflex = world.open()
    await reflex.run(asking, { id: 'otter' })
    expect(await reflex.fork('otter', { decide })).toMatchObject({ decided: { place: 'decide' } })
  })

  test('is a word', async () => {
    const world = ground()
    const reflex = world.open()
    await reflex.run(asking, { id: 'otter' })
    for (const decide of [5, null, { way: 'year' }])
      expect(await faultOf(reflex.fork('otter', { decide: decide as never }))).toMatchObject({ code: 'R2064' })
  })

  test('inside an effect, the nearest records where it can be forked are named', async () => {
    const world = ground()
    const reflex = world.open({ tools: [] })
    const dot = `digraph p { start [shape=Mdiamond] done [shape=Msquare] k [type=transform, transform=constant, expression=x, output_key=k] w [type=write, content_key=k, path="out.txt"] start -> k -> w -> done }`
    const last = await ran(reflex, dot)
    const inside =
      (await reflex.runtime.journal('otter')).findIndex(({ requests }) => requests?.some(([port]) => port === 'tool') === true) + 1
    expect([inside > 0, inside < last]).toEqual([true, true])
    const found = await faultOf(reflex.fork(`otter@${inside}`, { decide: 'year' }))
    expect(found).toMatchObject({ code: 'R2060', data: { before: inside - 1 } })
    expect(isObject(found.data)).toBe(true)
  })
})
