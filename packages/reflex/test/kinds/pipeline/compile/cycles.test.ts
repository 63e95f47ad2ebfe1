import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cyclesOf } from '../../../../src/kinds/pipeline/model/cycles.ts'
import { compiled } from './compiled.ts'

type Ways = ReadonlyMap<string, readonly string[]>

function reaches(ways: Ways, from: string): Set<string> {
  const seen = new Set<string>()
  const queue = [...(ways.get(from) ?? [])]
  for (const id of queue) {
    if (seen.has(id)) continue
    seen.add(id)
    queue.push(...(ways.get(id) ?? []))
  }
  return seen
}

/** Ways by the places of nodes, as a compiled graph has them. */
function numbered(ways: readonly (readonly number[])[]): { begins: Uint32Array; targets: Int32Array } {
  const begins = new Uint32Array(ways.length + 1)
  for (const [at, { length }] of ways.entries()) begins[at + 1] = (begins[at] ?? 0) + length
  return { begins, targets: Int32Array.from(ways.flat()) }
}

/** Two nodes are in one cycle if each reaches the other. */
function naive(ids: readonly string[], ways: Ways): string[][] {
  const reached = new Map(ids.map((id) => [id, reaches(ways, id)]))
  const cycles: string[][] = []
  for (const id of ids) {
    if (reached.get(id)?.has(id) !== true || cycles.some((cycle) => cycle.includes(id))) continue
    cycles.push(ids.filter((other) => reached.get(id)?.has(other) === true && reached.get(other)?.has(id) === true))
  }
  return cycles
}

test('finds what the naive way finds', () => {
  const graphs = fc.integer({ min: 1, max: 9 }).chain((size) => {
    const id = fc.integer({ min: 0, max: size - 1 }).map((i) => `n${i}`)
    return fc.record({ size: fc.constant(size), edges: fc.array(fc.tuple(id, id), { maxLength: 20 }) })
  })
  fc.assert(
    fc.property(graphs, ({ size, edges }) => {
      const ids = Array.from({ length: size }, (_, i) => `n${i}`)
      const ways = new Map(ids.map((id) => [id, edges.filter(([from]) => from === id).map(([, to]) => to)]))
      const numbers = ids.map((id) => (ways.get(id) ?? []).map((to) => ids.indexOf(to)))
      expect(cyclesOf(ids, numbered(numbers))).toEqual(naive(ids, ways))
    }),
    { numRuns: 400 },
  )
})

test('a compiled pipeline knows its cycles', () => {
  const { cycles } = compiled('start -> a -> b -> a; b -> c -> c; c -> done')
  expect(cycles).toEqual([['a', 'b'], ['c']])
})

test('a ring of 100,000 needs no stack', () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => `${i}`)
  expect(cyclesOf(ids, numbered(ids.map((_, i) => [(i + 1) % ids.length])))).toHaveLength(1)
})
