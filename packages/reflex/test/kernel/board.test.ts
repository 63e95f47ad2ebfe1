import { describe, expect, it } from 'vitest'
import type { BoardRules, Validator } from '../../src/kernel/state/board.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { containing, failure, kindOf, type Step, worldOf } from './world.ts'

/** Runs one step on a board with these rules; the callee of a kind that has one sees its caller's board. */
async function stepped(board: BoardRules, step: Step, schemas?: Readonly<Record<string, Validator>>): Promise<Run> {
  const facts = schemas === undefined ? { board } : { board, schemas: () => schemas }
  const world = worldOf([kindOf('probe', step, facts)])
  const run = await world.start('probe')
  await run.idle()
  return run
}

const then =
  (act: Step): Step =>
  (x, input) => {
    const before = x.frame.position
    act(x, input)
    if (x.position === before) x.done()
  }

async function refused(board: BoardRules, act: Step, schemas?: Readonly<Record<string, Validator>>): Promise<string> {
  return failure(await stepped(board, then(act), schemas)).code
}

/** One step after another; `then` ends the run after the second. */
function twoSteps(first: Step, second: Step): Step {
  return (x, input) => {
    if (x.position !== undefined) return second(x, input)
    first(x, input)
    x.go(1)
    x.again()
  }
}

const number: Validator = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value === 'number' ? { value: value + 1 } : { issues: [{ message: 'not a number', path: [{ key: 'inner' }] }] },
  },
}
const later: Validator = { '~standard': { version: 1, vendor: 'test', validate: async (value) => ({ value }) } }

describe('a write', () => {
  it('is refused where it is made if it is not JSON, with the key and the node', async () => {
    const run = await stepped(
      {},
      then((x) => {
        x.setPlace('main/node')
        x.set('key', { a: [undefined] })
      }),
    )
    expect(failure(run)).toMatchObject({ code: 'R2004', message: containing('main/node.key.a[0] is undefined') })
    expect(run.state.root.reader().keys()).toEqual([])
  })

  it('may have the empty key, which works like other keys', async () => {
    const run = await stepped({}, (x) => x.set('', 1))
    expect(run.state.root.reader().get('')).toBe(1)
  })

  it('keeps nothing of a step that fails', async () => {
    const run = await stepped({}, (x) => {
      x.set('a', 1)
      x.set('b', () => 1)
    })
    expect(run.state.root.reader().snapshot()).toEqual({})
  })

  it('reaches reserved keys only from within', async () => {
    expect(await refused({ isReserved: '__' }, (x) => x.set('__a', 1))).toBe('R2005')
    expect(await refused({}, (x) => x.set('__a', 1))).toBe('')
    expect(await refused({ isReserved: '__', schemas: 'required' }, (x) => x.setInternal('__a', 1))).toBe('')
  })

  it('fits its schema, and stores what the schema gives back', async () => {
    const run = await stepped(
      {},
      then((x) => x.set('n', 1)),
      { n: number },
    )
    expect(run.state.root.reader().get('n')).toBe(2)
    const wrong = await stepped(
      {},
      then((x) => x.set('n', 'x'.repeat(100))),
      { n: number },
    )
    expect(failure(wrong)).toMatchObject({ code: 'R2007', message: containing('n.inner: not a number') })
    expect(failure(wrong).message).toMatch(/probe:main wrote n as "x+…x+"/)
    expect(await refused({}, (x) => x.set('n', 1), { n: later })).toBe('R2007')
    expect(await refused({}, (x) => x.set('other', 1), { n: number })).toBe('')
    expect(await refused({ schemas: 'required' }, (x) => x.set('other', 1), { n: number })).toBe('R2006')
    expect(await refused({ schemas: 'required' }, (x) => x.set('toString', 1), {})).toBe('R2006')
  })

  it('fits the board, whose replaced values do not count', async () => {
    const fill =
      (size: number): Step =>
      (x) =>
        x.set('a', 'x'.repeat(size))
    expect(await refused({ limit: 20 }, fill(17))).toBe('')
    expect(await refused({ limit: 20 }, fill(18))).toBe('R2008')
    expect(
      await refused({ limit: 20 }, (x) => {
        x.set('a', 'x'.repeat(17))
        x.set('a', 'y'.repeat(17))
      }),
    ).toBe('')
    expect(
      await refused({ limit: 20 }, (x) => {
        x.set('a', 'x'.repeat(10))
        x.set('b', 'y'.repeat(10))
      }),
    ).toBe('R2008')
    expect(await refused({ limit: 20 }, (x) => x.set('a', 'é'.repeat(9)))).toBe('R2008')
    for (const text of ['é€😀'.repeat(3), 'é€😀\ud83d'.repeat(400)]) {
      const bytes = 1 + Buffer.byteLength(JSON.stringify(text))
      expect(await refused({ limit: bytes }, (x) => x.set('a', text))).toBe('')
      expect(await refused({ limit: bytes - 1 }, (x) => x.set('a', text))).toBe('R2008')
    }
    expect(
      await refused({ limit: 20, root: true }, (x) => {
        x.set('a', 'x'.repeat(10))
        x.setRoot('b', 'y'.repeat(10))
      }),
    ).toBe('R2008')
    expect(
      await refused({ limit: 20, scopes: true }, (x) => {
        const inner = x.open()
        x.setIn(inner, 'a', 'x'.repeat(10))
        x.set('b', 'y'.repeat(10))
      }),
    ).toBe('R2008')
    expect(
      await refused(
        { limit: 20, tombstones: true },
        twoSteps(
          (x) => x.set('a', 'x'.repeat(15)),
          (x) => {
            x.delete('a')
            x.set('b', 'y'.repeat(15))
          },
        ),
      ),
    ).toBe('')
    expect(
      await refused(
        { limit: 20 },
        twoSteps(
          (x) => x.set('a', 'x'.repeat(15)),
          (x) => x.set('b', 'y'.repeat(15)),
        ),
      ),
    ).toBe('R2008')
  })
})

