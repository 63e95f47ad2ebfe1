import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { CommandProcess } from '../../reflex/test/serve/command-process.ts'
import { eventsOf, type Loose, word } from '../../reflex/test/serve/served.ts'
import { triggerFolder } from '../../reflex/test/serve/trigger-folder.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

const TOKEN = 'a-token-of-the-operator'
const LEASE = ['--lease', '2s']

/** A server process, and requests to it. */
interface Node {
  readonly process: CommandProcess
  readonly url: string
  readonly token: string
  readonly send: (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>
}

interface Answer {
  readonly status: number
  readonly json: Loose
}

/** A receiver of deliveries, by their ids. */
async function receiver(): Promise<{ readonly url: string; readonly ids: string[] }> {
  const ids: string[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      ids.push(String(request.headers['webhook-id']))
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, ids }
}

describe.skipIf('missing' in programs)(`servers of a cluster in processes of their own${skipped}`, () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(() => postgres?.stop())

  /** A folder whose servers and workers share a store. */
  function place(triggers: unknown = {}) {
    const { folder } = triggerFolder(triggers)
    const store = postgres.address()
    const tokens = join(folder, 'tokens.json')
    writeFileSync(tokens, JSON.stringify({ tokens: [{ name: 'ana', token: TOKEN, scopes: ['admin'] }] }), { mode: 0o600 })
    const command = (...argv: readonly string[]): CommandProcess => new CommandProcess(folder, argv, { REFLEX_STORE: store })
    const node = async (): Promise<Node> => {
      const flags = ['--cluster', '--no-work', '--port', '0', '--tokens', 'tokens.json', '--triggers', 'triggers.json']
      const process = command('serve', ...flags, ...LEASE)
      const [, url = ''] = await process.says(/^(http:\S+)\/$/m)
      const send: Node['send'] = async (method, path, body, headers = {}) => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return { status: response.status, json: (await response.json()) as Loose }
      }
      return { process, url, token: TOKEN, send }
    }
    const worker = async (): Promise<CommandProcess> => {
      const process = command('worker', '--cluster', ...LEASE)
      await process.says(/works/)
      return process
    }
    /** A process that looks at the store and carries nothing on. */
    const reflex = (): Reflex => {
      const made = new Reflex({ store, workdir: folder, cluster: true })
      onTestFinished(() => made.close())
      return made
    }
    return { node, worker, reflex }
  }

  const status = async ({ send }: Node, run: string): Promise<string> => word((await send('GET', `/v1/runs/${run}`)).json.run?.status)
  const asks = async ({ send }: Node, run: string): Promise<boolean> =>
    JSON.stringify((await send('GET', '/v1/questions')).json).includes(`"${run}/q1"`)

  test('behave as one: what is begun at one is followed, answered, cancelled and listed at the other', async () => {
    const { url, ids } = await receiver()
    const events = ['question', 'completed', 'cancelled']
    const { node, worker } = place({ subscriptions: { ops: { url, private: true, secret: { env: 'SECRET' }, events } } })
    const [one, other] = await Promise.all([node(), node(), worker()])
    expect(one.process.out).not.toContain('token')
    const inbox = eventsOf(other, '/v1/questions/events', { most: 3 })
    expect(await one.send('POST', '/v1/runs', { program: 'pipeline:ask', id: 'otter' })).toMatchObject({ status: 201 })
    const whole = eventsOf(other, '/v1/runs/otter/events')
    const early = await eventsOf(other, '/v1/runs/otter/events', { most: 2 })
    await until(() => asks(other, 'otter'))
    expect((await one.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })).status).toBe(200)
    const seen = await whole
    expect(seen.at(-1)?.data).toMatchObject({ ended: 'completed' })
    const late = await eventsOf(one, '/v1/runs/otter/events', { lastEventId: early.at(-1)?.id ?? '' })
    expect([...early, ...late]).toEqual(seen)
    expect((await inbox).map(({ event }) => event)).toEqual(expect.arrayContaining(['question', 'answered']))
    expect(await other.send('GET', '/v1/runs/otter')).toMatchObject({ status: 200, json: { run: { status: 'completed' } } })

