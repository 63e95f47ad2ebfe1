import { type SearchRange, searchClosedWait } from './closed-wait-search.ts'
import type { ClosedWait } from '../state/closed-waits.ts'
import type { Admission } from '../ports/admission.ts'
import { Committer } from './committer.ts'
import type { Wait } from '../state/frame.ts'
import type { Fault } from '../journal/fault.ts'
import { faults, noContents } from '../journal/faults.ts'
import { FollowedRun, type FollowParts } from './followed-run.ts'
import { Followers } from './followers.ts'
import { ForkPoints } from './fork-points.ts'
import { type BaseOf, forkRun, type ForkResult, type ForkOptions, type ForkWorld } from './fork.ts'
import { Heartbeat } from './heartbeat.ts'
import { type Host, systemHost } from '../ports/host.ts'
import { copyJson, isObject, type Json, type JsonObject } from '../journal/json.ts'
import { type History, Journals, noRun, type Peek } from './journals.ts'
import type { Kind } from '../step/kind.ts'
import { InboxWatch } from './inbox-watch.ts'
import { Leases } from './leases.ts'
import { runName } from '../journal/run-name.ts'
import { assertStorable, RunPrograms } from '../step/run-programs.ts'
import { permitPort } from '../ports/permit.ts'
import type { Policy } from '../ports/policy.ts'
import type { Port } from '../ports/port.ts'
import { type Program, pinOf } from '../step/program.ts'
import { type KindLoader, Programs } from '../step/programs.ts'
import { FORMAT, type Pin, type Rec, type Start } from '../journal/record.ts'
import { type ContentHash, HASHED, hidesContents } from '../journal/contents.ts'
import type { Redactor } from '../journal/redact.ts'
import { ownHash } from './stored-form.ts'
import { Run } from './run.ts'
import type { ClosedRun, RunWorld } from './run-options.ts'
import { storedProgram } from './batch-builder.ts'
import { NO_SETTINGS, plainSettings, type RunFacts, type SettingsCodec } from '../ports/settings.ts'
import { State } from '../state/state.ts'
import type { Lease, RunRow, RunStatus, Store, Worker } from '../ports/store.ts'

/** The options of a runtime. */
export interface RuntimeOptions<S extends RunFacts = RunFacts> {
  readonly kinds: readonly Kind[]
  /** Kinds that are loaded when a stored run or a program first needs them. */
  readonly kindLoader?: KindLoader
  /** By name. A map may get further ports later, with the kinds that bring them. */
  readonly ports?: Readonly<Record<string, Port<S>>> | Map<string, Port<S>>
  /** Limits the calls under way, also those of other processes. Absent: nothing is limited. */
  readonly admission?: Admission
  /** Asked before every effect. Absent: everything is allowed, as for a program inside another one. */
  readonly policy?: Policy<S>
  /** Reads and writes the settings of runs. Absent: the settings of the first record are used unverified. */
  readonly settings?: SettingsCodec<S>
  /** Absent: journals stay in the memory of this process. */
  readonly store?: Store
  readonly host?: Host
  /** Removes secrets from all inputs from outside before they are recorded. */
  readonly redact?: Redactor
  /** Returns what stands for a content in the records of a run that keeps none. Absent: hashes under a key that only this process has. */
  readonly hash?: ContentHash
  /** The process that advances the runs; required with a store. */
  readonly worker?: Worker
  /** Milliseconds without a heartbeat after which a process counts as dead. */
  readonly leaseMs?: number
  /**
   * Called for faults that stop no run: `R5012`, if the store does not confirm the lease of a process that owns runs, and `R2108`, if a
   * port cannot be closed.
   */
  readonly onTrouble?: ((fault: Fault) => void) | undefined
}

