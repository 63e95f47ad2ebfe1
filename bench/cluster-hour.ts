import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reflex } from '../packages/reflex/src/app/reflex.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'
import { Crew } from './cluster/crew.ts'
import { printHour } from './cluster/hour-report.ts'
import { type HourSample, HourSampler } from './cluster/hour-samples.ts'
import { PacedLoad } from './cluster/paced-load.ts'
import { addSleepers } from './cluster/sleepers.ts'
import { noteTool } from './cluster/steps-program.ts'
import type { Line } from './measure.ts'

/** Runs that sleep the whole time. */
const ASLEEP = 100_000
const WORKERS = 2
const SAMPLE_MS = 10_000
const MINUTE_MS = 60_000
const SWEEP_MS = 5 * MINUTE_MS

/** A number after a word of the command line. */
function option(name: string, normal: number): number {
  const at = process.argv.indexOf(name)
  return at < 0 ? normal : Number(process.argv[at + 1])
}

/**
 * Measures what a paced load leaves behind in the tables of a store, its cluster and its engine: `npm run bench -- cluster-hour`, with `--seconds`, the
 * turns per second of `--rate`, and the seconds of `--keep` after which ended runs are deleted (`reflex gc`, every five minutes).
 */
export async function clusterHour(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('an hour of load', 'skipped', programs.missing)
  const [seconds, rate, keep] = [option('--seconds', 3600), option('--rate', 12), option('--keep', 600)]
  const server = await PostgresServer.start(true)
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-hour-'))
  const crew = new Crew(folder)
  const address = server.address()
  const reflex = new Reflex({ store: address, cluster: true, workdir: folder, tools: [noteTool(crew.world)] })
  try {
    line(`${rate} turns/s for ${seconds} s`, `${ASLEEP} asleep`, `${WORKERS} workers; ended runs are deleted after ${keep} s`)
    await crew.hire(WORKERS, { as: 'cluster', address })
    crew.tell()
    const load = new PacedLoad(reflex, crew.world, rate)
    await addSleepers(server, reflex, new URL(address).searchParams.get('schema') ?? '', ASLEEP)
    const samples = await loaded({ line, load, sampler: new HourSampler(server, address, crew, load), seconds, keep, reflex })
    printHour(line, samples)
    line('starts and answers that failed', String(load.failures), `of ${4 * load.pairs} turns`)
    await crew.end()
  } finally {
    await reflex.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Loaded {
  readonly line: Line
  readonly load: PacedLoad
  readonly sampler: HourSampler
  readonly seconds: number
  readonly keep: number
  readonly reflex: Reflex
}

/** Lets the load run, and samples it. A line for each minute shows how far it is. */
async function loaded({ line, load, sampler, seconds, keep, reflex }: Loaded): Promise<readonly HourSample[]> {
  const begun = Date.now()
  const samples = [await sampler.sample(0)]
  const running = load.run()
  let swept = Promise.resolve()
  for (let next = SAMPLE_MS; next <= seconds * 1000; next += SAMPLE_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + next - Date.now())))
    const sample = await sampler.sample(next)
    samples.push(sample)
    if (next % MINUTE_MS === 0)
      line(`  minute ${next / MINUTE_MS}`, `${(sample.effects / (next / 1000)).toFixed(1)} effects/s`, sampler.brief(sample))
    if (next % SWEEP_MS === 0) swept = swept.then(() => sweep(line, reflex, keep))
  }
  await Promise.all([load.end(), running, swept])
  return samples
}

async function sweep(line: Line, { store }: Reflex, keep: number): Promise<void> {
  const from = performance.now()
  const swept = await Promise.resolve(store.sweep({ now: Date.now(), before: Date.now() - keep * 1000 })).catch((thrown: unknown) =>
    String(thrown),
  )
  line('  gc', typeof swept === 'string' ? swept : `${swept.runs.length} runs`, `${((performance.now() - from) / 1000).toFixed(1)} s`)
}
