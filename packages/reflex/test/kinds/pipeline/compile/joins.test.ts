import { expect, test } from 'vitest'
import { compiled } from './compiled.ts'

const BLOCKS = 'node [prompt=x]; p [shape=component]; q [shape=component]; f [shape=tripleoctagon]; g [shape=tripleoctagon]; '
const joinsOf = (body: string): Record<string, string> => Object.fromEntries(compiled(BLOCKS + body).joins)

// proves: pipeline 3.9.2e
test('branches join at the fan-in that all of them reach', () => {
  expect(joinsOf('p -> a -> f; p -> b -> c -> f; f -> done')).toEqual({ p: 'f' })
})

// proves: pipeline 3.9.2e
test('of two, at the nearer by the sum of distances, then by id', () => {
  expect(joinsOf('p -> a -> g -> f; p -> b -> g')).toEqual({ p: 'g' })
  expect(joinsOf('p -> a; p -> b; a -> f; a -> g; b -> f; b -> g')).toEqual({ p: 'f' })
  expect(joinsOf('p -> a -> f; a -> x -> g; p -> b -> g; b -> x1 -> x2 -> x3 -> f')).toEqual({ p: 'g' })
})

test('a block inside a branch has its own join', () => {
  expect(joinsOf('p -> q; q -> a -> g; q -> b -> g; g -> f; p -> c -> f')).toEqual({ p: 'f', q: 'g' })
})

test('a fan-in behind a parallel node to which all branches come belongs to that one', () => {
  expect(joinsOf('p -> a -> q; p -> b -> q; q -> c -> f; q -> d -> f')).toEqual({ p: 'q', q: 'f' })
  expect(joinsOf('p -> a -> m; p -> b -> m; m -> q; q -> c -> f; q -> d -> f')).toEqual({ p: 'm', q: 'f' })
})

test('a fan-in that a branch can reach beside that parallel node does not', () => {
  expect(joinsOf('p -> a -> q; p -> b -> q; b -> x -> y -> z -> f; q -> c -> f; q -> d -> f; a -> w -> f').p).toBe('f')
})

test('without a fan-in, at the nearest node that all reach, else nowhere', () => {
  expect(joinsOf('p -> a -> m -> done; p -> b -> m')).toEqual({ p: 'm' })
  expect(joinsOf('p -> a -> done; p -> b')).toEqual({})
  expect(joinsOf('p -> a -> done; p -> b -> done')).toEqual({ p: 'done' })
})

test('a loop back to the parallel node is a new round', () => {
  expect(joinsOf('p -> a -> f; p -> b -> f; f -> check; check -> p; check -> done; b -> p')).toEqual({ p: 'f' })
})

test('one branch joins at a fan-in alone, also at its first node', () => {
  expect(joinsOf('p -> a -> b -> f')).toEqual({ p: 'f' })
  expect(joinsOf('p -> f')).toEqual({ p: 'f' })
  expect(joinsOf('p -> a -> done')).toEqual({})
})

test('the author decides, if the node is there', () => {
  expect(joinsOf('p [join_target="m"]; p -> a -> m -> f; p -> b -> m')).toEqual({ p: 'm' })
  expect(joinsOf('p [join_target="nowhere"]; p -> a -> f; p -> b -> f')).toEqual({ p: 'f' })
})

test('a parallel node that works on items has no branches', () => {
  expect(joinsOf('p [items_key="list"]; p -> a -> f; p -> b -> f')).toEqual({})
})

test('thousands of branches and of blocks are worked out', () => {
  const branches = Array.from({ length: 2000 }, (_, i) => `p -> a${i} -> f;`).join('')
  expect(joinsOf(branches)).toEqual({ p: 'f' })
  const block = (i: number): string =>
    `p${i} [shape=component]; f${i} [shape=tripleoctagon]; p${i} -> a${i} -> f${i}; p${i} -> b${i} -> f${i}; f${i} -> p${i + 1};`
  const blocks = compiled(Array.from({ length: 1000 }, (_, i) => block(i)).join(''))
  expect(blocks.joins.size).toBe(1000)
  for (const [parallel, join] of blocks.joins) expect(join).toBe(parallel.replace('p', 'f'))
})

test('what takes too much work is said, once', () => {
  const lost = Array.from({ length: 2000 }, (_, i) => `n${i} [shape=component]; n${i} -> n${i + 1}; n${i} -> x${i};`).join('')
  const findings = compiled(lost).findings.filter(({ rule }) => rule === 'join_inference')
  expect(findings).toMatchObject([{ code: 'R1160', severity: 'warning', fix: 'write join_target' }])
})