/** The options of a start. */
export interface StartOptions<S extends RunFacts = RunFacts> {
  readonly args?: Json
  /** Further arguments of programs that the run calls, by name, as the operator states them. */
  readonly hosts?: Readonly<Record<string, Json>> | undefined
  /** The settings of the operator, such as the actor and the trust. The codec records them; they may depend on the run id. */
  readonly settings?: S | ((run: { readonly id: string; readonly trace: string }) => S)
  /**
   * The name of the run. Default: a pronounceable name that is free in the store; without a store, the trace id. Throws `R5007`
   * if it is taken.
   */
  readonly id?: string
  /** Called before the first record, to observe or to block. */
  prepare?(run: Run<S>): void
  /**
   * Present: another process carries the run on. Its first record is stored, nothing is performed, and the run is released before `start`
   * resolves with it, closed. Called with its name before the first record; a rejection fails the start, and the name has no run.
   */
  handOver?(run: string): Promise<void>
}

/** The options for opening a stored run. */
export interface ReopenOptions<S extends RunFacts = RunFacts> {
  /** Called and awaited before anything continues. */
  prepare?(run: Run<S>): void | Promise<void>
  /** Changes the settings of the run for this process. */
  settings?(kept: S): S
  /** The person or program that continues it, for the journal of an idle fork. */
  readonly actor?: string | undefined
  /** The run as it was read before. Its state is used, unless a record was added since. */
  readonly stored?: Peek | undefined
}

const DEFAULT_LEASE = 15_000

/** The name and the lease of a run without a first record. */
interface NewRun {
  readonly id: string
  readonly lease: Lease | undefined
  readonly trace: string
  readonly at: number
}

/**
 * Runs programs of every kind: starts runs, opens them again after a restart, and renews their leases. Several runtimes may
 * share a store; only one of them advances a run.
 */
export class Runtime<S extends RunFacts = RunFacts> implements RunWorld<S> {
  readonly programs = new Programs()
  readonly host: Host
  readonly store: Store | undefined
  readonly committer: Committer | undefined
  readonly ports: Map<string, Port<S>>
  readonly policy: Policy<S> | undefined
  readonly redact: Redactor | undefined
  readonly hash: ContentHash
  readonly onTrouble: ((fault: Fault) => void) | undefined
  /** Limits the calls under way. It may be set later, and holds for calls that begin from then on. */
  admission: Admission | undefined
  /** Milliseconds without a heartbeat after which this process counts as dead. */
  readonly leaseMs: number
  readonly #runs = new Map<string, Run<S>>()
  readonly #opening = new Map<string, Promise<Run<S>>>()
  /** Requested names of runs that are being created. */
  readonly #reserved = new Set<string>()
  /** Pending work of subscribers and ports for runs that this process no longer owns. */
  readonly #unfinished = new Set<Promise<unknown>>()
  readonly #codec: SettingsCodec<S>
  /** This process, as the store knows it. */
  readonly worker: Worker
  readonly heartbeat: Heartbeat | undefined
  readonly #leases: Leases | undefined
  readonly #inboxWatch: InboxWatch | undefined
  #followers: Followers | undefined
  #now: number | undefined
  #registered: Promise<void> | undefined

