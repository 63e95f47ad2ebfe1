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
  const calls: string[] = []
  const stream = eventStream(events, host, { onEnd: () => void calls.push('end'), cut: () => void calls.push('cut') })
  await host.advance(60_000)
  expect(calls).toEqual(['end', 'cut'])
  expect(asked()).toBeLessThan(100)
  await stream.cancel()
  expect(calls).toEqual(['end', 'cut'])
})

test('a client that reads slowly stays, and gets each event once and a comment between', async () => {
  const host = virtualHost()
  const { events } = endless()
  let ended = 0
  const reader = eventStream(events, host, { onEnd: () => void ended++, cut: () => undefined }).getReader()
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

test('a stream that fails ends with the error as its last event, and without the words of an unknown one', async () => {
  async function* events(): AsyncGenerator<{ readonly id: string; readonly data: object & Record<string, never> }> {
    yield { id: 'otter@1', data: {} }
    throw new Error('the disk is gone')
  }
  let ended = 0
  const stream = eventStream(events(), virtualHost(), { onEnd: () => void ended++, cut: () => undefined })
  const text = await new Response(stream).text()
  expect(text).toContain('id: otter@1\n')
  expect(text).toMatch(/event: error\ndata: .*"R9001".*\n\n$/)
  expect(text).not.toContain('disk')
  expect(ended).toBe(1)
})
