/**
 * `npm run crowd`: 10,000 suspended runs, of which 1,000 are answered at once while no worker lives; then one carries on.
 * Measures how long it takes and how much memory it needs, over SQLite and, where a server can be started, over Postgres.
 * Memory is what the process has of the machine. Then four workers share runs that wait for one time after the other: how late
 * each of these was met; and one worker advances 10,000 runs that each tick once a minute, as many trees, and as many graphs, each of which also
 * gets an event. Over Postgres, the workers of a cluster then carry on 5,000 runs that became due at once among 100,000 that sleep.
 * The exit code is 1 if anything was lost.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../packages/reflex/src/store/index.ts'
import { crowd, type CrowdMoment } from '../packages/reflex/test/app/crowd.ts'
import { graphCrowd } from '../packages/reflex/test/app/crowd-graphs.ts'
import { timers, type TimersOptions } from '../packages/reflex/test/app/crowd-timers.ts'
import { clusterCrowd } from '../packages/cluster/test/crowd.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    answered: { type: 'string', default: '1000' },
    timed: { type: 'string', default: '500' },
    times: { type: 'string', default: '10' },
    ticking: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '2' },
    sleeping: { type: 'string', default: '100000' },
    due: { type: 'string', default: '5000' },
    store: { type: 'string' },
  },
})
const [runs, answered, timed, times] = [Number(values.runs), Number(values.answered), Number(values.timed), Number(values.times)]
const [ticking, minutes] = [Number(values.ticking), Number(values.minutes)]
const MEGABYTE = 2 ** 20
const WORKERS = 4

async function main(): Promise<number> {
  // Each store in a process of its own, so that one's memory is not counted for the other.
  if (values.store === undefined) {
    const codes = ['sqlite', 'postgres'].map((store) => {
      const sizes = ['runs', 'answered', 'timed', 'times', 'ticking', 'minutes', 'sleeping', 'due'].flatMap((size) => [
        `--${size}`,
        values[size as 'runs'],
      ])
      const words = ['--expose-gc', import.meta.filename, '--store', store, ...sizes]
      return spawnSync(process.execPath, words, { stdio: 'inherit' }).status
    })
    return codes.every((code) => code === 0) ? 0 : 1
  }
  const missing = postgresPrograms()
  if (values.store === 'postgres' && 'missing' in missing) {
    console.log(`postgres  left out: ${missing.missing}`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'reflex-crowd-'))
  const server = values.store === 'postgres' ? await PostgresServer.start(true) : undefined
  try {
    const address = server?.address() ?? join(folder, 'reflex.db')
    console.log(`${values.store}  ${runs} suspended runs, ${answered} answered at once`)
    const { completed, suspended, wrong, held } = await crowd({ workdir: folder, open: () => openStore(address), runs, answered, told })
    for (const line of wrong.slice(0, 10)) console.log(`  ${line}`)
    const lost = wrong.length + Math.abs(answered - completed.length) + Math.abs(runs - answered - suspended)
    console.log(`  ${completed.length} completed, ${suspended} suspended, ${held} held: ${lost} lost`)
    const lateness = async (
      what: string,
      options: Pick<TimersOptions, 'runs' | 'times' | 'workers' | 'between' | 'trees'>,
    ): Promise<number> => {
      const cpu = process.cpuUsage()
      const delays = await timers({ workdir: folder, open: () => openStore(address), ...options })
      const { user, system } = process.cpuUsage(cpu)
      const at = (share: number): string => `${delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0} ms`
      const missing = options.runs * options.times - delays.length
      const rest = `${((user + system) / 1e6).toFixed(1)} s of processor time; ${missing} lost`
      console.log(`  ${what}, workers: ${options.workers}: late by ${at(0.5)} (median), ${at(0.99)} (99th), ${at(1)} (worst); ${rest}`)
      return missing
    }
    const late = await lateness(`${timed} runs, ${times} times each`, { runs: timed, times, workers: WORKERS })
    const ticks = await lateness(`${ticking} runs, once a minute`, { runs: ticking, times: minutes, workers: 1, between: 60_000 })
    const trees = await lateness(`${ticking} trees, once a minute`, {
      runs: ticking,
      times: minutes,
      workers: 1,
      between: 60_000,
      trees: true,
    })
    const graphs = await graphCrowd({ workdir: folder, open: () => openStore(address), runs: ticking, times: minutes, between: 60_000 })
    for (const line of graphs.wrong.slice(0, 10)) console.log(`  ${line}`)
    const { delays } = graphs
    const late99 = delays[Math.floor(delays.length * 0.99)] ?? 0
    console.log(
      `  ${ticking} graphs, once a minute and an event each: late by at most ${delays.at(-1) ?? 0} ms, 99 of 100 by ${late99} ms; ${graphs.wrong.length} lost`,
    )
    const cluster = server === undefined ? [] : await inCluster(server)
    return lost + held + late + ticks + trees + graphs.wrong.length + cluster.length === 0 ? 0 : 1
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A cluster of four workers among a crowd that sleeps. Returns what was lost. */
async function inCluster(server: PostgresServer): Promise<readonly string[]> {
  const [sleeping, due] = [Number(values.sleeping), Number(values.due)]
  const { wrong, delays } = await clusterCrowd({ server, sleeping, due, workers: WORKERS })
  for (const line of wrong.slice(0, 10)) console.log(`  ${line}`)
  const at = (share: number): string => `${((delays[Math.floor((delays.length - 1) * share)] ?? 0) / 1000).toFixed(1)} s`
  const late = `done after ${at(0.5)} (median), ${at(1)} (last) from the end of the pause; ${wrong.length} lost`
  console.log(`  cluster: ${due} due at once among ${sleeping} asleep, workers: ${WORKERS}: ${late}`)
  return wrong
}

function told({ what, ms, most, now, held }: CrowdMoment): void {
  const [high, low, values] = [most, now, held].map((bytes) => `${Math.round(bytes / MEGABYTE)} MB`.padStart(7))
  console.log(`  ${what.padEnd(32)} ${`${(ms / 1000).toFixed(2)} s`.padStart(9)}   at most ${high}   then ${low}   of it values ${values}`)
}

process.exitCode = await main()