  constructor(options: RuntimeOptions<S>) {
    for (const kind of options.kinds) this.programs.addKind(kind)
    this.programs.loader = options.kindLoader
    this.host = options.host ?? systemHost
    this.store = options.store
    this.policy = options.policy
    this.#codec = options.settings ?? plainSettings()
    this.redact = options.redact
    this.hash = options.hash ?? ownHash(options.host ?? systemHost)
    this.onTrouble = options.onTrouble
    this.admission = options.admission
    this.ports = options.ports instanceof Map ? options.ports : new Map(Object.entries(options.ports ?? {}))
    if (!this.ports.has('permit')) this.ports.set('permit', permitPort)
    this.worker = options.worker ?? { id: this.host.entropy(), host: '', pid: 0 }
    this.leaseMs = options.leaseMs ?? DEFAULT_LEASE
    const { store } = this
    this.heartbeat =
      store === undefined
        ? undefined
        : new Heartbeat(store, this.worker, this.host, this.leaseMs, {
            onConfirmed: () => void this.#releaseUnused(),
            // A process that owns no run has no lease to lose.
            onTrouble: (fault) => this.#runs.size > 0 && options.onTrouble?.(fault),
          })
    this.#leases = store === undefined || this.heartbeat === undefined ? undefined : new Leases(store, this.worker, this.heartbeat)
    this.#inboxWatch = store === undefined ? undefined : new InboxWatch(store, this.worker, this.host, this.#runs)
    this.committer = this.store === undefined ? undefined : new Committer(this.store, this.host, this.#runs)
  }

  /** Returns the time, read once per turn of the event loop. */
  clock(): number {
    return this.#now ?? this.#readClock()
  }

  #readClock(): number {
    this.host.turn(() => {
      this.#now = undefined
    })
    return (this.#now = this.host.now())
  }

  resetClock(): void {
    this.#now = undefined
  }

  /** The runs that this process owns. */
  get openRuns(): ReadonlyMap<string, Run<S>> {
    return this.#runs
  }

  /** Starts a run of a program. Its first record is durable when `idle` resolves; no effect leaves before. */
  async start(program: Program, options: StartOptions<S> = {}): Promise<Run<S>> {
    this.#reserve(options.id)
    try {
      return await this.#start(program, options)
    } finally {
      this.#release(options.id)
    }
  }

  async #start(root: Program, options: StartOptions<S>): Promise<Run<S>> {
    const closure = this.programs.closure(root)
    if (this.store?.durable) for (const needed of closure) assertStorable(needed)
    const args = options.args === undefined ? {} : { args: this.#redact(copyJson(options.args, 'args')) }
    const { hosts = {} } = options
    const beside = Object.keys(hosts).length === 0 ? {} : { hosts: this.#redact(copyJson(hosts, 'hosts') as Record<string, Json>) }
    const pins = closure.map(pinOf)
    const seed = this.host.entropy()
    const { id, lease, trace, at } = await this.#create(options.id, pins[0] ?? pinOf(root))
    const said = typeof options.settings === 'function' ? options.settings({ id, trace }) : options.settings
    const program = pins[0]?.[3] ?? ''
    const kept = said === undefined ? undefined : this.#redact(this.#codec.write(said, { run: id, trace, program }))
    const hashed = this.programs.kind(root.kind).hidesContents === true ? { ...NO_SETTINGS, ...objectOf(kept), ...HASHED } : kept
    const by = hashed === undefined ? {} : { by: hashed }
    const start: Start = { v: FORMAT, run: id, trace, seed, at, pins, ...args, ...by, ...beside }
    const state = new State()
    const run = new Run<S>(this, {
      id,
      state,
      settings: said ?? this.#codec.read(start),
      definitions: new RunPrograms(this.programs, state, this.store?.durable),
      lease,
      programs: this.store === undefined ? [] : closure.filter(({ local }) => local === undefined).map(storedProgram),
    })
    this.#runs.set(id, run)
    this.#inboxWatch?.watch()
    options.prepare?.(run)
    const first: Rec = {
      frame: 0,
      elapsed: 0,
      input: ['kernel', 'start'],
      writes: undefined,
      position: undefined,
      requests: undefined,
      more: { start },
    }
    if (options.handOver === undefined) run.begin(first)
    else await this.#handOver(run, first, options.handOver.bind(options))
    return run
  }

  /** Stores the first record of a run and releases the run. Rejects with the fault of `announce` or of the store. */
  async #handOver(run: Run<S>, first: Rec, announce: (run: string) => Promise<void>): Promise<void> {
    try {
      await announce(run.id)
      await run.beginLater(first)
    } finally {
      run.close()
      await this.whenReleased()
    }
  }

  /** Follows a run that another process carries on, from before its first record. `settings`: those with which it was started. */
  follow(id: string, settings: S): FollowedRun<S> {
    const state = new State()
    return this.#follow({ id, settings, state, definitions: new RunPrograms(this.programs, state, this.#needStore().durable) })
  }

  /** Follows a stored run that another process carries on, from its newest record on. Throws `R2016` if there is none. */
  async followStored(id: string): Promise<FollowedRun<S>> {
    const { state, definitions } = await this.peek(id)
    return this.#follow({ id, settings: this.settingsOf(state), state, definitions })
  }

  #follow(parts: FollowParts<S>): FollowedRun<S> {
    const { host, programs, redact } = this
    const store = this.#needStore()
    const followers = (this.#followers ??= new Followers(store, host))
    return new FollowedRun({ store, programs, host, followers, redact }, parts)
  }

  #redact<Value extends Json>(value: Value): Value {
    return this.redact === undefined ? value : (this.redact(value) as Value)
  }

