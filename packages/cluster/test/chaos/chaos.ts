import { join } from 'node:path'
import { Reflex } from '../../../reflex/src/app/reflex.ts'
import type { OpenQuestion } from '../../../reflex/src/runs/handle.ts'
import { isFault } from '../../../reflex/src/kernel/index.ts'
import { defineTool } from '../../../reflex/src/tools/index.ts'
import { PostgresServer } from '../../../reflex/test/store/postgres-server.ts'
import { Dice } from '../../../../scripts/faults/dice.ts'
import type { WorldLine } from '../processes.ts'
import { Fleet, pause } from './fleet.ts'
import { type Delay, delaysIn, type Story, wrongIn } from './judge.ts'
import { SUBJECTS, type Subject, writePrograms } from './programs.ts'
import { leftOver, readStories, stateOf, watchTurns } from './stories.ts'

export interface ChaosOptions {
  readonly runs: number
  readonly seed: number
  readonly workers: number
  readonly leaseMs: number
  /** The most runs that have begun and not ended. */
  readonly abreast: number
  /** Milliseconds between two faults: at least, and at most. */
  readonly every: readonly [least: number, most: number]
  /** The faults, in the order in which they come; then they are drawn. */
  readonly faults?: readonly FaultName[]
  /** No more faults than these. */
  readonly most?: number
  readonly onLine?: (line: string) => void
}

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

export type FaultName = 'kill' | 'stop' | 'cut' | 'delay' | 'silence' | 'restart' | 'deploy'

/** Each as often as it is listed. */
const DRAWN = ['kill', 'kill', 'kill', 'stop', 'stop', 'cut', 'cut', 'cut', 'delay', 'delay', 'silence', 'restart', 'deploy'] as const
const TOOL_MS = 30
const SLOTS = 8
/** Milliseconds without a step, a start or an end after which the rest counts as lost. */
const HUNG_MS = 120_000

/** Runs of all kinds in a cluster of real processes on a real server, which are killed, stopped, cut off and replaced meanwhile. */
export class Chaos {
  readonly #options: ChaosOptions
  readonly #server: PostgresServer
  readonly #schema: string
  readonly #fleet: Fleet
  readonly #reflex: Reflex
  readonly #dice: Dice
  readonly #subjects = new Map<string, Subject>()
  readonly #started = new Map<string, number>()
  readonly #steps = new Map<string, Set<string>>()
  /** Runs whose next message may be posted. */
  readonly #posted = new Map<string, number>()
  readonly #counts: Record<FaultName, number> = { kill: 0, stop: 0, cut: 0, delay: 0, silence: 0, restart: 0, deploy: 0 }
  readonly #asked = new Set<string>()
  #read = 0
  #ended = 0
  #isOver = false
  #movedAt = Date.now()

