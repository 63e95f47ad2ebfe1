import { expect, test } from 'vitest'
import type { Leave } from 'reflex-runtime/kernel'
import { virtualHost } from '../../reflex/src/testing/index.ts'
import { CallLine } from '../src/call-line.ts'

/** A line whose questions the test answers: each answer is the milliseconds to wait, none for a failure. */
function lineOf(answers: readonly (number | null | undefined)[]) {
  const host = virtualHost()
  const seen: string[] = []
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    if (!names.has(id)) names.set(id, `call ${names.size + 1}`)
    return names.get(id) ?? ''
  }
  let asked = 0
  let isAway = false
  const line = new CallLine({
    host,
    async ask(id, behind) {
      seen.push(`${nameOf(id)} asks, ${behind} behind`)
      const answer = answers[asked++]
      if (answer === undefined) throw new Error('the server is away')
      return answer
    },
    async leave(id) {
      if (isAway) throw new Error('the server is away')
      seen.push(`${nameOf(id)} leaves`)
    },
    empty: async () => void seen.push('empty'),
    onTrouble: (thrown) => seen.push(String(thrown)),
  })
  return { host, line, seen, goAway: (away: boolean) => void (isAway = away) }
}

const OPEN = new AbortController().signal

test('calls begin in their order, and only the first one asks', async () => {
  const { host, line, seen } = lineOf([100, 0, 0])
  const begun: number[] = []
  for (const i of [1, 2]) void line.enter(OPEN).then(() => begun.push(i))
  await host.drain()
  expect(begun).toEqual([])
  await host.advance(100)
  expect(begun).toEqual([1, 2])
  expect(seen).toEqual(['call 1 asks, 0 behind', 'call 1 asks, 1 behind', 'call 2 asks, 0 behind', 'empty'])
})

test('a server that is away is asked again, for room and for its return', async () => {
  const { host, line, seen, goAway } = lineOf([undefined, 0])
  let end: Leave | undefined
  void line.enter(OPEN).then((leave) => (end = leave))
  await host.drain()
  await host.advance(1000)
  expect(seen).toEqual(['call 1 asks, 0 behind', 'Error: the server is away', 'call 1 asks, 0 behind', 'empty'])
  goAway(true)
  end?.()
  await host.drain()
  await host.advance(3000)
  expect(seen.at(-1)).toBe('empty')
  goAway(false)
  await host.advance(1000)
  expect(seen.at(-1)).toBe('call 1 leaves')
})

test('a call that is dropped while it is asked for gives its room back, and a line without calls does not wait', async () => {
  const { host, line, seen } = lineOf([0, 5000])
  const [asked, waiting] = [new AbortController(), new AbortController()]
  const dropped = line.enter(asked.signal).catch(String)
  asked.abort('dropped')
  expect(await dropped).toBe('dropped')
  await host.drain()
  const other = line.enter(waiting.signal).catch(String)
  await host.drain()
  waiting.abort('dropped too')
  expect(await other).toBe('dropped too')
  await host.drain()
  expect(seen).toEqual(['call 1 asks, 0 behind', 'call 1 leaves', 'call 2 asks, 0 behind', 'empty'])
  expect(await line.enter(waiting.signal).catch(String)).toBe('dropped too')
})

test('a call whose limit is gone begins, and has nothing to leave', async () => {
  const { host, line, seen } = lineOf([null])
  const leave = await line.enter(OPEN)
  leave()
  await host.drain()
  expect(seen).toEqual(['call 1 asks, 0 behind'])
})