describe('facts that are off', () => {
  const off: readonly [string, Step][] = [
    ['tombstones', (x) => x.delete('a')],
    ['root', (x) => x.setRoot('a', 1)],
    ['scopes', (x) => x.open()],
    ['tracks', (x) => x.access],
  ]
  it.each(off)('refuse %s', async (_, act) => {
    expect(await refused({}, act)).toBe('R2009')
  })
})

describe('facts that are on', () => {
  it('delete: hides a key of the own scope, within the step and after it', async () => {
    const seen: Json[] = []
    await stepped({ tombstones: true }, (x) => {
      const at = Number(x.position ?? 0)
      if (at === 0) x.set('a', 1)
      if (at === 1) {
        seen.push(x.delete('a'), x.has('a'), x.delete('a'), x.delete('never'))
        x.set('b', 2)
        seen.push(x.delete('b'), x.has('b'))
      }
      if (at === 2) {
        seen.push(x.has('a'))
        x.set('a', 3)
        x.delete('a')
        x.set('a', 4)
      }
      if (at === 3) {
        seen.push(x.get('a') ?? null)
        return x.done()
      }
      x.go(at + 1)
      x.again()
    })
    expect(seen).toEqual([true, false, true, false, true, false, false, 4])
  })

  it('delete: shows what lies further out, as far as the strand sees it', async () => {
    const seen: Json[] = []
    const inner = kindOf(
      'inner',
      (x) => {
        if (x.position === undefined) x.set('a', 'own')
        else seen.push(x.delete('a'), x.get('a') ?? null)
        if (x.position !== undefined) return x.done()
        x.go(1)
        x.again()
      },
      { board: { tombstones: true } },
    )
    const outer = kindOf('outer', (x, input) => {
      if (input?.[0] === 'end') return x.done()
      if (x.position !== undefined) return x.set('a', 'too late')
      x.set('a', 'outer')
      x.spawn('inner:inner')
      x.go(1)
      x.again()
    })
    const world = worldOf([inner, outer])
    world.runtime.programs.add('inner', 'inner', {})
    await (await world.start('outer')).idle()
    expect(seen).toEqual([true, 'outer'])
  })

  it('does not change the input that it shares its writes with', async () => {
    const accepted: Json[] = ['a', 1]
    await stepped({ tombstones: true }, (x) => {
      x.setAccepted(accepted)
      x.delete('never there')
      x.set('b', 2)
      x.done()
    })
    expect(accepted).toEqual(['a', 1])
  })

  it('root: writes to the outermost scope that the frame reaches', async () => {
    const inner = kindOf(
      'inner',
      (x) => {
        x.setRoot('from', 'inner')
        x.done()
      },
      { board: { root: true } },
    )
    const outer = kindOf('outer', (x, input) => (input === undefined ? void x.call('inner:inner') : x.done(x.get('from') ?? null)))
    const world = worldOf([inner, outer])
    world.runtime.programs.add('inner', 'inner', {})
    const run = await world.start('outer')
    await run.idle()
    expect(run.state.ended?.value).toBe('inner')
  })

  it('scopes: are written, read outwards and shut, also within one step', async () => {
    const seen: (Json | undefined)[] = []
    const names: string[] = []
    const run = await stepped({ scopes: true }, (x) => {
      if (x.position === undefined) {
        const first = String(x.open())
        const second = String(x.open(first))
        names.push(first, second)
        x.set('a', 'own')
        x.setIn(first, 'b', 'first')
        x.setIn(second, 'c', 'second')
        seen.push(x.getIn(second, 'a'), x.getIn(second, 'b'), x.getIn(second, 'c'), x.get('c'))
        x.go(1)
        return x.again()
      }
      const [first = '', second = ''] = names
      seen.push(x.getIn(second, 'a'), x.getIn(second, 'b'), x.getIn(first, 'c'), x.reader(second).get('b'))
      x.shut(second, first)
      x.done()
    })
    expect(seen).toEqual(['own', 'first', 'second', undefined, 'own', 'first', undefined, 'first'])
    expect(run.state.root.subs?.size).toBe(0)
  })

  it('scopes: a key is deleted from one scope alone, in the step that wrote it or later', async () => {
    const seen: Json[] = []
    const run = await stepped({ scopes: true }, (x) => {
      if (x.position === undefined) {
        x.set('a', 'outer')
        const inner = x.open()
        x.setIn(inner, 'a', 1)
        x.setIn(inner, 'b', 2)
        x.setIn(inner, 'c', 3)
        seen.push(x.deleteIn(inner, 'c'), x.deleteIn(inner, 'c'), Object.fromEntries(x.ownValues(inner)))
        x.go(inner)
        return x.again()
      }
      const inner = x.position as string
      seen.push(x.deleteIn(inner, 'a'), x.getIn(inner, 'a') ?? null, Object.fromEntries(x.ownValues(inner)))
      x.setIn(inner, 'a', 4)
      seen.push(x.getIn(inner, 'a') ?? null, x.deleteIn(inner, 'a'), x.getIn(inner, 'a') ?? null)
      x.note(x.ownValues(inner).size)
      x.done()
    })
    expect(seen).toEqual([true, false, { a: 1, b: 2 }, true, 'outer', { b: 2 }, 4, true, 'outer'])
    expect(run.state.root.reader().get('a')).toBe('outer')
  })

  it('scopes: a name that is not open fails the frame, not the run of the kernel', async () => {
    expect(await refused({ scopes: true }, (x) => x.setIn('9o', 'a', 1))).toBe('R9001')
    expect(await refused({ scopes: true }, (x) => x.open('9o'))).toBe('R9001')
  })

  it('tracks: knows what a step read and wrote', async () => {
    const seen: Json[] = []
    await stepped({ tracks: true }, (x) => {
      x.get('a')
      x.has('not tracked')
      x.set('b', 1)
      seen.push([...x.access.reads], [...x.access.writes])
      x.clearAccess()
      seen.push([...x.access.reads])
      x.done()
    })
    expect(seen).toEqual([['a'], ['b'], []])
  })
})
