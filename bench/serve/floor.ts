import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { Lease, RunRow, StoredRun } from '../../packages/reflex/src/store/index.ts'
import { openSqlite } from '../../packages/reflex/src/store/index.ts'
import { type DurableTimes, evenly, type Order, sharedNow, takeOrders } from './orders.ts'
import { Beats, INPUT, reflexIn } from './programs.ts'

/** The records that Reflex writes, which the floor writes again. */
interface Samples {
  readonly total: StoredRun
  readonly chain: StoredRun
  readonly beats: StoredRun
}

/** Runs each program once in Reflex. */
async function samplesOf(folder: string): Promise<Samples> {
  const beats = new Beats()
  const reflex = reflexIn(folder, 'samples.db', beats)
  const stored = async (run: string): Promise<StoredRun> => {
    const found = await reflex.store.read(run)
    if (found === undefined) throw new Error(`there is no run ${run}`)
    // A snapshot would stand for the records.
    return { row: found.row, batches: await reflex.store.journal(run) }
  }
  const total = await reflex.start('total.workflow.json', { input: INPUT })
  await total.idle()
  const chain = await reflex.start('chain.workflow.json')
  await chain.idle()
  const beating = await reflex.start('beats.workflow.json')
  for (let struck = 0; struck < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (beats.strike(beating.id)) struck++
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  const samples = { total: await stored(total.id), chain: await stored(chain.id), beats: await stored(beating.id) }
  await beating.leave()
  await reflex.close()
  return samples
}

const folder = process.argv[2] ?? ''
const samples = await samplesOf(folder)
const store = openSqlite(join(folder, 'floor.db'))
const worker = { id: 'floor', host: 'bench', pid: process.pid }
await store.hello(worker, Date.now(), 600_000)

interface Written {
  readonly lease: Lease
  readonly row: RunRow
  last: number
}

/** Writes a run as a start of Reflex does. */
async function write({ row, batches }: StoredRun, id = randomBytes(8).toString('hex')): Promise<Written> {
  const { owner: _, last: __, ...sample } = row
  const created = { ...sample, id, trace: randomBytes(16).toString('hex') }
  const lease = await store.create(created, worker)
  if (lease === 'taken') throw new Error(`there is a run ${id}`)
  let last = 0
  for (const { count, version, body } of batches) {
    await store.commit([{ lease, first: last + 1, count, version, body, row: created }])
    last += count
  }
  return { lease, last, row: { ...created, owner: worker, last } }
}

const beating = new Map<string, Written>()
const streams = new Map<string, Set<SSEStreamingApi>>()
const beat = samples.beats.batches.at(-1)

/** Writes one record, and sends it to the streams of its run. */
async function strike(run: string, times: Record<string, number>): Promise<void> {
  const written = beating.get(run)
  if (written === undefined || beat === undefined) return
  const { lease, row } = written
  await store.commit([{ lease, first: written.last + 1, count: beat.count, version: beat.version, body: beat.body, row }])
  written.last += beat.count
  const id = `${run}@${written.last}`
  times[id] = sharedNow()
  for (const stream of streams.get(run) ?? []) void stream.writeSSE({ id, event: 'record', data: beat.body })
}

const app = new Hono()
app.post('/v1/runs', async (c) => {
  await c.req.json()
  const key = c.req.header('idempotency-key')
  if (key !== undefined) {
    const number = await store.append('starts', key, { run: key }, Date.now())
    await store.ledger('starts', number - 1, 1)
  }
  const { row } = await write(samples.total)
  return c.json(row, 201)
})
app.get('/v1/runs/:run', async (c) => c.json((await store.read(c.req.param('run'), 0))?.row))
app.get('/v1/runs/:run/trace', async (c) => {
  const run = c.req.param('run')
  const last = (await store.read(run, 0))?.row.last ?? 0
  const batches: unknown[] = []
  for await (const { body } of store.batches(run, Math.max(1, last - 19), last)) batches.push(JSON.parse(body))
  return c.json(batches)
})
app.get('/v1/runs/:run/events', (c) =>
  streamSSE(c, async (stream) => {
    const run = c.req.param('run')
    const own = streams.get(run) ?? new Set()
    streams.set(run, own.add(stream))
    await stream.write('retry: 1000\n\n')
    await new Promise<void>((resolve) => stream.onAbort(resolve))
    own.delete(stream)
  }),
)
await write(samples.chain, 'chain')

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
await new Promise<void>((resolve) => void server.once('listening', resolve))
takeOrders({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' }, async (order: Order) => {
  if (order.do === 'begin') {
    const runs = await Promise.all(Array.from({ length: order.runs }, () => write(samples.beats)))
    for (const run of runs) beating.set(run.row.id, run)
    return runs.map(({ row }) => row.id)
  }
  if (order.do === 'beat') {
    const times: Record<string, number> = {}
    await evenly(order.perSecond, order.seconds, (i) => strike(order.runs[i % order.runs.length] ?? '', times))
    return times satisfies DurableTimes
  }
  server.close()
  if ('closeAllConnections' in server) server.closeAllConnections()
  await store.close()
  return undefined
})
