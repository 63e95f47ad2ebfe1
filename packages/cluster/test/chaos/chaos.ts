import { join } from 'node:path'
import { Reflex } from '../../../reflex/src/app/reflex.ts'
import { defineTool } from '../../../reflex/src/tools/index.ts'
import { PostgresServer } from '../../../reflex/test/store/postgres-server.ts'
import { Dice } from '../../../../scripts/faults/dice.ts'
import { type ChaosWorld, Driver } from './driver.ts'
import { Fleet, pause } from './fleet.ts'
import { Injector } from './injector.ts'
import { type Delay, delaysIn, type Story, wrongIn } from './judge.ts'
import type { ChaosOptions, FaultName } from './options.ts'
import { writePrograms } from './programs.ts'
import { leftOver, readStories, stateOf, watchTurns } from './stories.ts'

export interface ChaosResult {
  /** Lost, repeated and disordered steps, runs that did not end, and workers that ended by themselves. */
  readonly wrong: readonly string[]
  /** The delays of runs that were due, the longest last. */
  readonly delays: readonly Delay[]
  readonly faults: Readonly<Record<FaultName, number>>
  /** The most turns of a run. */
  readonly turns: number
  /** The number of effects, and of those that were begun more than once. */
  readonly effects: number
  readonly again: number
  readonly troubles: readonly string[]
  /** The runs in which something is wrong, to look at. */
  readonly suspects: readonly Story[]
}

const TOOL_MS = 30
const SLOTS = 8
/** Milliseconds without a step, a start or an end after which the rest counts as lost. */
const HUNG_MS = 120_000

/** Runs of all kinds in a cluster of real processes on a real server, which are killed, stopped, cut off and replaced meanwhile. */
export class Chaos {
  readonly #options: ChaosOptions
  readonly #world: ChaosWorld
  readonly #driver: Driver
  readonly #injector: Injector

  private constructor(options: ChaosOptions, server: PostgresServer) {
    const { seed, leaseMs } = options
    this.#options = options
    const address = server.address()
    const schema = new URL(address).searchParams.get('schema') ?? ''
    const clocks = new Dice(seed + 1)
    // A clock may be off by a quarter of a lease.
    const skew = (): number => Math.round((clocks.next() - 0.5) * 0.4 * leaseMs)
    const fleet = new Fleet({ server, schema, order: { leaseMs, toolMs: TOOL_MS, slots: SLOTS }, skew, onLine: options.onLine })
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
    const reflex = new Reflex({ store: address, cluster: true, leaseMs, workdir: fleet.workers.folder, tools: [note] })
    this.#world = { server, schema, fleet, reflex }
    this.#driver = new Driver(this.#world, options)
    const { started } = this.#driver
    this.#injector = new Injector(fleet, new Dice(seed), options, () => `${this.#driver.ended} of ${started.size} runs have ended`)
  }

  static async play(options: ChaosOptions): Promise<ChaosResult> {
    const server = await PostgresServer.start(false, { track_commit_timestamp: 'on', max_connections: 200 })
    const chaos = new Chaos(options, server)
    try {
      return await chaos.#play()
    } finally {
      chaos.#stop()
      chaos.#world.fleet.end()
      await chaos.#world.reflex.close()
      await server.stop()
    }
  }

  #stop(): void {
    this.#driver.stop()
    this.#injector.stop()
  }

  async #play(): Promise<ChaosResult> {
    const { workers, runs } = this.#options
    writePrograms(join(this.#world.fleet.workers.folder, 'programs'))
    await this.#world.reflex.cluster()
    await watchTurns(this.#world)
    await Promise.all(Array.from({ length: workers }, () => this.#world.fleet.hire()))
    const injecting = this.#injector.run()
    const starting = this.#driver.startAll()
    while (this.#driver.ended < runs && Date.now() - this.#driver.movedAt < HUNG_MS) {
      await this.#driver.look()
      await pause(200)
    }
    this.#stop()
    await Promise.all([this.#untilQuiet(injecting), starting])
    return this.#judge()
  }

  /** The last fault may be a deploy, in which workers drain. */
  async #untilQuiet(injecting: Promise<void>): Promise<void> {
    const late = AbortSignal.timeout(HUNG_MS)
    const tooLate = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()))
    await Promise.race([injecting, tooLate])
    const { ended, workers } = this.#world.fleet
    if (late.aborted) ended.push(`a worker did not drain: ${workers.said.filter((line) => line.includes('has not ended')).join('')}`)
  }

  async #judge(): Promise<ChaosResult> {
    const world = this.#world
    const facts = {
      lines: this.#world.fleet.workers.lines,
      losses: this.#world.fleet.losses,
      started: this.#driver.started,
      planOf: (run: string) => this.#driver.planOf(run),
    }
    const stories = await readStories(world, facts)
    const open = stories.filter(({ status }) => status === 'running' || status === 'suspended')
    const wrong = [...this.#world.fleet.ended, ...this.#driver.asked, ...stories.flatMap(wrongIn), ...(await leftOver(world))]
    for (const { id } of open.slice(0, 5)) wrong.push(`${id}: ${await stateOf(world, id)}`)
    const delays = stories.flatMap((story) => delaysIn(story, this.#world.fleet.outages)).sort((a, b) => a.ms - b.ms)
    const begun = new Map<string, number>()
    for (const { did, key } of facts.lines) if (did === 'begun') begun.set(key, (begun.get(key) ?? 0) + 1)
    return {
      wrong,
      delays,
      faults: this.#injector.counts,
      turns: Math.max(0, ...stories.map((story) => story.begun.length)),
      effects: begun.size,
      again: [...begun.values()].filter((times) => times > 1).length,
      troubles: this.#world.fleet.workers.said,
      suspects: stories.filter((story) => wrongIn(story).length > 0),
    }
  }
}
