import { describe, expect, test } from 'vitest'
import { forest, leaf, n } from './tree-world.ts'

describe('sequences and selectors', () => {
  test('a sequence ticks its children until one does not succeed', async () => {
    const { run, calls } = await forest(n('sequence', {}, [leaf('a'), leaf('b'), leaf('c')]), { scripts: { a: ['S'], b: ['F'], c: ['S'] } })
    expect([run.status, calls]).toEqual(['failed', ['a', 'b']])
  })

  test('a selector ticks its children until one succeeds', async () => {
    const { run, calls } = await forest(n('selector', {}, [leaf('a'), leaf('b'), leaf('c')]), { scripts: { a: ['F'], b: ['S'], c: ['S'] } })
    expect([run.status, run.state.ended?.value, calls]).toEqual(['completed', { status: 'SUCCESS' }, ['a', 'b']])
  })

  test('a RUNNING child is resumed, and what came before is not ticked again', async () => {
    const { run, calls } = await forest(n('sequence', {}, [leaf('a'), leaf('b')]), { scripts: { a: ['S'], b: ['R', 'R', 'S'] } })
    expect([run.status, calls]).toEqual(['completed', ['a', 'b', 'b', 'b']])
  })

  test('a reactive sequence begins at its first child, and halts what was RUNNING', async () => {
    const tree = await forest(n('reactive_sequence', {}, [leaf('a'), leaf('b')]), { scripts: { a: ['S', 'S', 'F'], b: ['R'] } })
    expect([tree.run.status, tree.calls, tree.states().b]).toEqual(['failed', ['a', 'b', 'a', 'b', 'a'], 'FRESH'])
  })
})
