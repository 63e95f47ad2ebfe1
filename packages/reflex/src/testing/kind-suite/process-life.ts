import {
  faults,
  equalJson,
  isObject,
  type Json,
  type Wait,
  type Call,
  type Port,
  type Rec,
  type Run,
  Runtime,
  dumpState,
  type State,
  type RunRow,
  type Store,
  type VirtualHost,
  virtualHost,
  type Worker,
} from '../../kernel/index.ts'
import { placeOf } from './difference.ts'
import { type ProcessControl, UNCONTROLLED } from './process-control.ts'
import { ControlledStore } from './controlled-store.ts'
import { isSealed } from './short-segments.ts'
import type { KindSubject, Outcome } from './subject.ts'
import type { Watch } from './watch.ts'

/** The run of every case. */
export const RUN = 'probe-1'
const MOST_RESTS = 1_000
const MOST_TICKS = 100_000
/** No machine has a process with this number, so a store knows at once that a life is over. */
const UNUSED_PID = 2 ** 22 + 1

/** The time in milliseconds that a process can be silent before its lease expires, if its machine cannot be examined. */
export const LEASE = 6_000

/** The settings of a life. */
export interface ProcessLifeOptions {
  /** The number of the life; the first life starts the run. Default: 1. */
  readonly number?: number
  readonly control?: ProcessControl
  readonly host?: VirtualHost
  /** The store answers later, as from another machine. */
  readonly slow?: boolean | undefined
  /** Answers and messages go to the inbox of the store, as from other processes. */
  readonly usesInbox?: boolean | undefined
  /** The process of this life. Default: a process number that no machine has, so that a store knows at once that the life is over. */
  readonly worker?: Worker
  /** The run, if it is not the run of the case, such as a fork of it. */
  readonly run?: string | undefined
  /** Messages of the script that the history has already taken. */
  readonly takenMessages?: ReadonlySet<string> | undefined
  /** Returns an effect as the world sees it. Default: unchanged. */
  readonly effectView?: ((call: Call) => Pick<Call, 'key' | 'args'>) | undefined
  /** A bug to plant between the runtime and its world. */
  readonly plantedBug?: PlantedBug | undefined
}

/** Replaces a store or a port by one that breaks its contract. */
export interface PlantedBug {
  readonly store?: (store: Store) => Store
  readonly port?: (port: Port) => Port
}

/** The suite cannot continue: a run hangs, or waits for something that is not in its script. */
export class StuckError extends Error {}

/** One life of a process that holds the run. It can die at any moment and then does nothing more. */
export class ProcessLife {
  readonly host: VirtualHost
  readonly runtime: Runtime
  readonly watch: Watch
  readonly control: ProcessControl
  /** The run, after this life has started or opened it. */
  run: Run | undefined
  readonly #subject: KindSubject
  /** The store without control: what other processes see. */
  readonly store: Store
  readonly #usesInbox: boolean
  readonly #name: string
  readonly #takenMessages: ReadonlySet<string>
  readonly #store: ControlledStore