  private constructor(options: ChaosOptions, server: PostgresServer) {
    const { seed, leaseMs } = options
    this.#options = options
    this.#server = server
    this.#dice = new Dice(seed)
    const address = server.address()
    this.#schema = new URL(address).searchParams.get('schema') ?? ''
    const clocks = new Dice(seed + 1)
    // A clock may be off by a quarter of a lease.
    const skew = (): number => Math.round((clocks.next() - 0.5) * 0.4 * leaseMs)
    this.#fleet = new Fleet({
      server,
      schema: this.#schema,
      order: { leaseMs, toolMs: TOOL_MS, slots: SLOTS },
      skew,
      onLine: options.onLine,
    })
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
    this.#reflex = new Reflex({ store: address, cluster: true, leaseMs, workdir: this.#fleet.workers.folder, tools: [note] })
  }

  static async play(options: ChaosOptions): Promise<ChaosResult> {
    const server = await PostgresServer.start(false, { track_commit_timestamp: 'on', max_connections: 200 })
    const chaos = new Chaos(options, server)
    try {
      return await chaos.#play()
    } finally {
      chaos.#isOver = true
      chaos.#fleet.end()
      await chaos.#reflex.close()
      await server.stop()
    }
  }

  async #play(): Promise<ChaosResult> {
    const { workers, runs } = this.#options
    writePrograms(join(this.#fleet.workers.folder, 'programs'))
    await this.#reflex.cluster()
    await watchTurns({ server: this.#server, schema: this.#schema })
    await Promise.all(Array.from({ length: workers }, () => this.#fleet.hire()))
    const striking = this.#strike()
    const starting = this.#startAll()
    while (this.#ended < runs && Date.now() - this.#movedAt < HUNG_MS) {
      await this.#look()
      await pause(200)
    }
    this.#isOver = true
    await Promise.all([this.#untilQuiet(striking), starting])
    return this.#judge()
  }

  /** The last fault may be a deploy, in which workers drain. */
  async #untilQuiet(striking: Promise<void>): Promise<void> {
    const late = AbortSignal.timeout(HUNG_MS)
    const tooLate = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()))
    await Promise.race([striking, tooLate])
    if (late.aborted) this.#fleet.ended.push('a worker did not drain')
  }

  /** Starts runs, one after the other, with not too many of them at a time. */
  async #startAll(): Promise<void> {
    const { runs, abreast } = this.#options
    for (let i = 0; i < runs; i++) {
      const subject = SUBJECTS[i % SUBJECTS.length] as Subject
      const id = `${subject.kind}-${i}`
      while (this.#started.size - this.#ended >= abreast && !this.#isOver) await pause(50)
      if (this.#isOver) return
      const file = join(this.#fleet.workers.folder, 'programs', subject.file)
      this.#subjects.set(id, subject)
      await this.#attempt(['R5007'], async () => (await this.#reflex.start(file, { id, ...subject.options?.(id) })).close())
      this.#started.set(id, Date.now())
    }
  }

  /** Repeats something while the server is away. The faults say that it has been done before. */
  async #attempt(done: readonly string[], work: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      try {
        await work()
        return
      } catch (thrown) {
        if (isFault(thrown) && done.includes(thrown.code)) return
        this.#options.onLine?.(`  trouble ${isFault(thrown) ? `${thrown.code} ${thrown.message}` : String(thrown)}`)
        await pause(300)
      }
    }
  }

  /** Reads what has happened, answers what is asked, and posts what is next. */
  async #look(): Promise<void> {
    for (const { did, run, step } of this.#newLines()) {
      if (did !== 'ended') continue
      this.#movedAt = Date.now()
      const steps = this.#steps.get(run) ?? new Set()
      this.#steps.set(run, steps.add(step))
    }
    await this.#attempt([], async () => {
      for (const question of await this.#reflex.inbox()) await this.#answer(question)
    })
    for (const [run] of this.#started) await this.#tell(run)
    await this.#attempt([], async () => {
      const [row] = await this.#server.sql<{ count: number }>(
        `select count(*)::float8 as count from ${this.#schema}.run where status not in ('running', 'suspended')`,
      )
      if ((row?.count ?? 0) > this.#ended) this.#movedAt = Date.now()
      this.#ended = row?.count ?? 0
    })
  }

  /** Answers a question. One that no program asks shows that something has failed. */
  async #answer({ id, run, asker, fault, question }: OpenQuestion): Promise<void> {
    if (asker !== 'program') this.#asked.add(`${run} asks about ${asker}: ${fault?.code} ${fault?.message}`)
    const value = asker === 'program' ? this.#subjects.get(run)?.answer : question.options?.[0]?.value
    await this.#attempt(['R2001', 'R2002', 'R2020', 'R4200'], () => this.#reflex.answer(id, value, { run: false }))
  }

  /** Posts the next message of a run, if the steps for the ones before it are done. */
  async #tell(run: string): Promise<void> {
    const next = this.#posted.get(run) ?? 0
    const message = this.#subjects.get(run)?.messages?.[next]
    if (message === undefined || (this.#steps.get(run)?.size ?? 0) < next) return
    await this.#attempt(['R2001'], () => this.#reflex.signal(run, message.topic, message.body, { id: `m${next}`, run: false }))
    this.#posted.set(run, next + 1)
  }

  #newLines(): readonly WorldLine[] {
    const all = this.#fleet.workers.linesFrom(this.#read)
    this.#read += all.bytes
    return all.lines
  }

  /** Injects faults until the runs have ended. */
  async #strike(): Promise<void> {
    const { faults = [], most = Number.POSITIVE_INFINITY, every } = this.#options
    const left = [...faults]
    const pending = new Set<Promise<void>>()
    for (let struck = 0; struck < most && !this.#isOver; struck++) {
      await this.#pauseUnlessOver(this.#dice.between(...every))
      // A worker takes seconds to start on a busy machine: without it, all faults would meet a cluster of few workers.
      const least = this.#dice.chance(0.2) ? this.#options.workers / 2 : this.#options.workers - 1
      while (this.#fleet.alive.length < least && !this.#isOver) await pause(50)
      if (this.#isOver) break
      const name = left.shift() ?? this.#dice.pick(DRAWN)
      this.#counts[name]++
      const fault = this.#inject(name).finally(() => pending.delete(fault))
      pending.add(fault)
      // The whole cluster is replaced, and the server restarted, while nothing else happens.
      if (name === 'deploy' || name === 'restart') await fault
    }
    await Promise.all(pending)
  }

  async #pauseUnlessOver(ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until && !this.#isOver; ) await pause(50)
  }

  async #inject(name: FaultName): Promise<void> {
    const { leaseMs } = this.#options
    const dice = this.#dice
    const away = dice.between(leaseMs + 500, leaseMs * 2)
    const down = dice.between(0, leaseMs * 1.5)
    const by = dice.between(20, 200)
    const member = this.#fleet.alive[dice.between(0, Math.max(0, this.#fleet.alive.length - 1))]
    const whom = name === 'restart' || name === 'deploy' ? '' : ` ${member?.child.pid}`
    this.#options.onLine?.(`  ${name}${whom}, ${this.#ended} of ${this.#started.size} runs have ended`)
    if (name === 'restart') return this.#fleet.restart(down)
    if (name === 'deploy') return this.#fleet.deploy()
    if (member === undefined) return
    if (name === 'kill') return this.#fleet.kill(member)
    if (name === 'stop') return this.#fleet.stop(member, away)
    if (name === 'silence') return this.#fleet.silence(member, away)
    if (name === 'delay') return this.#fleet.delay(member, by, away)
    member.proxy.cutAll()
  }

  async #judge(): Promise<ChaosResult> {
    const world = { server: this.#server, schema: this.#schema, reflex: this.#reflex }
    const facts = {
      lines: this.#fleet.workers.lines,
      losses: this.#fleet.losses,
      started: this.#started,
      planOf: (run: string) => this.#subjects.get(run)?.plan ?? [],
    }
    const stories = await readStories(world, facts)
    const open = stories.filter(({ status }) => status === 'running' || status === 'suspended')
    const wrong = [...this.#fleet.ended, ...this.#asked, ...stories.flatMap(wrongIn), ...(await leftOver(world))]
    for (const { id } of open.slice(0, 5)) wrong.push(`${id}: ${await stateOf(world, id)}`)
    const delays = stories.flatMap((story) => delaysIn(story, this.#fleet.outages)).sort((a, b) => a.ms - b.ms)
    const begun = new Map<string, number>()
    for (const { did, key } of facts.lines) if (did === 'begun') begun.set(key, (begun.get(key) ?? 0) + 1)
    return {
      wrong,
      delays,
      faults: this.#counts,
      turns: Math.max(0, ...stories.map((story) => story.begun.length)),
      effects: begun.size,
      again: [...begun.values()].filter((times) => times > 1).length,
      troubles: this.#fleet.workers.said,
      suspects: stories.filter((story) => wrongIn(story).length > 0),
    }
  }
}
