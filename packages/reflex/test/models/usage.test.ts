import { describe, expect, test } from 'vitest'
import { createModels, faults, type Model } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { faultOf, played, saying, watched, workshop } from './workshop.ts'

const PRICES = { m: { input: 1_000_000, output: 1_000_000 } }
const cut = faults.make('R4011', 'the stream ended before the answer was complete')
const told = faults.make('R4011', 'the stream ended before the answer was complete', { data: { usage: { input: 7, output: 3 } } })

/** A model that streams some characters, then does what `end` says. */
const streaming = (characters: number, end: () => Promise<never>): Model => ({
  name: 'm',
  async generate(_, call) {
    if (characters > 0) call.part({ text: 'x'.repeat(characters) })
    return end()
  },
})

async function usedBy(model: Model): Promise<unknown> {
  const host = virtualHost()
  const models = createModels({ host, models: { m: model }, model: 'm', prices: PRICES })
  const request = saying('a'.repeat(400), { stream: true, retries: 0, timeout: 5_000 })
  return (await faultOf(played(host, models.generate(request, watched())))).data?.['used']
}

describe('a try without an answer', () => {
  test('that streamed counts with its request and the received part, estimated and priced', async () => {
    const used = await usedBy(streaming(400, () => Promise.reject(cut)))
    expect(used).toMatchObject({ model: 'm', tries: 1, estimated: true })
    const { input, output, usd } = used as { input: number; output: number; usd: number }
    expect([input >= 100, input < 120, output >= 100, output < 110, usd]).toEqual([true, true, true, true, input + output])
  })

  test('counts the usage that its provider reports, if any', async () => {
    expect(await usedBy(streaming(400, () => Promise.reject(told)))).toEqual({ model: 'm', input: 7, output: 3, usd: 10, tries: 1 })
  })

  test('that was too late counts with its request', async () => {
    const used = await usedBy(streaming(0, () => new Promise(() => undefined)))
    expect(used).toMatchObject({ model: 'm', output: 0, estimated: true })
  })

  test('that never began counts nothing', async () => {
    expect(await usedBy(streaming(0, () => Promise.reject(faults.make('R4009', 'slow down'))))).toBe(undefined)
  })

  test('counts in addition to the later answer', async () => {
    const { host, models } = workshop([], {
      model: (() => {
        let n = 0
        const model = streaming(40, () => Promise.reject(cut))
        return {
          name: 'm',
          generate: (request, call) =>
            ++n === 1 ? model.generate(request, call) : Promise.resolve({ text: 'ok', finish: 'stop', usage: { input: 5, output: 5 } }),
        } satisfies Model
      })(),
      prices: PRICES,
    })
    const reply = await played(host, models.generate(saying('hello', { stream: true }), watched()))
    expect(reply).toMatchObject({ text: 'ok', tries: 2, estimated: true })
    expect(reply.usage.output).toBeGreaterThan(14)
    expect(reply.cost).toBe(reply.usage.input + reply.usage.output)
  })
})