  constructor(subject: KindSubject, store: Store, watch: Watch, options: ProcessLifeOptions = {}) {
    const { number = 1, control = UNCONTROLLED, plantedBug = {}, slow } = options
    this.#subject = subject
    this.watch = watch
    this.control = control
    this.host = options.host ?? virtualHost({ seed: number })
    this.#usesInbox = options.usesInbox === true
    this.#name = options.run ?? RUN
    this.#takenMessages = options.takenMessages ?? new Set()
    this.store = store
    const ledgers = new ControlledStore(UNCONTROLLED, { onAppend: (ledger) => void watch.ledgers.add(ledger) }).wrap(store)
    const { port: wrapPort = (port: Port) => port } = plantedBug
    const { effectView } = options
    const world = Object.entries(subject.ports?.(ledgers, this.host) ?? {})
    const ports = world.map(([name, port]) => [name, effectView === undefined ? port : portWithView(port, effectView)] as const)
    this.#store = new ControlledStore(
      control,
      { onCommit: (batches) => batches.forEach((batch) => watch.readBatch(batch)) },
      slow === true ? () => this.host.drain(1) : undefined,
    )
    const ownStore = this.#store.wrap(store)
    const policy = subject.policy?.()
    this.runtime = new Runtime({
      kinds: subject.kinds,
      ports: Object.fromEntries(ports.map(([name, port]) => [name, wrapPort(watch.watchedPort(port, control))])),
      ...(policy === undefined ? {} : { policy }),
      ...(subject.settings === undefined ? {} : { settings: subject.settings }),
      store: plantedBug.store?.(ownStore) ?? ownStore,
      host: this.host,
      worker: options.worker ?? { id: `life-${number}`, host: 'suite', pid: UNUSED_PID + number },
      leaseMs: LEASE,
    })
    for (const { kind, id, source } of subject.programs) this.runtime.programs.add(kind, id, source)
  }

  get dead(): boolean {
    return this.control.dead
  }

  /** True if a call of its store is in progress. The clock does not advance until the store has answered. */
  get waiting(): boolean {
    return this.#store.pending > 0
  }

  /** Starts the run, or opens it again if its first record is durable. Returns undefined if the process died. */
  async begin(prepare?: (run: Run) => void): Promise<Run | undefined> {
    const run = await unlessDead(this, this.#open({ prepare: (made) => this.#prepare(made, prepare) }))
    this.run = run
    if (run === undefined) return undefined
    const { messages = [] } = this.#subject.script ?? {}
    for (const [i, { topic, body }] of messages.entries())
      if (run.state.ended === undefined && !this.dead && !this.#wasSent(`m${i}`)) await this.#message(run, topic, body, `m${i}`)
    return run
  }

  /** A sender does not know what came of its messages and sends them again. Of a run with segments, the id of an old one is forgotten. */
  #wasSent(id: string): boolean {
    return this.#takenMessages.has(id) || (isSealed(this.#subject) && this.watch.accepted.has(id))
  }

  #prepare(run: Run, prepare: ((run: Run) => void) | undefined): void {
    run.observe(() => this.dead || this.control.onMoment({ what: 'record', when: 'after' }))
    run.subscribe((record, n) => this.watch.publish(n, record))
    prepare?.(run)
  }

  async #message(run: Run, to: string, body: Json, id: string): Promise<void> {
    if (this.#usesInbox) {
      await this.store.post(this.#name, { id, type: 'message', to, body, at: this.host.now() })
      this.watch.handle(['told', id])
      await unlessDead(this, run.pull())
      return
    }
    const accepted = await unlessDead(this, run.message(to, body, { id }))
    if (accepted !== undefined) this.watch.handle(['told', id])
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

  /** Runs the run to its end. Returns undefined if the process died. */
  async runToEnd(): Promise<Outcome | undefined> {
    const status = (await unlessDead(this, this.row()))?.status ?? 'running'
    if (status !== 'running' && status !== 'suspended') {
      const peek = await unlessDead(this, this.runtime.peek(this.#name))
      return peek === undefined ? undefined : outcomeOf(peek.state)
    }
    const run = await this.begin()
    return run === undefined ? undefined : this.play(run)
  }

  /** Waits until the run rests. Returns false if the process died. */
  async rest(run: Run): Promise<boolean> {
    await unlessDead(this, run.idle())
    return !this.dead
  }

  /** Plays the script until the run has ended. Returns undefined if the process died. */
  async play(run: Run): Promise<Outcome | undefined> {
    for (let rests = 0; rests < MOST_RESTS; rests++) {
      if (!(await this.rest(run))) return undefined
      if (run.state.ended !== undefined) return outcomeOf(run.state)
      if ((await this.respond(run)) || this.dead) continue
      // The process that took over during the stop received all answers.
      if (this.control.stoppedAt !== undefined) throw leaseLost('another process received the answers that it waits for')
      throw new StuckError(`the run waits for ${describe(run)}, but the script has nothing for it`)
    }
    throw new StuckError('the run does not end')
  }

  /** Gives the run one thing that it waits for. Returns false if the script has nothing to give. */
  async respond(run: Run): Promise<boolean> {
    const waits = [...run.state.waits.values()]
    for (const wait of waits) {
      const answer = wait.effect === undefined ? this.#subject.script?.answer?.(wait) : await this.#outcomeAnswer(wait)
      if (wait.type !== 'answer' || answer === undefined) continue
      await this.#answer(run, wait, answer)
      return true
    }
    if (await unlessDead(this, this.#subject.script?.drive?.(run))) return true
    const due = Math.min(...waits.map((wait) => wait.due ?? Number.POSITIVE_INFINITY))
    if (due === Number.POSITIVE_INFINITY) return false
    if (due > this.host.now()) await this.host.advance(due - this.host.now())
    else await this.#fireTimers(run)
    return true
  }

  /** Advances the timers. Timers count the time that passes, so a timer must still fire after the clock has jumped over it. */
  async #fireTimers(run: Run): Promise<void> {
    const { n } = run.state
    for (let ticks = 0; ticks < MOST_TICKS && run.state.n === n && !this.dead; ticks++) if (!(await this.host.tick())) return
  }

  async #answer(run: Run, { id, record }: Wait, answer: Json): Promise<void> {
    if (record > run.durable) this.watch.report('early', `question ${id} was shown before its record was durable`)
    if (this.#usesInbox) {
      await this.store.post(this.#name, { id: `answer ${id}`, type: 'answer', to: String(id), body: answer, at: this.host.now() })
      await unlessDead(this, run.pull())
      if (!this.dead && run.state.waits.has(id)) throw leaseLost(`the answer to ${id} was not taken by this process`)
      return
    }
    const n = await unlessDead(this, run.answer(id, answer))
    if (n !== undefined) this.watch.acknowledge(n, `answer ${id}`)
  }

  async #outcomeAnswer(wait: Wait): Promise<Json> {
    const result = this.watch.resultOf(wait.effect ?? '')
    if (result === undefined) return 'repeat'
    const value = await result
    return value === undefined ? 'failed' : { outcome: 'happened', value }
  }
}

/** Returns a port that sees the changed key and arguments of an effect. */
function portWithView(port: Port, effectView: (call: Call) => Pick<Call, 'key' | 'args'>): Port {
  const viewed = (call: Call): Call => {
    const { key, args } = effectView(call)
    return new Proxy(call, {
      get: (target, name) => {
        if (name === 'key') return key
        if (name === 'args') return args
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
  }
  return { ...port, perform: (call) => port.perform(viewed(call)) }
}

/** Returns the fault of a stopped process. It learns only at its next commit that another process holds the run. */
function leaseLost(why: string): Error {
  return faults.make('R5002', why, { run: RUN })
}

/** Returns the result of a promise; undefined if the process dies first. */
async function unlessDead<T>(life: ProcessLife, promise: Promise<T> | undefined): Promise<T | undefined> {
  if (promise === undefined) return undefined
  const result: { over: boolean } = { over: false }
  const finish = () => void (result.over = true)
  promise.then(finish, finish)
  for (let turns = 0; !result.over && !life.dead; turns++) {
    await life.host.drain(2)
    if (result.over || life.dead) break
    if (life.control.stopped !== undefined) {
      await life.control.stopped
      turns = 0
    } else if (!life.waiting && !(await life.host.tick())) throw new StuckError(`the run neither rests nor continues${waitingText(life)}`)
    if (turns > MOST_RESTS) throw new StuckError(`the run does not come to rest${waitingText(life)}`)
  }
  return result.over ? promise : undefined
}

export function outcomeOf(state: State): Outcome {
  return { status: state.ended?.status ?? 'open', value: state.ended?.value ?? null, board: state.root.reader().snapshot() }
}

/** Returns a state as text for comparison: everything that can be read from it. */
export function textOf(state: State, subject: KindSubject): string {
  const kinds = new Map(subject.kinds.map((kind) => [kind.name, kind]))
  return JSON.stringify(dumpState(state, (pin) => kinds.get(state.pins[pin]?.[1] ?? '')?.board?.history === true))
}

export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (!equalJson(actual, expected))
    throw new Error(
      `${what} differs${placeOf(actual, expected)}:\n  is        ${JSON.stringify(actual)}\n  should be ${JSON.stringify(expected)}`,
    )
}

export function requireNoViolations(watch: Watch): void {
  if (watch.violations.length > 0) throw new Error(watch.violations.map(({ text }) => text).join('\n'))
}

/** Returns the input of a record, for messages. */
export function inputName(record: Rec | undefined): string {
  return record?.input?.[0] ?? 'go'
}

function waitingText({ run }: ProcessLife): string {
  return run === undefined ? '' : `; it waits for ${describe(run)}`
}

function describe(run: Run): string {
  const flights = [...run.state.pendingEffects()].map(({ id, port }) => `effect ${id} of ${port}`)
  return [...[...run.state.waits.values()].map(waitText), ...flights].join(', ') || 'nothing'
}

/** Returns what a run waits for, with the fault message if a fault is the reason. */
export function waitText({ type, name, about }: Wait): string {
  const message = isObject(about) && isObject(about.fault) ? about.fault.message : undefined
  return typeof message === 'string' ? `${type} ${name} (${message})` : `${type} ${name}`
}
