import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { agentFor, type AgentChoice } from './decisions.ts'
import { faults } from './faults.ts'
import { isModule, isWorkflow, workflowProgram } from './formats.ts'
import { answerTo, type OpenQuestion, questionsOf, RunHandle } from './handle.ts'
import { chooseStore } from './home.ts'
import { type Surroundings, thisProcess } from './host.ts'
import {
  copyJson,
  faults as kernelFaults,
  type Host,
  isFault,
  type JsonObject,
  ledgerPort,
  type Message,
  type Program,
  type Run,
  type RunFilter,
  RunPrograms,
  type RunRow,
  Runtime,
  type State,
  type Store,
} from './kernel/index.ts'
import { type Keeps, keepsOf, proved } from './keeps.ts'
import { Library } from './library.ts'
import { createPolicy, type OperatorPolicy, type PolicyFile, readTrust, type Trust } from './policy/index.ts'
import { createTools, type Tool, toolCapability, type Tools } from './tools/index.ts'
import { linesOfHistory, type StoryLine } from './trace.ts'
import { type RunView, viewOf } from './view.ts'
import { decisionPort, loadStored, workflowKind } from './workflow/runtime.ts'
import type { DecisionAgent, GuardRegistry, Workflow } from './workflow/types.ts'

/** What a `Reflex` is made of. Everything has a default. */
export interface ReflexOptions {
  /** A path, an address such as `memory:`, or a store. Default: the nearest `.reflex/reflex.db` upwards, else made in `workdir`. */
  readonly store?: string | Store
  /** Where programs' files lie and tools work. Default: where the process was started. */
  readonly workdir?: string
  /** How far new runs are trusted. Default `probationary`. */
  readonly trust?: Trust
  /** What the operator allows and denies beside. */
  readonly policy?: readonly PolicyFile[]
  readonly tools?: readonly Tool[]
  /** Agents by name, beside the built-in ones. */
  readonly agents?: Readonly<Record<string, DecisionAgent>>
  /** Who decides where a program does not say: for all nodes, and for single ones. */
  readonly agent?: AgentChoice
  /** Functions for guards that stand by name. */
  readonly guards?: GuardRegistry
  /** Folders in which programs are looked up by name, after the caller's own. */
  readonly programs?: readonly string[]
  /** Who acts, for the journal. Default: `REFLEX_ACTOR`, else the user. */
  readonly actor?: string
  readonly surroundings?: Surroundings
}

/** How a run is started. */
export interface RunOptions {
  /** Named inputs. */
  readonly input?: JsonObject
  readonly id?: string
  /** The kind of a file whose name does not tell it. */
  readonly kind?: string
  readonly trust?: Trust
  readonly agent?: AgentChoice
  /** Called before the first record: to listen. */
  readonly prepare?: (handle: RunHandle) => void
}

/** What addresses, folders and shells take as it is. */
const RUN_NAME = /^[a-z0-9][\w-]{0,63}$/i

/**
 * The front object: runs, answers and shows programs of every kind, over one store. Defaults are composed here and
 * nowhere else.
 */
export class Reflex {
  readonly store: Store
  /** Whether the store was made by this object. */
  readonly fresh: boolean
  readonly runtime: Runtime
  readonly library: Library
  readonly tools: Tools
  readonly policy: OperatorPolicy
  readonly workdir: string
  /** The folder that holds the store, run folders and nothing else. */
  readonly home: string
  readonly #options: ReflexOptions
  readonly #surroundings: Surroundings
  readonly #keeps = new Map<string, Keeps>()
  readonly #handles = new WeakMap<Run, RunHandle>()

