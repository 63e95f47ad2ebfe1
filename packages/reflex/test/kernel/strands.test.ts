import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import { kindOf, type Step, worldOf } from './world.ts'

/** What a strand sees of `a` once its spawner has overwritten it; `sees` as given, spawned from an own or inner scope. */
async function seen(sees: 'live' | 'past' | 'nothing', nested = false): Promise<Json> {
  const reads: Json[] = []
  const leaf: Step = (x, input) => {
    if (input?.[0] === 'ok') return x.done(x.get('a') ?? null)
    x.request('later')
  }
  const middle: Step = (x, input) => {
    if (input?.[0] === 'end') return x.done(x.strandResult(input[1])?.value ?? null)
    x.spawn('leaf:leaf', { sees: 'live' })
  }
  const outer: Step = (x, input) => {
    if (input?.[0] === 'end') {
      reads.push(x.strandResult(input[1])?.value ?? null)
      return x.done()
    }
    if (x.position !== undefined) return x.set('a', 'after')
    x.set('a', 'before')
    x.spawn(nested ? 'middle:middle' : 'leaf:leaf', { sees })
    x.go(1)
    x.again()
  }
  const kinds = [kindOf('leaf', leaf), kindOf('middle', middle), kindOf('outer', outer)]
  const later = { leaves: false, repeat: 'free' as const, perform: async () => 1 }
  const world = worldOf(kinds, { ports: { later } })
  for (const name of ['leaf', 'middle']) world.runtime.programs.add(name, name, {})
  await (await world.start('outer')).idle()
  return reads[0] ?? null
}

describe('what a strand sees of its spawner', () => {
  it('is the board as of the spawning record, live, or nothing', async () => {
    expect(await seen('past')).toBe('before')
    expect(await seen('live')).toBe('after')
    expect(await seen('nothing')).toBe(null)
  })

  it('is bounded by the strictest of the strands around it', async () => {
    expect(await seen('past', true)).toBe('before')
    expect(await seen('live', true)).toBe('after')
  })

  it('begins in the inner scope that it was spawned under', async () => {
    const reads: Json[] = []
    const leaf = kindOf('leaf', (x) => x.done([x.get('inner') ?? null, x.get('own') ?? null]))
    const outer = kindOf(
      'outer',
      (x, input) => {
        if (input?.[0] === 'end') {
          reads.push(x.strandResult(input[1])?.value ?? null)
          return x.done()
        }
        const scope = x.open()
        x.set('own', 1)
        x.setIn(scope, 'inner', 2)
        x.spawn('leaf:leaf', { under: scope })
      },
      { board: { scopes: true } },
    )
    const world = worldOf([leaf, outer])
    world.runtime.programs.add('leaf', 'leaf', {})
    await (await world.start('outer')).idle()
    expect(reads).toEqual([[2, 1]])
  })
})

describe('adopting', () => {
  it('takes over in declared order, whatever the order in which strands end, and forgets the strand', async () => {
    const branch: Step = (x, input) => {
      const { i } = x.args as { i: number }
      if (input === undefined) x.timer(10 - i)
      else {
        x.set('who', i)
        x.set('twice', 1)
        x.set('twice', i)
        x.done()
      }
    }
    const ends: Json[] = []
    const outer: Step = (x, input) => {
      if (input === undefined) {
        for (let i = 0; i < 3; i++) x.spawn('branch:branch', { args: { i } })
        return
      }
      ends.push(input[1])
      const kids = [...(x.frame.strandResults?.values() ?? [])]
      if (kids.some(({ status }) => status === 'running')) return
      x.adopt(...kids.map(({ id }) => id))
      x.done()
    }
    const world = worldOf([kindOf('branch', branch), kindOf('outer', outer)])
    world.runtime.programs.add('branch', 'branch', {})
    const run = await world.start('outer')
    await run.idle()
    await world.host.advance(20)
    await run.idle()
    expect(ends).toEqual(['2s2', '2s1', '2s'])
    expect(run.state.root.reader().snapshot()).toEqual({ who: 2, twice: 2 })
    expect(run.state.root.strandResults?.size).toBe(0)
  })

  it('of a strand that runs, or of one that is not there, fails the frame', async () => {
    for (const id of ['2s', '99s']) {
      const outer: Step = (x, input) => {
        if (x.position !== undefined) return x.adopt(id)
        if (input === undefined) x.spawn(null, { args: 1 })
        x.go(1)
        x.again()
      }
      const step: Step = (x, input) => (x.args === 1 ? void x.wait('answer', 'never') : outer(x, input))
      const world = worldOf([kindOf('outer', step)])
      const run = await world.start('outer')
      await run.idle()
      expect(run.state.ended).toMatchObject({ status: 'failed', value: { code: 'R9001' } })
    }
  })
})
