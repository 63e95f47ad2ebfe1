import { expect, test } from 'vitest'
import { eventStream } from '../../src/serve/stream.ts'
import { virtualHost } from '../../src/testing/index.ts'

/** Events without an end, and the number that were asked for. */
function endless(): {
  readonly events: AsyncGenerator<{ readonly id: string; readonly data: { readonly text: string } }>
  readonly asked: () => number
} {
  let asked = 0
  async function* events(): AsyncGenerator<{ readonly id: string; readonly data: { readonly text: string } }> {
    for (;;) yield { id: `otter@${++asked}`, data: { text: 'x'.repeat(1_000) } }
  }
  return { events: events(), asked: () => asked }
}

test('a client that reads nothing is cut off, and little was read for it', async () => {
  const host = virtualHost()
  const { events, asked } = endless()
  let ended = 0
  const reader = eventStream(events, host, () => void ended++).getReader()
  await host.advance(60_000)
  expect(ended).toBe(1)
  expect(asked()).toBeLessThan(100)
  await expect(reader.read()).rejects.toThrow('reads nothing')
})

test('a client that reads slowly stays, and gets each event once and a comment between', async () => {
  const host = virtualHost()
  const { events } = endless()
  let ended = 0
  const reader = eventStream(events, host, () => void ended++).getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let i = 0; i < 300; i++) {
    const { value } = await reader.read()
    text += decoder.decode(value)
    await host.advance(1_000)
  }
  const ids = [...text.matchAll(/^id: otter@(\d+)$/gm)].map(([, n]) => Number(n))
  expect(ids).toEqual(ids.map((_, i) => i + 1))
  expect(text).toContain('\n:\n\n')
  expect(ended).toBe(0)
  await reader.cancel()
  expect(ended).toBe(1)
})
