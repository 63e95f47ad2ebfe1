import { faults } from '../../kernel/journal/faults.ts'
import { equalJson, isObject, type Json } from '../../kernel/journal/json.ts'
import type { Wait } from '../../kernel/state/frame.ts'
import type { Call, Port } from '../../kernel/ports/port.ts'
import type { Rec } from '../../kernel/journal/record.ts'
import type { Run } from '../../kernel/run/run.ts'
import { Runtime } from '../../kernel/run/runtime.ts'
import { dumpState } from '../../kernel/state/snapshot.ts'
import type { State } from '../../kernel/state/state.ts'
import type { RunRow, Store, Worker } from '../../kernel/ports/store.ts'
import { type VirtualHost, virtualHost } from '../virtual-host.ts'
import { placeOf } from './difference.ts'
import { type Fate, UNHARMED } from './fate.ts'
import { FatedStore } from './fated-store.ts'
import type { KindSubject, Outcome } from './subject.ts'
import type { Watch } from './watch.ts'

/** The run of every case. */
export const RUN = 'probe-1'
const RESTS = 1_000
const MOST_TICKS = 100_000
/** No machine has a process of this number, so a store knows at once that a life is over. */
const NOBODY = 2 ** 22 + 1

/** How long a process that nobody can look for may be silent, in milliseconds. */
export const LEASE = 6_000

/** What is particular to a life. */
export interface LifeOptions {
  /** Which it is: the first starts the run. Default 1. */
  readonly number?: number
  readonly fate?: Fate
  readonly host?: VirtualHost
  /** Answers of the store come later, as from another machine. */
  readonly slow?: boolean | undefined
  /** Answers and messages go into the inbox of the store, as other processes tell them. */
  readonly posts?: boolean | undefined
  /** The process of this life. Default: one of a number that no machine has, so that a store knows at once that it is over. */
  readonly worker?: Worker
  /** Another run than that of the case, such as a fork of it. */
  readonly run?: string | undefined
  /** Messages of the script that its history has taken already. */
  readonly heard?: ReadonlySet<string> | undefined
  /** Effects as the world gets to know them. Default: as they are. */
  readonly seen?: ((call: Call) => Pick<Call, 'key' | 'args'>) | undefined
  /** What stands between the runtime and its world: a bug that a test plants. */
  readonly spoil?: Spoil | undefined
}

/** Replaces a store or a port by one that does not keep its contract. */
export interface Spoil {
  readonly store?: (store: Store) => Store
  readonly port?: (port: Port) => Port
}

/** The suite itself cannot go on: a run hangs, or waits for something that its script does not have. */
export class Stuck extends Error {}

/** One life of a process that carries the run: it may die at any moment, and then does nothing more. */
export class Life {
  readonly host: VirtualHost
  readonly runtime: Runtime
  readonly watch: Watch
  readonly fate: Fate
  /** The run, once it was begun in this life. */
  run: Run | undefined
  readonly #subject: KindSubject
  readonly #outside: Store
  readonly #posts: boolean
  readonly #name: string
  readonly #heard: ReadonlySet<string>
  readonly #store: FatedStore