  /** Creates a run in memory from a state that was stored elsewhere. */
  adopt(id: string, state: State): Run<S> {
    const definitions = new RunPrograms(this.programs, state, this.store?.durable)
    const { start = { v: FORMAT, run: id, trace: id, seed: '', at: 0, pins: state.pins } } = state
    const run = new Run<S>(this, { id, state, settings: this.#codec.read(start), definitions })
    this.#runs.set(id, run)
    return run
  }

  async #create(wanted: string | undefined, program: Pin, status: RunStatus = 'running', baseOf?: BaseOf): Promise<NewRun> {
    const trace = this.host.entropy()
    const at = this.host.now()
    const leases = this.#leases
    // Only a store can check whether a pronounceable name is free: without one, a run has its trace id as name.
    if (this.store === undefined || leases === undefined) return { id: wanted ?? trace, lease: undefined, trace, at }
    await this.register()
    for (let tries = 0; tries < 100; tries++) {
      const id = wanted ?? runName(this.host.entropy())
      const base = baseOf === undefined ? {} : { base: baseOf(id, trace) }
      const lease = await leases.create({ id, trace, program, status, started: at, updated: at, due: null, waits: [], ...base })
      if (lease !== 'taken') return { id, lease, trace, at }
      if (wanted === undefined) continue
      const reused = await this.#reuseUnbegun(leases, wanted, program, baseOf)
      if (reused !== undefined) return reused
      break
    }
    throw this.#idTakenFault(wanted)
  }

  /** Reserves a name: two runs of this process with one requested name are not the same run. Throws `R5007`. */
  #reserve(wanted: string | undefined): void {
    if (wanted === undefined || this.store === undefined) return
    if (this.#reserved.has(wanted)) throw this.#idTakenFault(wanted)
    this.#reserved.add(wanted)
  }

  #release(wanted: string | undefined): void {
    if (wanted !== undefined) this.#reserved.delete(wanted)
  }