  constructor(options: ReflexOptions = {}) {
    this.#options = options
    this.#surroundings = options.surroundings ?? thisProcess()
    const { environment, worker, host } = this.#surroundings
    // Policy and tools compare real paths: a link on the way here must not make everything foreign.
    this.workdir = realpathSync(resolve(this.#surroundings.cwd, options.workdir ?? '.'))
    const { store, home, fresh, reserved } = chooseStore(options.store ?? environment['REFLEX_STORE'], this.workdir)
    this.store = store
    this.home = home
    this.fresh = fresh
    this.policy = createPolicy({
      trust: (run) => this.#keeps.get(run)?.trust ?? 'untrusted',
      workdir: this.workdir,
      runFolder: (run) => this.runFolder(run),
      // Giving a tool is allowing it; what it touches is asked for by itself.
      grants: [
        { file: 'the application', allow: (options.tools ?? []).map(({ name }) => toolCapability(name)) },
        ...(options.policy ?? []),
      ],
      reserved,
    })
    this.tools = createTools({ environment, host, ...(options.tools === undefined ? {} : { tools: options.tools }) })
    const guards = options.guards ?? {}
    const kind = workflowKind({ load: (source) => loadStored(source, guards) })
    const agent = this.#agent()
    const decide = decisionPort(agent)
    this.runtime = new Runtime({
      kinds: [kind],
      ports: { decide, ledger: ledgerPort(store, host) },
      policy: this.policy,
      store,
      host,
      worker,
    })
    this.library = new Library(
      this.runtime.programs,
      { guards, inspect: (workflow, locate) => agent.inspect(workflow, locate) },
      (options.programs ?? []).map((folder) => resolve(this.#surroundings.cwd, folder)),
    )
  }

  get host(): Host {
    return this.#surroundings.host
  }

  get actor(): string {
    return this.#options.actor ?? this.#surroundings.actor
  }

  /** A run's own folder, the only one that an untrusted run may write to. */
  runFolder(run: string): string {
    return join(this.home, 'runs', run)
  }

  #agent(): ReturnType<typeof agentFor> {
    return agentFor({
      tools: this.tools,
      agents: this.#options.agents ?? {},
      choice: (run) => this.#keeps.get(run)?.agent ?? {},
      workdir: this.workdir,
      runFolder: (run) => this.runFolder(run),
      allows: (run, capability) => this.policy.allows(run, capability),
    })
  }

  // Running

  /** Starts a run of a file, a folder or a workflow object, and gives it once it is at rest. */
  async run(what: string | Workflow | Program, options: RunOptions = {}): Promise<RunHandle> {
    const handle = await this.start(what, options)
    await handle.idle()
    return handle
  }

  /** Starts a run and gives it at once. Throws what loading throws; `R5007` if the id is taken. */
  async start(what: string | Workflow | Program, options: RunOptions = {}): Promise<RunHandle> {
    if (options.id !== undefined && (!RUN_NAME.test(options.id) || options.id === 'last')) {
      throw faults.make('R2022', `${JSON.stringify(options.id.slice(0, 80))} cannot name a run`, {
        fix: 'letters, digits, - and _, at most 64, beginning with a letter or digit',
      })
    }
    const { program, file } = await this.#programOf(what, options.kind)
    const agent = options.agent ?? this.#options.agent
    const given: Keeps = {
      actor: this.actor,
      trust: this.#trust(options.trust),
      workdir: this.workdir,
      ...(file === undefined ? {} : { file }),
      ...(agent === undefined ? {} : { agent }),
    }
    const keeps = proved(given, this.#surroundings)
    const run = await this.runtime.start(program, {
      ...(options.input === undefined ? {} : { args: options.input }),
      ...(options.id === undefined ? {} : { id: options.id }),
      by: copyJson(keeps, 'by'),
      prepare: (made) => this.#prepare(made, keeps, options.prepare),
    })
    return this.#handle(run)
  }

  #trust(wanted: Trust | undefined): Trust {
    const { environment } = this.#surroundings
    const named = environment['REFLEX_TRUST']
    return wanted ?? this.#options.trust ?? (named === undefined ? 'probationary' : readTrust(named, 'REFLEX_TRUST'))
  }

  #prepare(run: Run, keeps: Keeps, prepare: RunOptions['prepare']): void {
    this.#keeps.set(run.id, keeps)
    const handle = this.#handle(run)
    prepare?.(handle)
  }

  #handle(run: Run): RunHandle {
    let handle = this.#handles.get(run)
    if (handle === undefined) {
      handle = new RunHandle(run, new RunPrograms(this.runtime.programs, run.state))
      this.#handles.set(run, handle)
    }
    return handle
  }

  async #programOf(what: string | Workflow | Program, kind: string | undefined): Promise<{ program: Program; file?: string }> {
    if (typeof what === 'string') return this.library.load(resolve(this.#surroundings.cwd, what), kind)
    if (!isWorkflow(what)) return { program: what }
    const { id, source, def, local } = workflowProgram(what)
    return { program: this.runtime.programs.add('workflow', id, source, { def, local }) }
  }

  /** Goes on with a stored run, under what it was started with. Throws `R5001` if another process holds it. */
  async resume(ref: string, options: Pick<RunOptions, 'prepare'> = {}): Promise<RunHandle> {
    const { id } = await this.find(ref)
    await this.#findMissing(id)
    const run = await this.runtime.resume(id, {
      prepare: (opened) => this.#prepare(opened, keepsOf(opened.state, this.#surroundings), options.prepare),
    })
    return this.#handle(run)
  }

  /** A program that was missing may have been added to the folder of its caller since. */
  async #findMissing(id: string): Promise<void> {
    const { state, definitions } = await this.runtime.peek(id)
    const { file } = keepsOf(state, this.#surroundings)
    if (file === undefined) return
    for (const frame of state.frames.values())
      await this.library.resolveCalls(definitions.program(frame.pin), dirname(file), isModule(file))
  }

  /** How a run was started, for those who show it. */
  keeps(run: Run): Keeps {
    return keepsOf(run.state, this.#surroundings)
  }

  // Answering

  /** The one open question that an address names: `otter-2m9q/q1`, or a run with one question. */
  async question(address: string): Promise<OpenQuestion> {
    const slash = address.indexOf('/')
    const name = slash < 0 ? undefined : address.slice(slash + 1)
    const row = await this.find(slash < 0 ? address : address.slice(0, slash))
    const open = questionsOf(row.id, row.waits)
    if (name !== undefined) {
      const found = open.find(({ id, wait, path }) => id === `${row.id}/${name}` || wait === name || path === name)
      if (found !== undefined) return found
      throw kernelFaults.make('R2002', `${row.id} has no open question ${name}`, { run: row.id, fix: openFix(row.id, open) })
    }
    const [only] = open
    if (only !== undefined && open.length === 1) return only
    throw faults.make('R2020', `${row.id} has ${open.length === 0 ? 'no open question' : `${open.length} open questions`}`, {
      run: row.id,
      fix: openFix(row.id, open),
    })
  }

  /**
   * Records an answer, in the run if nobody else holds it, else in its inbox, and gives the run if this process
   * holds it now. It is recorded before anything goes on. With `run: false` it goes into the inbox in any case, and
   * whoever goes on with the run takes it from there.
   */
  async answer(
    address: string,
    value: unknown,
    options: { readonly by?: string; readonly run?: boolean } & Pick<RunOptions, 'prepare'> = {},
  ): Promise<{ question: OpenQuestion; record?: number; handle?: RunHandle }> {
    const question = await this.question(address)
    const answer = answerTo(question, value)
    const by = options.by ?? this.actor
    const handle = options.run === false ? undefined : await this.#resumeOrNot(question.run, options)
    if (handle !== undefined) return { question, record: await handle.answer(question, answer, by), handle }
    const message: Message = {
      id: `${question.wait}:${this.host.entropy()}`,
      type: 'answer',
      to: question.wait,
      body: answer,
      by,
      at: this.host.now(),
    }
    await this.store.post(question.run, message)
    return { question }
  }

  async #resumeOrNot(run: string, options: Pick<RunOptions, 'prepare'>): Promise<RunHandle | undefined> {
    try {
      return await this.resume(run, options)
    } catch (thrown) {
      if (isFault(thrown) && thrown.code === 'R5001') return undefined
      throw thrown
    }
  }

  // Looking

  /** A run by its id, a prefix that only it has, its trace id, or `last`. Throws `R2016`. */
  async find(ref: string): Promise<RunRow> {
    if (ref === 'last') {
      const [newest] = await this.store.runs({ limit: 1 })
      if (newest !== undefined) return newest
      throw kernelFaults.make('R2016', 'the store has no runs', { fix: 'reflex run FILE' })
    }
    const rows = ref === '' ? [] : await this.store.runs({ prefix: ref, limit: 10 })
    const [only] = rows
    const exact = rows.find(({ id }) => id === ref)
    if (exact !== undefined) return exact
    if (only !== undefined && rows.length === 1) return only
    const message = rows.length === 0 ? `no run is called ${ref}` : `${ref} begins the names of ${rows.length} runs`
    throw kernelFaults.make('R2016', message, {
      fix: rows.length === 0 ? 'reflex runs' : `name one of ${rows.map(({ id }) => id).join(', ')}`,
    })
  }

  async runs(filter: RunFilter = {}): Promise<readonly RunRow[]> {
    return this.store.runs(filter)
  }

  /** Every open question of every run, the oldest first. */
  async inbox(): Promise<OpenQuestion[]> {
    const rows = await this.store.runs({ status: ['suspended', 'running'] })
    return rows.flatMap(({ id, waits }) => questionsOf(id, waits)).sort((a, b) => a.since - b.since)
  }

  /** The whole story of a stored run. */
  async trace(ref: string): Promise<{ readonly row: RunRow; readonly lines: readonly StoryLine[]; readonly state: State }> {
    const { id } = await this.find(ref)
    const history = await this.runtime.history(id)
    return {
      row: history.row,
      state: history.state,
      lines: linesOfHistory(history, (state) => new RunPrograms(this.runtime.programs, state)),
    }
  }

  /** A stored run as it is, or as it was after record `until`. Throws `R2021` for a number that it has not. */
  async show(ref: string, until?: number): Promise<RunView> {
    const { id, last } = await this.find(ref)
    if (until !== undefined && (!Number.isInteger(until) || until < 1 || until > last)) {
      throw faults.make('R2021', `${id} has records 1 to ${last}, not ${until}`, { run: id })
    }
    return viewOf(await this.runtime.peek(id, until), until === undefined || until === last)
  }

  async close(): Promise<void> {
    await this.runtime.close()
    await this.store.close()
  }
}

function openFix(run: string, open: readonly OpenQuestion[]): string {
  return open.length === 0 ? `reflex show ${run}` : `answer one of ${open.map(({ id }) => id).join(', ')}`
}