    await one.send('POST', '/v1/runs', { program: 'pipeline:ask', id: 'newt' })
    await until(() => asks(other, 'newt'))
    expect((await other.send('POST', '/v1/runs/newt/cancel', { reason: 'not needed' })).status).toBe(202)
    await until(async () => (await status(one, 'newt')) === 'cancelled')

    const key = { 'idempotency-key': 'order-7' }
    const replies = await Promise.all(
      [one, other, one, other].map(({ send }) => send('POST', '/v1/runs', { program: 'pipeline:short' }, key)),
    )
    const [run = ''] = replies.map(({ json }) => word(json.run?.id ?? json.run))
    expect(new Set(replies.map(({ json }) => word(json.run?.id ?? json.run)))).toEqual(new Set([run]))
    await until(async () => (await status(other, run)) === 'completed')
    const lists = await Promise.all([one, other].map(({ send }) => send('GET', '/v1/runs')))
    expect(lists[0]).toEqual(lists[1])
    expect(lists[0]?.json.runs).toHaveLength(3)

    // otter asked and completed, newt asked and was cancelled, the last one completed.
    await until(() => new Set(ids).size === 5)
    expect(ids).toHaveLength(5)
  })

  test('lose nothing that one of them has accepted before it is killed', async () => {
    const { node, worker } = place()
    const [one, other] = await Promise.all([node(), node()])
    const names = Array.from({ length: 12 }, (_, i) => `run-${i}`)
    const accepted: string[] = []
    const start = async ({ send }: Node, id: string): Promise<void> => {
      const { status } = await send('POST', '/v1/runs', { program: 'pipeline:ask', id }, { 'idempotency-key': id })
      if (status < 300) accepted.push(id)
    }
    const sent = Promise.allSettled(names.map((id) => start(one, id)))
    await until(() => accepted.length > 0)
    await one.process.kill()
    await sent
    const before = [...accepted]
    const stream = eventsOf(other, `/v1/runs/${before[0]}/events`)
    await worker()
    await until(async () => (await Promise.all(before.map((id) => asks(other, id)))).every(Boolean))
    // A client that got no answer sends its request again.
    for (const id of names) if (!before.includes(id)) await until(() => start(other, id).then(() => accepted.includes(id)))
    await until(async () => (await Promise.all(names.map((id) => asks(other, id)))).every(Boolean))
    for (const id of names) await other.send('POST', `/v1/runs/${id}/questions/q1/answer`, { value: 'yes' })
    await until(async () => (await Promise.all(names.map((id) => status(other, id)))).every((one) => one === 'completed'))
    expect((await stream).at(-1)?.data).toMatchObject({ ended: 'completed' })
    expect((await other.send('GET', '/v1/runs')).json.runs).toHaveLength(names.length)
  })

  test('start one run at each time of a schedule, with the place that the schedule names', async () => {
    const where = { queue: 'nightly', tenant: 'acme', priority: 7 }
    const often = { cron: '* * * * * *', program: 'pipeline:short', ...where }
    const { node, worker, reflex } = place({ schedules: { often } })
    const cluster = await reflex().cluster()
    await cluster.setQueue('nightly', { paused: true })
    const [one] = await Promise.all([node(), node(), worker()])
    await until(async () => (await cluster.facts()).waiting.some(({ waiting }) => waiting >= 3))
    expect((await cluster.facts()).waiting).toMatchObject([{ queue: 'nightly', tenant: 'acme' }])
    expect((await one.send('GET', '/v1/schedules')).json.schedules).toMatchObject([{ name: 'often', ...where }])
    await cluster.setQueue('nightly', { paused: false })
    const { store } = reflex()
    const completed = async (): Promise<number> => (await store.runs({ status: ['completed'], limit: 1000 })).length
    await until(async () => (await completed()) >= 5)
    const starts = (await store.ledger('serve.starts')).flatMap(({ key }) => (key.startsWith('schedule/') ? [key] : []))
    expect(new Set(starts).size).toBe(starts.length)
    // A start that is under way has its key, and not yet its run.
    expect((await store.runs({ limit: 1000 })).length).toBeLessThanOrEqual((await store.ledger('serve.starts')).length)
    expect(await completed()).toBeGreaterThanOrEqual(5)
  })
})
