import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import type { Store } from '../../src/kernel/index.ts'
import { Feeds } from '../../src/serve/feed.ts'
import { ServeMetrics } from '../../src/serve/metrics.ts'
import type { Subscription } from '../../src/serve/triggers/config.ts'
import { Outbox } from '../../src/serve/triggers/outbox.ts'
import { verifyDelivery } from '../../src/serve/triggers/signature.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost, type VirtualHost } from '../../src/testing/index.ts'
import { processIn, SECRET, triggerFolder } from './trigger-folder.ts'

interface Received {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers with the statuses of a list, and then with 200. 0: it never answers. */
async function receiver(statuses: number[] = [], location = ''): Promise<{ readonly url: string; readonly got: Received[] }> {
  const got: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> }
      got.push({ id: String(request.headers['webhook-id']), type, data, headers: request.headers, body })
      const status = statuses.shift() ?? 200
      if (status !== 0) response.writeHead(status, location === '' ? {} : { location }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, got }
}

const subscription = (url: string, more: Partial<Subscription> = {}): Subscription => ({
  url,
  secret: SECRET,
  events: ['question', 'suspended', 'completed', 'cancelled'],
  giveUp: 86_400_000,
  timeout: 15_000,
  private: true,
  ...more,
})

interface Sender {
  readonly reflex: Reflex
  readonly outbox: Outbox
  readonly host: VirtualHost
  readonly store: Store
  readonly ask: (id: string) => Promise<void>
  readonly until: (holds: () => boolean) => Promise<void>
}

async function sender(
  wanted: Subscription,
  { host = virtualHost(), store = memoryStore(), id = 'w1' }: { host?: VirtualHost; store?: Store; id?: string } = {},
): Promise<Sender> {
  const reflex = new Reflex({ ...processIn(triggerFolder().folder, host, id), store })
  const metrics = new ServeMetrics()
  const outbox = new Outbox({ reflex, pages: new Feeds(reflex).pages, metrics, onTrouble: () => undefined }, 'ops', wanted)
  outbox.start()
  onTestFinished(async () => {
    await outbox.stop()
    await reflex.close()
  })
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 4000 && !holds(); i++) {
      await host.advance(50)
      await host.drain(2)
    }
    expect(holds()).toBe(true)
  }
  await until(() => outbox.marks.cursor !== undefined)
  const ask = async (name: string): Promise<void> => {
    await (await reflex.start(await reflex.library.named('pipeline:ask', reflex.workdir), { id: name })).idle()
  }
  return { reflex, outbox, host, store, ask, until }
}

