import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alternate, type Contestant, type Line, timed, timesAsFast } from './measure.ts'
import { load, send, Streams } from './serve/load.ts'
import { mcpCalls } from './serve/mcp-calls.ts'
import type { DurableTimes, Usage } from './serve/orders.ts'
import { INPUT, writePrograms } from './serve/programs.ts'
import { ServerProcess } from './serve/server-process.ts'

const STARTS = 100
const READS = 200
const ROUNDS = 5
const STREAMS = 1000
const SECONDS = 5

/** Requests to the server, and to a bare hono route over the same kind of store. Each has its own process; this one is the client. */
export function serving(line: Line): Promise<void> {
  return withServers(async ({ own, floor }) => {
    await starts(line, own, floor)
    await reads(line, own, floor)
  })
}

/** Event streams: many runs, one run, and the inbox. */
export function servingStreams(line: Line): Promise<void> {
  return withServers(async ({ own, floor }) => {
    await streams(line, { own, floor }, { runs: 100, perSecond: 100 })
    await streams(line, { own, floor }, { runs: 1, perSecond: 10 })
    await inbox(line, own)
  })
}

/** Calls of a program over MCP, and in process. */
export function servingMcp(line: Line): Promise<void> {
  return withServers(({ own, folder }) => mcpCalls(line, own, folder))
}

interface Servers {
  readonly own: ServerProcess
  readonly floor: ServerProcess
  readonly folder: string
}

async function withServers(measure: (servers: Servers) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-serve-'))
  writePrograms(folder)
  const [own, floor] = [await ServerProcess.start('own.ts', folder), await ServerProcess.start('floor.ts', folder)]
  try {
    await measure({ own, floor, folder })
  } finally {
    await own.stop()
    await floor.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(line: Line, name: string, contestants: readonly [Contestant, Contestant], requests: number): Promise<void> {
  const [own, floor] = await alternate(contestants, requests, ROUNDS)
  if (own === undefined || floor === undefined) return
  line(name, `${(1e9 / own.ns).toFixed(0)} /s`, `the bare route: ${(1e9 / floor.ns).toFixed(0)} /s`)
  line('  speed of the bare route', timesAsFast(own, floor).toFixed(2), '')
}

async function starts(line: Line, own: ServerProcess, floor: ServerProcess): Promise<void> {
  let keys = 0
  const starting = (server: ServerProcess, isKeyed: boolean, more: object = {}): Contestant => ({
    name: server.url,
    round: () =>
      timed(() =>
        load(server, STARTS, () => ({
          method: 'POST',
          path: '/v1/runs',
          body: { program: 'workflow:total', input: INPUT, ...more },
          headers: isKeyed ? { 'idempotency-key': `key-${++keys}` } : {},
        })),
      ),
  })
  await compare(line, 'starts over HTTP', [starting(own, false), starting(floor, false)], STARTS)
  await compare(line, 'starts, each to its end', [starting(own, false, { wait: true }), starting(floor, false)], STARTS)
  await compare(line, 'starts with Idempotency-Key', [starting(own, true), starting(floor, true)], STARTS)
}

async function reads(line: Line, own: ServerProcess, floor: ServerProcess): Promise<void> {
  const started = await send(own, undefined, { method: 'POST', path: '/v1/runs', body: { program: 'workflow:chain', wait: true } })
  const { run } = JSON.parse(started) as { readonly run: { readonly id: string } | string }
  const id = typeof run === 'string' ? run : run.id
  const reading = (server: ServerProcess, path: string): Contestant => ({
    name: path,
    round: () => timed(() => load(server, READS, () => ({ method: 'GET', path }))),
  })
  await compare(line, 'reads of the state of a run', [reading(own, `/v1/runs/${id}`), reading(floor, '/v1/runs/chain')], READS)
  const tail = 'trace?tail=20'
  await compare(
    line,
    'reads of the tail of a trace',
    [reading(own, `/v1/runs/${id}/${tail}`), reading(floor, `/v1/runs/chain/${tail}`)],
    READS,
  )
}

interface Beating {
  readonly runs: number
  readonly perSecond: number
}

async function streams(line: Line, servers: Readonly<Record<string, ServerProcess>>, beating: Beating): Promise<void> {
  line(`${STREAMS} streams over ${beating.runs} runs`, `${beating.perSecond} events/s`, '')
  for (const [name, server] of Object.entries(servers)) {
    const runs = await server.order<string[]>({ do: 'begin', runs: beating.runs })
    const before = await server.order<Usage>({ do: 'usage' })
    const followed = new Streams(server, (block) => /^id: (.*)$/m.exec(block)?.[1])
    await followed.open(Array.from({ length: STREAMS }, (_, i) => `/v1/runs/${runs[i % runs.length] ?? ''}/events`))
    const opened = await server.order<Usage>({ do: 'usage' })
    const times = await server.order<DurableTimes>({ do: 'beat', runs, perSecond: beating.perSecond, seconds: SECONDS })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const after = await server.order<Usage>({ do: 'usage' })
    followed.close()
    const bytes = (what: 'resident' | 'heap'): string => `${((opened[what] - before[what]) / STREAMS / 1024).toFixed(1)} KiB`
    line(`  ${name}: memory of a stream`, bytes('heap'), `resident: ${bytes('resident')}`)
    delays(line, name, followed, times)
    const share = (after.processor - opened.processor) / 1e4 / SECONDS
    line(`  ${name}: processor`, `${share.toFixed(0)} %`, 'of one, while the events are sent')
  }
}

/** Prints the time from durable to received. */
function delays(line: Line, name: string, { received }: Streams, times: DurableTimes): void {
  const taken = received
    .flatMap(([event, at]) => {
      const durable = times[event]
      return durable === undefined ? [] : [at - durable]
    })
    .sort((a, b) => a - b)
  const at = (share: number): string => `${(taken[Math.floor(taken.length * share)] ?? Number.NaN).toFixed(1)} ms`
  line(
    `  ${name}: delay, 50th and 99th percentile`,
    `${at(0.5)}, ${at(0.99)}`,
    `${taken.length} events received of ${Object.keys(times).length} durable`,
  )
}

const CLIENTS = 100
const QUESTIONS = 10

async function inbox(line: Line, own: ServerProcess): Promise<void> {
  const before = await own.order<Usage>({ do: 'usage' })
  const followed = new Streams(own, questionOf)
  await followed.open(Array.from({ length: CLIENTS }, () => '/v1/questions/events'))
  const opened = await own.order<Usage>({ do: 'usage' })
  const times = await own.order<DurableTimes>({ do: 'ask', perSecond: QUESTIONS, seconds: SECONDS })
  const after = await own.order<Usage>({ do: 'usage' })
  followed.close()
  line(`${CLIENTS} clients of the inbox`, `${QUESTIONS} questions/s`, '')
  line('  own: memory of a client', `${((opened.heap - before.heap) / CLIENTS / 1024).toFixed(1)} KiB`, '')
  delays(line, 'own', followed, times)
  line('  own: processor', `${((after.processor - opened.processor) / 1e4 / SECONDS).toFixed(0)} %`, 'of one, with the runs that ask')
}

function questionOf(block: string): string | undefined {
  const [, data] = /^event: question\ndata: (.*)$/m.exec(block) ?? []
  return data === undefined ? undefined : (JSON.parse(data) as { readonly id: string }).id
}