  constructor(subject: KindSubject, store: Store, watch: Watch, options: LifeOptions = {}) {
    const { number = 1, fate = UNHARMED, spoil = {}, slow } = options
    this.#subject = subject
    this.watch = watch
    this.fate = fate
    this.host = options.host ?? virtualHost({ seed: number })
    this.#posts = options.posts === true
    this.#name = options.run ?? RUN
    this.#heard = options.heard ?? new Set()
    this.#outside = store
    const ledgers = new FatedStore(UNHARMED, { appended: (ledger) => void watch.ledgers.add(ledger) }).over(store)
    const { port: spoilt = (port: Port) => port } = spoil
    const { seen } = options
    const world = Object.entries(subject.ports?.(ledgers, this.host) ?? {})
    const ports = world.map(([name, port]) => [name, seen === undefined ? port : seeing(port, seen)] as const)
    this.#store = new FatedStore(
      fate,
      { committed: (batches) => batches.forEach((batch) => watch.committed(batch)) },
      slow === true ? () => this.host.settle(1) : undefined,
    )
    const own = this.#store.over(store)
    this.runtime = new Runtime({
      kinds: subject.kinds,
      ports: Object.fromEntries(ports.map(([name, port]) => [name, spoilt(watch.port(port, fate))])),
      store: spoil.store?.(own) ?? own,
      host: this.host,
      worker: options.worker ?? { id: `life-${number}`, host: 'suite', pid: NOBODY + number },
      leaseMs: LEASE,
    })
    for (const { kind, id, source } of subject.programs) this.runtime.programs.add(kind, id, source)
  }

  get dead(): boolean {
    return this.fate.dead
  }

  /** A call of its store is under way: no clock goes on until it has answered. */
  get waiting(): boolean {
    return this.#store.pending > 0
  }

  /** Starts the run, or opens it again if its first record is durable. Nothing if the process died over it. */
  async begin(prepare?: (run: Run) => void): Promise<Run | undefined> {
    const run = await within(this, this.#open({ prepare: (made) => this.#prepare(made, prepare) }))
    this.run = run
    if (run === undefined) return undefined
    const { messages = [] } = this.#subject.script ?? {}
    for (const [i, { topic, body }] of messages.entries())
      if (run.state.ended === undefined && !this.dead && !this.#heard.has(`m${i}`)) await this.#message(run, topic, body, `m${i}`)
    return run
  }

  #prepare(run: Run, prepare: ((run: Run) => void) | undefined): void {
    run.observe(() => this.dead || this.fate.meets({ what: 'record', when: 'after' }))
    run.subscribe((record, n) => this.watch.publish(n, record))
    prepare?.(run)
  }

  async #message(run: Run, to: string, body: Json, id: string): Promise<void> {
    if (this.#posts) {
      await this.#outside.post(this.#name, { id, type: 'message', to, body, at: this.host.now() })
      this.watch.happens(['told', id])
      await within(this, run.pull())
      return
    }
    const told = await within(this, run.message(to, body, { id }))
    if (told !== undefined) this.watch.happens(['told', id])
  }

  async #open(options: { readonly prepare?: (run: Run) => void }): Promise<Run> {
    const row = await this.row()
    if (row !== undefined && row.last > 0) return this.runtime.resume(this.#name, options)
    const { programs, args } = this.#subject
    const [root] = programs
    const program = this.runtime.programs.find(`${root?.kind}:${root?.id}`)
    if (program === undefined) throw new Error(`${this.#subject.name} has no program`)
    return this.runtime.start(program, { id: this.#name, ...options, ...(args === undefined ? {} : { args }) })
  }

  async row(): Promise<RunRow | undefined> {
    return (await this.runtime.store?.runs({ prefix: this.#name }))?.[0]
  }

  /** Carries the run to its end. Answers with nothing if the process died. */
  async live(): Promise<Outcome | undefined> {
    const status = (await within(this, this.row()))?.status ?? 'running'
    if (status !== 'running' && status !== 'suspended') {
      const peek = await within(this, this.runtime.peek(this.#name))
      return peek === undefined ? undefined : outcomeOf(peek.state)
    }
    const run = await this.begin()
    return run === undefined ? undefined : this.play(run)
  }

  /** Lets the run come to rest. Answers false if the process died on the way. */
  async rest(run: Run): Promise<boolean> {
    await within(this, run.idle())
    return !this.dead
  }

  /** Plays the script until the run has ended. Answers with nothing if the process died. */
  async play(run: Run): Promise<Outcome | undefined> {
    for (let rests = 0; rests < RESTS; rests++) {
      if (!(await this.rest(run))) return undefined
      if (run.state.ended !== undefined) return outcomeOf(run.state)
      if ((await this.tell(run)) || this.dead) continue
      // All was told to the process that took over while this one stood still.
      if (this.fate.stoodAt !== undefined) throw outdated('what it waits for was told to another process')
      throw new Stuck(`the run waits for ${describe(run)}, and the script has nothing for it`)
    }
    throw new Stuck('the run does not end')
  }

  /** Tells the run one thing that it waits for. False if there is nothing to tell. */
  async tell(run: Run): Promise<boolean> {
    const waits = [...run.state.waits.values()]
    for (const wait of waits) {
      const answer = wait.doubts === undefined ? this.#subject.script?.answer?.(wait) : await this.#truth(wait)
      if (wait.type !== 'answer' || answer === undefined) continue
      await this.#answer(run, wait, answer)
      return true
    }
    if (await within(this, this.#subject.script?.drive?.(run))) return true
    const due = Math.min(...waits.map((wait) => wait.due ?? Number.POSITIVE_INFINITY))
    if (due === Number.POSITIVE_INFINITY) return false
    if (due > this.host.now()) await this.host.advance(due - this.host.now())
    else await this.#ring(run)
    return true
  }

  /** Timers count the time that passes: where the clock has jumped over one, it still has to ring. */
  async #ring(run: Run): Promise<void> {
    const { n } = run.state
    for (let ticks = 0; ticks < MOST_TICKS && run.state.n === n && !this.dead; ticks++) if (!(await this.host.tick())) return
  }

  async #answer(run: Run, { id, record }: Wait, answer: Json): Promise<void> {
    if (record > run.durable) this.watch.found('early', `question ${id} was shown before its record was durable`)
    if (this.#posts) {
      await this.#outside.post(this.#name, { id: `answer ${id}`, type: 'answer', to: String(id), body: answer, at: this.host.now() })
      await within(this, run.pull())
      if (!this.dead && run.state.waits.has(id)) throw outdated(`the answer to ${id} was not taken here`)
      return
    }
    const n = await within(this, run.answer(id, answer))
    if (n !== undefined) this.watch.hear(n, `answer ${id}`)
  }

  async #truth(wait: Wait): Promise<Json> {
    const result = this.watch.happened(wait.doubts ?? '')
    if (result === undefined) return 'repeat'
    const value = await result
    return value === undefined ? 'failed' : { outcome: 'happened', value }
  }
}

/** A port that is shown an effect otherwise than it is. */
function seeing(port: Port, seen: (call: Call) => Pick<Call, 'key' | 'args'>): Port {
  const shown = (call: Call): Call => {
    const { key, args } = seen(call)
    return new Proxy(call, {
      get: (target, name) => {
        if (name === 'key') return key
        if (name === 'args') return args
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
  }
  return { ...port, perform: (call) => port.perform(shown(call)) }
}

/** A process that was stopped does not hear before its next commit that another has the run. */
function outdated(why: string): Error {
  return faults.make('R5002', why, { run: RUN })
}

/** What a process that may die on the way still gets to hear. */
async function within<T>(life: Life, told: Promise<T> | undefined): Promise<T | undefined> {
  if (told === undefined) return undefined
  const heard: { over: boolean } = { over: false }
  const hear = () => void (heard.over = true)
  told.then(hear, hear)
  for (let turns = 0; !heard.over && !life.dead; turns++) {
    await life.host.settle(2)
    if (heard.over || life.dead) break
    if (life.fate.stopped !== undefined) {
      await life.fate.stopped
      turns = 0
    } else if (!life.waiting && !(await life.host.tick())) throw new Stuck(`the run neither rests nor goes on${underWay(life)}`)
    if (turns > RESTS) throw new Stuck(`the run does not come to rest${underWay(life)}`)
  }
  return heard.over ? told : undefined
}

export function outcomeOf(state: State): Outcome {
  return { status: state.ended?.status ?? 'open', value: state.ended?.value ?? null, board: state.root.reader().snapshot() }
}

/** A state as text, for comparison: what can still be read of it. */
export function textOf(state: State, subject: KindSubject): string {
  const kinds = new Map(subject.kinds.map((kind) => [kind.name, kind]))
  return JSON.stringify(dumpState(state, (pin) => kinds.get(state.pins[pin]?.[1] ?? '')?.board?.history === true))
}

export function same(what: string, actual: unknown, expected: unknown): void {
  if (!equalJson(actual, expected))
    throw new Error(
      `${what} differs${placeOf(actual, expected)}:\n  is        ${JSON.stringify(actual)}\n  should be ${JSON.stringify(expected)}`,
    )
}

export function fine(watch: Watch): void {
  if (watch.violations.length > 0) throw new Error(watch.violations.map(({ text }) => text).join('\n'))
}

/** The input that a record has, for messages. */
export function inputName(record: Rec | undefined): string {
  return record?.input?.[0] ?? 'go'
}

function underWay({ run }: Life): string {
  return run === undefined ? '' : `; it waits for ${describe(run)}`
}

function describe(run: Run): string {
  const flights = [...run.state.flights()].map(({ id, port }) => `effect ${id} of ${port}`)
  return [...[...run.state.waits.values()].map(waitText), ...flights].join(', ') || 'nothing'
}

/** What a run waits for, and over which mistake, if that is why. */
export function waitText({ type, name, about }: Wait): string {
  const message = isObject(about) && isObject(about.fault) ? about.fault.message : undefined
  return typeof message === 'string' ? `${type} ${name} (${message})` : `${type} ${name}`
}