describe('a subscription', () => {
  test('gets the events of a run in order, signed, and each once', async () => {
    const { url, got } = await receiver()
    const { reflex, ask, until, outbox, host } = await sender(subscription(url))
    await ask('otter')
    await until(() => got.length === 2)
    await reflex.answer('otter/q1', 'yes')
    await until(() => outbox.marks.status.delivered === 3)
    expect(got.map(({ type }) => type)).toEqual(['run.question', 'run.suspended', 'run.completed'])
    expect(got[0]?.data).toMatchObject({ run: 'otter', kind: 'pipeline', program: 'ask', question: { id: 'otter/q1', text: 'Release?' } })
    for (const { headers, body, id } of got) {
      const header = (name: string): string | undefined => String(headers[name])
      expect(verifyDelivery('standard', SECRET, { body, header, now: host.now() })).toBe(id)
    }
    await until(() => outbox.marks.behind.size === 0)
    expect(got).toHaveLength(3)
  })

  test('only gets what it names', async () => {
    const { url, got } = await receiver()
    const { reflex, ask, until } = await sender(subscription(url, { events: ['cancelled'], program: 'ask' }))
    const short = await reflex.library.named('pipeline:short', reflex.workdir)
    await (await reflex.start(short, { id: 'crane' })).idle()
    await ask('otter')
    await reflex.cancel('otter')
    await until(() => got.length > 0)
    expect(got.map(({ type, data }) => [type, data['run']])).toEqual([['run.cancelled', 'otter']])
  })

  test('whose receiver fails gets the same event again, later and later, and other runs do not wait', async () => {
    const { url, got } = await receiver([500, 500, 429])
    const { ask, until, outbox } = await sender(subscription(url, { events: ['question'] }))
    await ask('otter')
    await until(() => got.length === 3)
    await ask('crane')
    await until(() => outbox.marks.status.delivered === 2)
    expect(got.map(({ id }) => id)).toHaveLength(5)
    expect(new Set(got.slice(0, 3).map(({ id }) => id)).size).toBe(1)
    expect(outbox.marks.status).toMatchObject({ givenUp: 0, failure: { error: { code: 'R6059' } } })
  })

  test('is given up after its time, visibly, and goes on with the next event', async () => {
    const { url, got } = await receiver(Array.from({ length: 8 }, () => 503))
    const { reflex, ask, until, outbox } = await sender(subscription(url, { events: ['question', 'completed'], giveUp: 20_000 }))
    await ask('otter')
    await until(() => outbox.marks.status.givenUp === 1)
    const given = got.at(-1)?.id
    expect(outbox.marks.status).toMatchObject({ failure: { id: given, error: { code: 'R6059' } } })
    await reflex.answer('otter/q1', 'yes')
    await until(() => got.at(-1)?.type === 'run.completed')
  })

  test('whose process dies before the mark gets the event again under the same id, from the next process', async () => {
    const { url, got } = await receiver()
    const first = await sender(subscription(url, { events: ['question'] }))
    const { store, host } = first
    // The process dies when the receiver has the event: nothing is marked any more.
    const { marks } = first.outbox
    const write = marks.write.bind(marks)
    marks.write = ({ status, ...rest }) => (status === undefined ? write(rest) : new Promise(() => undefined))
    await first.ask('otter')
    await first.until(() => got.length === 1)
    marks.write = () => new Promise(() => undefined)
    first.outbox.stop = () => Promise.resolve()
    const second = new Reflex({ ...processIn(first.reflex.workdir, host, 'w2'), store })
    const outbox = new Outbox(
      { reflex: second, pages: new Feeds(second).pages, metrics: new ServeMetrics(), onTrouble: () => undefined },
      'ops',
      subscription(url, { events: ['question'] }),
    )
    outbox.start()
    onTestFinished(() => outbox.stop())
    await first.until(() => outbox.marks.status.delivered === 1)
    expect(got.map(({ id }) => id)).toEqual([got[0]?.id, got[0]?.id])
  })
})

describe('a receiver', () => {
  test('that redirects to another address gets nothing there', async () => {
    const inner = await receiver()
    const { url, got } = await receiver([307, 307], inner.url)
    const { ask, until, outbox } = await sender(subscription(url, { events: ['question'] }))
    await ask('otter')
    await until(() => outbox.marks.status.delivered === 1)
    expect(got).toHaveLength(3)
    expect(inner.got).toEqual([])
  })

  test.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest/meta-data', 'http://[::ffff:10.0.0.1]/', 'http://localhost:1/'])(
    'at the private address %s is not reached unless the operator allows it',
    async (url) => {
      const { ask, until, outbox } = await sender(subscription(url, { events: ['question'], private: false }))
      await ask('otter')
      await until(() => outbox.marks.status.failure !== undefined)
      expect(outbox.marks.status.failure?.error.code).toBe('R4135')
    },
  )

  test('that never answers is left after its time limit, and other runs are delivered meanwhile', async () => {
    const { url, got } = await receiver([0])
    const { ask, until, outbox } = await sender(subscription(url, { events: ['question'], timeout: 10_000 }))
    await ask('otter')
    await until(() => got.length === 1)
    await ask('crane')
    await until(() => outbox.marks.status.delivered === 1)
    expect(outbox.marks.status.last?.id).toContain('crane')
    await until(() => outbox.marks.status.delivered === 2)
    expect(outbox.marks.status.failure?.error.code).toBe('R4136')
  })
})