  #idTakenFault(wanted: string | undefined): Fault {
    const name = wanted ?? 'of every name that was drawn'
    return faults.make('R5007', `the store ${this.store?.name ?? ''} already has a run ${name}`, { run: wanted })
  }

  /** A process that ends between a run's row and its first record leaves a name; the next start of the same program takes it over. */
  async #reuseUnbegun(leases: Leases, id: string, program: Pin, baseOf: BaseOf | undefined): Promise<NewRun | undefined> {
    if (this.#runs.has(id)) return undefined
    const claim = await leases.claim(id, this.host.now())
    if (!('lease' in claim)) return undefined
    const { lease, row } = claim
    const base = baseOf?.(id, row.trace)
    const isSame = row.last === (base?.at ?? 0) && row.program[3] === program[3] && row.program[0] === program[0]
    if (isSame && (base === undefined || (await this.#needStore().read(id))?.snapshot?.body === base.snapshot))
      return { id, lease, trace: row.trace, at: row.started }
    await leases.release(lease)
    return undefined
  }

  /**
   * Opens a stored run and continues it with the programs that it was started with. Effects that were in flight are performed
   * again with the same key, or asked about, as their ports declare. Throws `R5001` if another process owns it, `R2016` if
   * there is none, `R2001` if it has ended, `R2067` if its contents were in a process that is gone, which ends it, `R5014` if it was started with other versions of functions of the host.
   */
  async resume(id: string, options: ReopenOptions<S> = {}): Promise<Run<S>> {
    const known = this.#runs.get(id) ?? this.#opening.get(id)
    if (known !== undefined) return known
    const opening = this.#open(id, options)
    this.#opening.set(id, opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(id)
    }
  }

  async #open(id: string, options: ReopenOptions<S>): Promise<Run<S>> {
    const leases = this.#needLeases()
    await this.register()
    const claim = await leases.claim(id, this.host.now())
    if ('missing' in claim) throw noRun(id)
    if ('owner' in claim) {
      const { worker } = claim.owner
      throw faults.make('R5001', `${id} is held by process ${worker.pid} on ${worker.host}`, {
        run: id,
        data: { pid: worker.pid, host: worker.host, seen: claim.owner.seen },
      })
    }
    let run: Run<S> | undefined
    try {
      if (claim.row.status !== 'running' && claim.row.status !== 'suspended') throw await this.#endedFault(claim.row)
      const { state, definitions } = await this.#journals().latest(claim.row, options.stored)
      await this.#journals().requireSupportedRevision(state.pins, id)
      this.#journals().requireFunctions(state.pins, id)
      const kept = this.settingsOf(state)
      run = new Run<S>(this, { id, state, settings: options.settings?.(kept) ?? kept, definitions, lease: claim.lease })
      this.#runs.set(id, run)
      if (hidesContents(state)) {
        await run.endWithoutContents()
        throw noContents(id, 'resumed')
      }
      this.#inboxWatch?.watch()
      const ready = options.prepare?.(run)
      if (ready !== undefined) await ready
      await run.reopen(options.actor)
      return run
    } catch (thrown) {
      run?.close()
      await leases.release(claim.lease)
      throw thrown
    }
  }

  /**
   * Returns the address at which a fork of an ended run tries again: the last point before the failure, or before the end.
   * Undefined if there is no such point. Rejects like `history`.
   */
  async forkPoint(id: string): Promise<string | undefined> {
    const journals = this.#journals()
    const { state } = await journals.peek(id)
    return new ForkPoints(id, { journals, programs: this.programs, ports: this.ports, settings: this.settingsOf(state) }).retryPoint()
  }

  /** Makes `R2001` with the fork that continues before the end. If no point can be found, the fault is made without it. */
  async #endedFault({ id, status }: RunRow): Promise<Fault> {
    const point = await this.forkPoint(id).catch(() => undefined)
    const fix = point === undefined ? undefined : `reflex fork ${point}`
    return faults.make('R2001', `${id} ${status === 'cancelled' ? 'was' : 'has'} ${status}`, {
      run: id,
      ...(fix === undefined ? {} : { fix }),
    })
  }

  /**
   * Creates a run that shares the first records of a stored run, regardless of its owner, and performs nothing until it is
   * resumed. Its effects have their own keys. Throws `R2016` for an unknown run, `R2060` and `R2061` if it cannot be forked
   * there, `R2021` for an unknown record, `R2132` for one that only the run has from which this one was forked, `R5054` for one in a
   * segment that is gone, `R5006` for a program that the store lacks, `R5014` for
   * other versions of functions, and the faults of the board for `set`; then nothing is created.
   */
  async fork(id: string, options: ForkOptions<S> = {}): Promise<ForkResult<S>> {
    const leases = this.#needLeases()
    let lease: Lease | undefined
    this.#reserve(options.id)
    const create: ForkWorld<S>['create'] = async (wanted, program, baseOf) => {
      const created = await this.#create(wanted, program, 'suspended', baseOf)
      lease = created.lease
      if (lease === undefined) throw noStore()
      return { lease, trace: created.trace }
    }
    const { programs, ports, policy, host, redact } = this
    const world = {
      store: this.#needStore(),
      journals: this.#journals(),
      programs,
      ports,
      policy,
      codec: this.#codec,
      host,
      redact,
      create,
    }
    try {
      return await forkRun(world, id, options)
    } finally {
      this.#release(options.id)
      if (lease !== undefined) await leases.release(lease)
    }
  }

  /** Returns the verified settings of a run from its first record. Throws `R5003` for a state without a first record. */
  settingsOf({ start }: State): S {
    if (start === undefined) throw faults.make('R5003', 'the run has no first record')
    return this.#codec.read(start)
  }

  /** Returns the state of a stored run after record `until`, without a lease. Throws `R2016` if there is none. */
  async peek(id: string, until?: number): Promise<Peek> {
    return this.#journals().peek(id, until)
  }

  /** Returns all records of a stored run and its final state. Throws `R2016` if there is none. */
  async history(id: string): Promise<History> {
    return this.#journals().history(id)
  }

  /**
   * Returns the record that closed a wait of a stored run: the newest wait for which `matches` is true. Reads from the last segment back to
   * the one that has it. Rejects with the faults of the store, and `R5054` where a segment that may have it is gone.
   */
  async findClosedWait(run: string, matches: (wait: Wait) => boolean, range?: SearchRange): Promise<ClosedWait | undefined> {
    return searchClosedWait(this.#journals(), run, matches, range)
  }

  /** Returns the programs that a stored run has pinned, also those that this process cannot read. Throws `R2016` if there is none. */
  async pinsOf(run: string): Promise<readonly Pin[]> {
    return this.#journals().pins(run)
  }

  async journal(run: string): Promise<readonly Rec[]> {
    return this.#journals().records(run)
  }

  #journals(): Journals {
    return new Journals(this.#needStore(), this.programs)
  }

  onClosed(run: ClosedRun): void {
    if (this.#runs.get(run.id) !== run) return
    this.#runs.delete(run.id)
    const done = Promise.all([run.subscribersDone(), run.portsClosed()])
    this.#unfinished.add(done)
    void done.finally(() => this.#unfinished.delete(done))
    if (run.lease !== undefined) void this.#leases?.release(run.lease)
  }

  /** Resolves when the runs that this process has closed until now are released in the store. */
  async whenReleased(): Promise<void> {
    await this.#leases?.whenReleased()
  }

  #needStore(): Store {
    if (this.store === undefined) throw noStore()
    return this.store
  }

  #needLeases(): Leases {
    if (this.#leases === undefined) throw noStore()
    return this.#leases
  }

  /** Registers this process with its store once: a store reports dead processes only to registered ones. */
  register(): Promise<void> {
    this.#registered ??= Promise.resolve(this.heartbeat?.begin()).catch((thrown: unknown) => {
      // The next run tries again.
      this.#registered = undefined
      throw thrown
    })
    return this.#registered
  }

  async #releaseUnused(): Promise<void> {
    try {
      await this.#leases?.releaseUnused(this.host.now(), (run) => this.#runs.has(run) || this.#opening.has(run))
    } catch {
      // If the store cannot be written, the next commit of a run reports it.
    }
  }

  /**
   * Releases its runs: their decisions become durable, effects in flight are aborted, leases are released, and any process may
   * open them. Waits for the subscribers and the ports of all runs. The store stays open.
   */
  async close(): Promise<void> {
    this.heartbeat?.stop()
    this.#inboxWatch?.end()
    this.#followers?.close()
    for (const run of this.#runs.values()) {
      await run.leave()
      if (run.lease !== undefined) await this.#leases?.release(run.lease)
    }
    await Promise.all(this.#unfinished)
    await this.whenReleased()
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function noStore(): Error {
  return faults.make('R5009', 'this runtime has no store')
}
