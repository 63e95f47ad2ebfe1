import { dirname, resolve } from 'node:path'
import {
  ANSWER_OPTIONS,
  CANCEL_OPTIONS,
  COLLECT_OPTIONS,
  EXPORT_OPTIONS,
  FILTER,
  FOLLOW_OPTIONS,
  FORGET_OPTIONS,
  FORK_OPTIONS,
  IMPORT_OPTIONS,
  LINES,
  PROGRAM,
  KIND_LIST,
  reflexForm,
  runForm,
  CAPTURED,
  IMPORT_CAPTURE_OPTIONS,
  REPLAY_CAPTURE_OPTIONS,
  REPLAY_OPTIONS,
  RESUME_OPTIONS,
  RUN_OBJECT,
  SIGNAL_OPTIONS,
  TOOL,
  TRACE_OPTIONS,
  withKinds,
  WORK_OPTIONS,
} from './arguments.ts'
import type { ExportOptions } from '../history/archive/export.ts'
import type { ForgetOptions, ForgottenRecords } from '../history/archive/forget.ts'
import type { ImportedRun, ImportOptions } from '../history/archive/import.ts'
import { assemble, type Assembly, runFolderIn } from './assembly.ts'
import type { CollectResult, CollectOptions } from '../runs/collecting.ts'
import { readAddress, readPartAddress } from '../runs/address.ts'
import { checkRecording } from '../runs/run-models.ts'
import type { ExportedTable, TableFormat } from '../history/tables/export-tables.ts'
import type { Cause } from '../history/causes.ts'
import type { ComparedAddress, Comparison } from '../history/comparing.ts'
import { faults } from '../runs/faults.ts'
import { programFaults } from '../programs/faults.ts'
import type { ForkedRun, ForkRunOptions } from './forking.ts'
import { type AnswerResult, type AnswerOptions, findQuestion } from '../runs/answering.ts'
import { type CancelResult, type CancelOptions, cancelStored } from '../runs/cancelling.ts'
import { findRecord, findRun, unusedRunName } from '../runs/find-run.ts'
import { type ListenOptions, type OpenQuestion, questionsOf, RunHandle } from '../runs/handle.ts'
import { checkAnswer, isOption } from '../runs/runtime-questions.ts'
import type { SignalOptions, SignalResult } from '../runs/signalling.ts'
import { untrustedWarning, type WrittenBy } from '../programs/written-by.ts'
import { isRunName, invalidRunName } from '../history/run-name.ts'
import { checkReason } from '../people/index.ts'
import { type Surroundings, thisProcess } from './host.ts'
import {
  type Admission,
  copyJson,
  type Fault,
  type Host,
  hostOf,
  isFault,
  type Json,
  type JsonObject,
  keptRecords,
  type InboxLimit,
  type Message,
  noRecord,
  type OpenRun,
  type Program,
  type Peek,
  readPart,
  type Rec,
  type Run,
  type RunFilter,
  type RunRow,
  type Runtime,
  segmentStart,
  type StartOptions,
  type State,
  type Store,
  toFault,
} from '../kernel/index.ts'
import { isModule, type Kinds, type ViewedPrograms } from '../programs/kinds.ts'
import type { Library } from '../programs/library.ts'
import { checkLimits, checkStarted, checkStartOptions } from './check-start-options.ts'
import type { McpServers } from '../mcp/index.ts'
import type { Models } from '../models/index.ts'
import type {
  BuiltInKinds,
  ClusterSettings,
  ReflexOptions,
  ResumeOptions,
  RunOptions,
  SharedOptions,
  SharedRunOptions,
  WorkOptions,
} from './options.ts'
import { TelemetryObserver } from '../history/telemetry/observer.ts'
import { type ProjectedSpan, projectSpans } from '../history/telemetry/spans.ts'
import { UNTRUSTED } from '../policy/label.ts'
import {
  type AgentChoice,
  type OperatorPolicy,
  readTrust,
  restrictionsOf,
  type RunLimits,
  type RunSettings,
  type Trust,
} from '../policy/index.ts'
import type { Replayed, ReplayOptions } from './replaying.ts'
import type { CaptureReplay, EventDifference } from '../programs/run-captures.ts'
import { readText } from '../programs/read-text.ts'
import type { ProgramCheck } from './replaying-check.ts'
import { beginningOf, RunFolders, startedBesides } from './run-folders.ts'
import type { CompanionFiles } from '../programs/language.ts'
import type { ComparedProgram } from './capturing.ts'
import { calledHosts } from './called-programs.ts'
import { ModelAccess } from './model-access.ts'
import { statedNeeds } from './cluster/host-words.ts'
import type { Cluster, RunPlace } from '../store/index.ts'
import { memberFaults } from './cluster/faults.ts'
import { checkPlace } from './cluster/names.ts'
import { ClusterConnection } from './cluster/open.ts'
import { inQueue, requireQueues } from './cluster/queues.ts'
import { chosenOptions, companionsOf, isLinted, keptOptions, optionsOfKind } from './kind-options.ts'
import { checkModules } from './install-kinds.ts'
import { HOUSE_PORTS } from './world.ts'
import type { KindModules, ProgramValue, RunOptionsByKind } from './options-by-kind.ts'
import { KINDS } from './kinds.ts'
import { exportedTools } from './exported-tools.ts'
import type { Tool, Tools } from '../tools/index.ts'
import { ledgerPlace } from '../tools/capability.ts'
import { realPath } from '../tools/paths.ts'
import type { TracedRun, TraceOptions } from '../history/trace-of.ts'
import { forksOnBoard, type RunView, viewOf } from '../runs/view.ts'
import { checkArguments, type Form, listOf, OBJECT, oneOf, optional, TEXT } from '../text/index.ts'
import type { UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'

/** The characters of a file that show its format. */
const CAPTURE_BEGINNING = 4_000_000
/** The hexadecimal digits of a fingerprint. */
const FINGERPRINT_DIGITS = 16

/** The options of an import of a capture. */
export interface ImportCaptureOptions {
  /** The file of the program of the capture. */
  readonly against: string
  /** The name of the run here. Default: a new one. */
  readonly id?: string | undefined
}

/** The options of a strict replay. */
export interface ReplayCaptureOptions {
  /** The file of the program; for a stored run, default: its own program. */
  readonly against?: string | undefined
  /** True to report every difference. Later ones may be consequences of the first. */
  readonly all?: boolean | undefined
}

/** The front object: runs, answers and shows programs of every kind, over one store. All defaults are set here. */
export class Reflex<const Modules extends KindModules = BuiltInKinds> {
  readonly workdir: string
  /** The folder with the store and the run folders. */
  readonly home: string
  readonly #assembly: Assembly
  readonly #options: SharedOptions
  readonly #modules: KindModules
  readonly #runForm: Form
  readonly #surroundings: Surroundings
  readonly #handles = new WeakMap<Run<RunSettings>, RunHandle>()
  readonly #folders: RunFolders
  readonly #observing: TelemetryObserver
  readonly #cluster: ClusterConnection
  /** Aborted by `close`, which waits for the workers. */
  readonly #closing = new AbortController()
  readonly #workers = new Set<Promise<void>>()
  readonly #openings = new Set<(run: Run<RunSettings>) => void>()

  constructor(options: ReflexOptions<Modules> = {}) {
    const modules: KindModules = options.kinds ?? KINDS
    checkArguments('new Reflex', { kinds: [modules, KIND_LIST] })
    checkModules(modules, HOUSE_PORTS)
    checkArguments('new Reflex', { options: [options, reflexForm(modules)] })
    this.#modules = modules
    this.#runForm = runForm(modules)
    this.#options = options
    this.#surroundings = options.surroundings ?? thisProcess()
    this.#assembly = assemble(options, modules, this.#surroundings)
    this.workdir = this.#assembly.workdir
    this.home = this.#assembly.home
    this.#folders = new RunFolders({
      kinds: this.#assembly.kinds,
      runtime: this.#assembly.runtime,
      onTrouble: (fault) => options.onTrouble?.(fault),
    })
    const { store } = this.#assembly
    const { host, clusters, environment } = this.#surroundings
    const address = options.store ?? environment['REFLEX_STORE']
    const place = { host, clusters, storeName: store.name, address: typeof address === 'string' ? address : undefined }
    this.#cluster = new ClusterConnection(place, () => this.runtime.register())
    this.#observing = new TelemetryObserver(
      { store, programsOf: (state) => this.programsOf(state), onTrouble: (fault) => options.onTrouble?.(fault) },
      options.observe,
    )
  }

  get store(): Store {
    return this.#assembly.store
  }

  /** True if this object created the store. */
  get isNew(): boolean {
    return this.#assembly.isNew
  }

  get runtime(): Runtime<RunSettings> {
    return this.#assembly.runtime
  }

  get kinds(): Kinds {
    return this.#assembly.kinds
  }

  /** Returns the programs of a run, with the views of their kinds. */
  programsOf(state: State): ViewedPrograms {
    return this.kinds.programsOf(this.runtime.programs, state)
  }

  get library(): Library {
    return this.#assembly.library
  }

  get tools(): Tools {
    return this.#assembly.tools
  }

  /** The MCP servers whose tools programs call as `mcp.SERVER.TOOL`. */
  get servers(): McpServers {
    return this.#assembly.servers
  }

  get models(): Models {
    return this.#assembly.models
  }

  /** The providers and names of models that this process can ask. No model is asked to find out. */
  get modelAccess(): ModelAccess {
    const { model, models = {}, fallback = [] } = this.#options
    const defaultName = this.models.name()
    return new ModelAccess({
      names: ['simulated', ...Object.keys(models), ...(typeof model === 'object' && defaultName !== undefined ? [defaultName] : [])],
      fallback,
      environment: this.#surroundings.environment,
      defaultName,
      problem: (name) => this.#assembly.modelProblem(name),
    })
  }

  /** The fingerprint of the secret of this user: equal on machines that have the same secret. The secret cannot be found from it. */
  get secretFingerprint(): string | undefined {
    return this.#surroundings.seal?.('fingerprint of the secret of a worker')?.slice(0, FINGERPRINT_DIGITS)
  }

  get policy(): OperatorPolicy {
    return this.#assembly.policy
  }

  get host(): Host {
    return this.#surroundings.host
  }

  get actor(): string {
    return this.#options.actor ?? this.#surroundings.actor
  }

  /** Returns the run's own folder, the only one that an untrusted run may write to. */
  runFolder(run: string): string {
    checkArguments('runFolder', { run: [run, TEXT] })
    return runFolderIn(this.home, run)
  }

  // Running

  /**
   * Starts a run of a file, a folder, a workflow object or a pipeline graph. Resolves when the run is idle. For an object made
   * by `workflow`, the handle is typed, and the workflows that it calls are added.
   */
  async run<Types extends WorkflowTypes = UnknownTypes>(
    what: string | ProgramValue<Modules, Types> | Program,
    options: RunOptions<Types, Modules> = {},
  ): Promise<RunHandle<Types>> {
    const handle = await this.start(what, options)
    await handle.idle()
    return handle
  }

  /**
   * Starts a run and resolves at once. Throws the faults of loading, `R2031` for options without effect, and `R5007` if the id
   * is taken.
   */
  async start<Types extends WorkflowTypes = UnknownTypes>(
    what: string | ProgramValue<Modules, Types> | Program,
    options: RunOptions<Types, Modules> = {},
  ): Promise<RunHandle<Types>> {
    checkArguments('run', { program: [what, PROGRAM], options: [options, this.#runForm] })
    if (options.id !== undefined && !isRunName(options.id)) throw invalidRunName(options.id)
    if (options.limits !== undefined) checkLimits(options.limits)
    const place = this.#placeOf(options)
    if (options.agentId?.trim() === '')
      throw faults.make('R2031', 'the agent of the run has no name', { fix: 'write --agent-id NAME, or leave it out' })
    const tools = options.tools?.map((module) => resolve(this.#surroundings.cwd, module)) ?? []
    await this.useTools(tools, options.trust)
    const chosen = chosenOptions(this.#modules, options)
    const here = { cwd: this.#surroundings.cwd, workdir: this.workdir }
    const companions = companionsOf(chosen, here)
    for (const named of Object.values(companions)) await this.library.rejectWritten(named, options.trust)
    const { program, file, written } = await this.#programOf(what, options, { validate: isLinted(chosen), companions })
    // The trust of this object applies to files of its user. For a file that a run wrote, only a level given for this run
    // counts.
    const isLowered = written !== undefined && options.trust === undefined
    if (isLowered) this.#options.onTrouble?.(untrustedWarning(file ?? '', written))
    checkStartOptions(this.runtime.programs, this.kinds, program, { chosen, agent: options.agent })
    // A program in a module may export its tools.
    if (file !== undefined && isModule(file) && (await this.#addTools(file, options.trust)) > 0) tools.push(file)
    const agent = this.#agentChoice(options)
    // A recording and a checkpoint both state what happened: that a gate was passed, that a model gave an answer.
    const { recorded } = options
    if (recorded !== undefined) await this.library.rejectWritten(resolve(this.#surroundings.cwd, recorded), options.trust)
    // The runtime writes such files itself; a signature proves which ones are its own.
    for (const { option, value } of chosen) {
      const isProved = option.provedBy === undefined || chosen.some(({ name }) => name === option.provedBy)
      if (!isProved) await this.library.rejectWritten(resolve(this.#surroundings.cwd, String(value)), options.trust, 'tools')
    }
    if (options.simulate !== true) this.#checkChoice(agent)
    const places = here
    const { limits: ownLimits, ...kept } = keptOptions(chosen, places)
    const limits = { ...options.limits, ...(ownLimits as RunLimits | undefined) }
    const restrictions = restrictionsOf(this.#options.policy ?? [], options.agentId)
    const settings: Omit<RunSettings, 'folder'> = {
      actor: options.by ?? this.actor,
      trust: isLowered ? 'untrusted' : this.#trustOf(options.trust),
      workdir: this.workdir,
      ...(file === undefined ? {} : { file }),
      ...(agent === undefined ? {} : { agent }),
      ...(options.agentId === undefined ? {} : { agentId: options.agentId }),
      ...(restrictions === undefined ? {} : { restrictions }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(options.limits === undefined && ownLimits === undefined ? {} : { limits }),
      simulated: options.simulate === true,
      ...kept,
    }
    if (settings.logs?.folder !== undefined)
      await this.#assembly.labels.add(
        { path: ledgerPlace(realPath(settings.logs.folder)), logs: true, label: UNTRUSTED },
        `logs ${settings.logs.folder}`,
      )
    const accepted = this.kinds.inputs(program, (options.input ?? {}) as JsonObject, options.texts)
    const outside = options.outside === true ? await this.#outsideInputs(program, accepted, options.id) : undefined
    const input = {
      ...accepted,
      ...outside?.labels,
      ...beginningOf(this.kinds, program, optionsOfKind(chosen, program.kind, places), { ...settings, input: accepted }),
    }
    const besides = startedBesides(this.kinds, program.kind, input)
    if (file !== undefined && besides.length > 0)
      await this.library.resolveCalls(program, dirname(file), { modules: isModule(file), besides })
    checkStarted(this.runtime.programs, program, besides)
    const { kinds, library, runtime } = this
    const hosts = await calledHosts({ kinds, library, programs: runtime.programs }, program, { besides, trust: options.trust })
    const start: StartOptions<RunSettings> = {
      ...(Object.keys(input).length === 0 ? {} : { args: input }),
      hosts,
      ...(outside === undefined ? (options.id === undefined ? {} : { id: options.id }) : { id: outside.id }),
      settings: ({ id }) => ({ ...settings, folder: this.runFolder(id) }),
    }
    // Code of this process drives a run of a hosted kind.
    const handle =
      place === undefined || this.kinds.isHosted(program.kind)
        ? this.#handle(await runtime.start(program, { ...start, prepare: (made) => this.#prepare(made, options.prepare, program.kind) }))
        : await this.#startElsewhere(program, start, place, options.prepare)
    return handle as RunHandle<WorkflowTypes> as RunHandle<Types>
  }

  /** Stores a run, and leaves it to the workers of the cluster. */
  async #startElsewhere(
    program: Program,
    start: StartOptions<RunSettings>,
    place: RunPlace,
    prepare: SharedRunOptions['prepare'],
  ): Promise<RunHandle> {
    const cluster = await this.cluster()
    const stated = statedNeeds(this.kinds, this.runtime.programs.closure(program))
    const needs = [...new Set([...(place.needs ?? []), ...stated])].sort()
    const whole = needs.length === 0 ? place : { ...place, needs }
    const { id, settings } = await this.runtime.start(program, {
      ...start,
      handOver: (run) => inQueue(cluster, place.queue, () => cluster.enlist(run, whole)),
    })
    const followed = this.runtime.follow(id, settings)
    const handle = new RunHandle(followed, this.programsOf(followed.state))
    prepare?.(handle)
    await followed.look()
    return handle
  }

  /** Returns the place of a run among those of the cluster; undefined without one. Throws `R5142` and `R5110`. */
  #placeOf({ queue, tenant, priority, needs }: Pick<SharedRunOptions, keyof RunPlace>): RunPlace | undefined {
    const place = { queue, tenant, priority, needs }
    if (this.clusterSettings !== undefined) return checkPlace(place)
    const [named] = Object.entries(place).find(([, value]) => value !== undefined) ?? []
    if (named === undefined) return undefined
    throw memberFaults.make('R5142', `${named} has no effect without a cluster: this process carries its runs on itself`)
  }

  /** The settings with which this process joins its cluster; undefined if it carries its runs on by itself. */
  get clusterSettings(): ClusterSettings | undefined {
    const { cluster } = this.#options
    return cluster === true ? {} : cluster
  }

  /** Opens the cluster of the store, also for an object that does not use it for its runs. Throws `R5140`, `R5141` and the faults of the package. */
  cluster(): Promise<Cluster> {
    return this.#cluster.open()
  }

  /** Throws `R5106` for a queue that the cluster of the store does not have. Accepts any for a store without a cluster: it may get one. */
  async requireQueue(name: string): Promise<void> {
    checkArguments('requireQueue', { name: [name, TEXT] })
    await this.useCluster((cluster) => requireQueues(cluster, [name]))
  }

  /** Uses the cluster of the store if it has one, and changes nothing; undefined otherwise. Throws the faults of the package. */
  useCluster<T>(work: (cluster: Cluster) => Promise<T>): Promise<T | undefined> {
    return this.#cluster.use(work)
  }

  /**
   * Labels the inputs of a run as text from outside, before the run begins: in its arguments where its kind keeps labels, and as text that
   * its programs without labels have read. Returns the name of the run, which the label needs.
   */
  async #outsideInputs(program: Program, accepted: JsonObject, wanted?: string): Promise<{ id: string; labels: JsonObject }> {
    const id = wanted ?? (await unusedRunName(this))
    await this.#labelOutside(id, 'input')
    return { id, labels: this.kinds.outside(program, accepted) }
  }

  /** Stores that the programs of a run that keep no labels read text from outside. Once for each source: the label stays. */
  async #labelOutside(run: string, from: 'input' | 'answer' | 'signal'): Promise<void> {
    await this.#assembly.labels.add({ run, seen: true, label: { ...UNTRUSTED, from } }, `${run} ${from}s`)
  }

  /** Refuses an unreadable recording and an unknown model before a run starts. */
  #checkChoice({ model, recorded }: AgentChoice = {}): void {
    if (recorded !== undefined) return checkRecording(recorded)
    const problem = model === undefined ? undefined : this.#assembly.modelProblem(model)
    if (problem !== undefined) throw problem
  }

  /** Returns the agent and the model of decisions for which the program names none. */
  #agentChoice({
    agent = this.#options.agent,
    model,
    recorded,
  }: Pick<SharedRunOptions, 'agent' | 'model' | 'recorded'>): AgentChoice | undefined {
    if (model === undefined && recorded === undefined) return agent
    return {
      ...agent,
      ...(model === undefined ? {} : { model }),
      ...(recorded === undefined ? {} : { recorded: resolve(this.#surroundings.cwd, recorded) }),
    }
  }

  /**
   * Imports modules of tools, which programs may call from then on. A named module is allowed. Throws `R1026`, and `R1097` for
   * a module that a run wrote, below the level `trusted`.
   */
  async useTools(modules: readonly string[], trust?: Trust): Promise<void> {
    checkArguments('useTools', { modules: [modules, listOf(TEXT)] })
    for (const module of modules) {
      const file = resolve(this.#surroundings.cwd, module)
      if ((await this.#addTools(file, trust)) === 0)
        throw faults.make('R1026', `${module} exports no tools`, { file, fix: "export what defineTool of 'reflex-runtime/tools' gives" })
    }
  }

  /** Limits the calls of models (`model:PROVIDER`) and tools (`tool:NAME`) that begin from now on; undefined: none waits. */
  limitCalls(admission: Admission | undefined): void {
    this.runtime.admission = admission
  }

  /** Allows programs to call a tool of this process. Throws `R4101` if another tool has its name. */
  addTool(tool: Tool): void {
    checkArguments('addTool', { tool: [tool, TOOL] })
    this.#assembly.allowTool(tool)
  }

  /** Returns the options of this object for a kind; undefined if it has none. */
  optionsOf(kind: string): unknown {
    checkArguments('optionsOf', { kind: [kind, TEXT] })
    return Reflect.get(this.#options, kind)
  }

  /** Returns the hash of a value under a key of this user, as 64 hexadecimal digits: nobody else can find the value by trying. */
  contentDigest(value: Json): string {
    return this.#assembly.digestOf(copyJson(value, 'contentDigest'))
  }

  /** Returns a variable of the environment; undefined for one that is not set. */
  variable(name: string): string | undefined {
    checkArguments('variable', { name: [name, TEXT] })
    return this.#surroundings.environment[name]
  }

  /** Reports a fault that stops nothing, as the faults of runs are reported. */
  report(fault: Fault): void {
    this.#options.onTrouble?.(fault)
  }

  /** Allows programs to call the tools of a module. Returns the number of tools. */
  async #addTools(file: string, trust?: Trust): Promise<number> {
    await this.library.rejectWritten(file, trust)
    const tools = await exportedTools(file, this.host)
    for (const tool of tools) this.#assembly.allowTool(tool)
    return tools.length
  }

  #trustOf(wanted: Trust | undefined): Trust {
    const { environment } = this.#surroundings
    const named = environment['REFLEX_TRUST']
    return wanted ?? this.#options.trust ?? (named === undefined ? 'probationary' : readTrust(named, 'REFLEX_TRUST'))
  }

  /**
   * Calls a function for each run that this object starts or opens, before it continues. Returns a function that ends this. What the
   * function throws fails the start.
   */
  onOpen(listener: (run: Run<RunSettings>) => void): () => void {
    this.#openings.add(listener)
    return () => void this.#openings.delete(listener)
  }

  #prepare(run: Run<RunSettings>, prepare: SharedRunOptions['prepare'], kind = run.state.start?.pins[0]?.[1]): void {
    this.#folders.follow(run, kind)
    this.#observing.follow(run)
    for (const listener of this.#openings) listener(run)
    const handle = this.#handle(run)
    prepare?.(handle)
  }

  #handle(run: Run<RunSettings>): RunHandle {
    let handle = this.#handles.get(run)
    if (handle === undefined) {
      handle = new RunHandle(run, this.programsOf(run.state))
      this.#handles.set(run, handle)
    }
    return handle
  }

  async #programOf(
    what: string | object,
    { kind, trust }: Pick<SharedRunOptions, 'kind' | 'trust'>,
    { validate, companions }: { readonly validate: boolean; readonly companions: CompanionFiles },
  ): Promise<{ program: Program; file?: string; written?: WrittenBy }> {
    if (typeof what === 'string') {
      const program = this.#isName(what) ? await this.library.named(what, this.workdir) : undefined
      return program === undefined
        ? this.library.load(resolve(this.#surroundings.cwd, what), kind, validate, { trust, companions })
        : { program }
    }
    if (isProgram(what)) return { program: what }
    const accepted = await this.library.accept(what, validate)
    if (accepted !== undefined) return { program: accepted }
    throw programFaults.make('R1021', 'the value to run is not a program', {
      fix: 'give a path, a program, or what a module of programs exports',
    })
  }

  /** True for `kind:name`, which names a program of the work folder, of a program folder or of the store. */
  #isName(what: string): boolean {
    const colon = what.indexOf(':')
    return colon > 0 && this.kinds.names.includes(what.slice(0, colon))
  }

  /**
   * Resumes a stored run with the settings of its start. Agent and model can be replaced for this resume. Throws `R5001` if
   * another process owns the run.
   */
  async resume(ref: string, options: ResumeOptions = {}): Promise<RunHandle> {
    checkArguments('resume', { run: [ref, TEXT], options: [options, RESUME_OPTIONS] })
    const stored = await this.#peek(ref)
    await this.#findMissing(stored)
    options.inspect?.(stored)
    return this.#open(stored.row.id, options, stored)
  }

  /**
   * Follows a stored run that another process carries on, such as a worker of the cluster: its handle shows each record from now on, and
   * sends answers, messages and cancellations. Returns the handle of a run that this process holds. Close the handle. Throws `R2016`.
   */
  async follow(ref: string, options: ListenOptions = {}): Promise<RunHandle> {
    checkArguments('follow', { run: [ref, TEXT], options: [options, FOLLOW_OPTIONS] })
    const { prepare } = options
    const { id } = await this.find(ref)
    const open = this.runtime.openRuns.get(id)
    if (open !== undefined) {
      const held = this.#handle(open)
      prepare?.(held)
      return held
    }
    const followed = await this.runtime.followStored(id)
    const handle = new RunHandle(followed, this.programsOf(followed.state))
    prepare?.(handle)
    await followed.look()
    return handle
  }

  /** True if this process may open a run to act on it: it holds the run, or no cluster carries it on. */
  mayOpen(run: string): boolean {
    checkArguments('mayOpen', { run: [run, TEXT] })
    return this.clusterSettings === undefined || this.runtime.openRuns.has(run)
  }

  async #open(id: string, options: ResumeOptions, stored?: Peek): Promise<RunHandle> {
    const run = await this.runtime.resume(id, {
      actor: this.actor,
      stored,
      settings: (settings) => this.#settingsForResume(settings, options),
      prepare: (opened) => this.#prepare(opened, options.prepare),
    })
    return this.#handle(run)
  }

  #settingsForResume(settings: RunSettings, options: ResumeOptions): RunSettings {
    const agent = this.#agentChoice({ ...options, agent: { ...settings.agent, ...options.agent } })
    return agent === undefined ? settings : { ...settings, agent }
  }

  /** Reads a stored run. A whole name is not looked up first. Throws as `find`, and for a run that cannot have been started here. */
  async #peek(ref: string): Promise<Peek> {
    const exact = await this.runtime.peek(ref).catch((thrown: unknown) => {
      if (isFault(thrown) && (thrown.code === 'R2016' || thrown.code === 'R5010')) return undefined
      throw thrown
    })
    const stored = exact ?? (await this.runtime.peek((await this.find(ref)).id))
    if (!isRunName(stored.row.id)) throw invalidRunName(stored.row.id)
    return stored
  }

  async #loadMissing(id: string): Promise<void> {
    await this.#findMissing(await this.runtime.peek(id))
  }

  /** Loads the dependencies of a run by name: its tools, and programs that may have been added to the folder of their caller. */
  async #findMissing({ state, definitions }: Peek): Promise<void> {
    const { file, tools, trust } = this.runtime.settingsOf(state)
    await this.useTools(tools ?? [], trust)
    if (file === undefined) return
    for (const frame of state.frames.values()) {
      const program = definitions.program(frame.pin)
      const input = frame.link === undefined ? frame.args : hostOf(state, frame.pin)
      const besides = startedBesides(this.kinds, program.kind, input)
      await this.library.resolveCalls(program, dirname(file), { modules: isModule(file), besides })
    }
  }

  /**
   * Carries on the runs that are due, also those that other processes have started, until `signal` aborts or this object is closed. With the
   * option `cluster`, joins the cluster and takes turns, with the queues, slots and words of that option. Resolves when its runs are released:
   * effects under way have `grace` milliseconds, and what is not settled then is carried on by another worker, as after a crash. Nothing is
   * cancelled. A failure of one run, or of the store for a while, goes to `onEvent` and does not end the work. The times of schedules are left to
   * `reflex worker` and `reflex serve`. With `cluster`, throws as `cluster`, `R5104` for a second worker in this process, `R5105`, `R5106`,
   * `R5110`, `R5101` if the database was away at the end, and `R5112` if a run has not ended half a minute after the grace.
   */
  async work(options: WorkOptions = {}): Promise<void> {
    checkArguments('work', { options: [options, WORK_OPTIONS] })
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])])
    const working = this.#workUntil({ ...options, signal })
    this.#workers.add(working)
    await working.finally(() => this.#workers.delete(working))
  }

  async #workUntil(options: WorkOptions & { readonly signal: AbortSignal }): Promise<void> {
    if (this.clusterSettings !== undefined) return (await import('./cluster/work.ts')).workInCluster(this, options)
    return (await import('./worker.ts')).work(this, options)
  }

  /** Returns the limits of an open run: those of its start and those added since. */
  limits(run: OpenRun<RunSettings>): RunLimits | undefined {
    checkArguments('limits', { run: [run, RUN_OBJECT] })
    const { limits } = run.settings
    return limits === undefined ? undefined : { ...limits, ...run.state.meter.limits }
  }

  // Answering

  /** Returns the open question at an address: `otter-2m9q/q1`, or a run with one question. Throws `R2002`, `R2016` and `R2020`. */
  async question(address: string): Promise<OpenQuestion> {
    checkArguments('question', { address: [address, TEXT] })
    return findQuestion(this, address)
  }

  /**
   * Records an answer before the run continues. If this process can own the run, the answer is recorded in the run and the
   * result has its handle. Otherwise, with `run: false`, and for a run that only its host can continue, the answer is added to
   * the inbox; the process that continues the run reads it. `message` is its name in the inbox. Throws `R4200` and `R4201` for an answer or a reason that the question does not allow.
   */
  async answer(address: string, value: unknown, options: AnswerOptions = {}): Promise<AnswerResult> {
    checkArguments('answer', { address: [address, TEXT], options: [options, ANSWER_OPTIONS] })
    const question = await this.question(address)
    const answer = checkAnswer(question, value)
    const { by = this.actor, reason } = options
    checkReason(reason)
    if (options.outside === true && !isOption(question, answer)) await this.#labelOutside(question.run, 'answer')
    const isPosted = options.run === false || (await this.#isDrivenElsewhere(question.run))
    const handle = isPosted ? undefined : await this.#openHere(question.run, () => this.resume(question.run, prepareOf(options)))
    if (handle !== undefined) return { question, record: await handle.answer(question, answer, by, reason), handle }
    const given = { type: 'answer', to: question.wait, body: answer, by, ...(reason === undefined ? {} : { reason }) } as const
    return { question, message: await this.#post(question.run, given) }
  }

  /**
   * Cancels a run: every program of it is notified, the innermost first, and may run compensation steps; then the run ends as
   * cancelled. Effects in flight are aborted and not performed again; those that may have happened are listed. If another
   * process owns the run, a request is added to the inbox. That process reads it within a second, also while an effect is in
   * flight; this call waits at most ten seconds for the result. Throws `R2016`, and `R2001` for a run that has ended.
   */
  async cancel(ref: string, options: CancelOptions = {}): Promise<CancelResult> {
    checkArguments('cancel', { run: [ref, TEXT], options: [options, CANCEL_OPTIONS] })
    const row = await this.find(ref)
    if (!isRunName(row.id)) throw invalidRunName(row.id)
    // A run can be cancelled without its tools: a compensation step that needs one fails by itself.
    await this.#loadMissing(row.id).catch((thrown: unknown) => {
      this.#options.onTrouble?.(toFault(thrown, missingFault))
    })
    const { store, runtime, host, actor } = this
    const world = {
      store,
      runtime,
      host,
      actor,
      programsOf: (state: State) => this.programsOf(state),
      open: (run: string, prepare: (handle: RunHandle) => void) => this.#openHere(run, () => this.#open(run, { prepare })),
      post: (run: string, message: Pick<Message, 'type' | 'to' | 'body' | 'by'>) => this.#post(run, message),
    }
    return cancelStored(world, row, options)
  }

  /**
   * Sends a message by topic: the first open wait for that topic takes it, or otherwise the next one. Resumes the run if this
   * process can own it, and returns its handle. If another process owns the run, and with `run: false`, the message is added to
   * the inbox. Throws `R2016`, `R2001` for a run that has ended, and `R2130` for an event if too many wait.
   */
  async signal(ref: string, topic: string, value: unknown = null, options: SignalOptions = {}): Promise<SignalResult> {
    checkArguments('signal', { run: [ref, TEXT], topic: [topic, TEXT], options: [options, SIGNAL_OPTIONS] })
    const { id: run, program } = await this.find(ref)
    const by = options.by ?? this.actor
    const body = copyJson(value, 'signal')
    if (options.outside === true) await this.#labelOutside(run, 'signal')
    const { topics, mostEvents: most } = (await this.kinds.load(program[1]))?.live ?? {}
    const limit = most === undefined || topics?.event !== topic ? undefined : { most }
    if (options.id !== undefined) await this.#post(run, { type: 'message', to: topic, body, by }, limit, options.id)
    const handle = options.run === false ? undefined : await this.#openHere(run, () => this.resume(run, prepareOf(options)))
    if (options.id !== undefined) return { run, topic, message: options.id, ...(handle === undefined ? {} : { handle }) }
    if (handle === undefined) return { run, topic, message: await this.#post(run, { type: 'message', to: topic, body, by }, limit) }
    await handle.run.message(topic, body, { by, ...(limit === undefined ? {} : { limit }) })
    return { run, topic, handle }
  }

  /** True for a run that only its host can continue, and that is not open in this process: this one can add to its inbox. */
  async #isDrivenElsewhere(run: string): Promise<boolean> {
    const { program } = await this.find(run)
    return this.kinds.isHosted(program[1]) && !this.runtime.openRuns.has(run)
  }

  /** Returns the run that is opened; undefined if another process owns it, or the cluster carries it on. */
  async #openHere(run: string, open: () => Promise<RunHandle>): Promise<RunHandle | undefined> {
    if (!this.mayOpen(run)) return undefined
    try {
      return await open()
    } catch (thrown) {
      if (isFault(thrown) && thrown.code === 'R5001') return undefined
      throw thrown
    }
  }

  /** Adds a message to the inbox of a run of another process. Returns its name in the inbox. */
  async #post(run: string, { body, reason, ...message }: Omit<Message, 'id' | 'at'>, limit?: InboxLimit, known?: string): Promise<string> {
    const { redaction } = this.#assembly
    const id = known ?? (message.type === 'answer' ? `${message.to}:${this.host.entropy()}` : this.host.entropy())
    const why = reason === undefined ? {} : { reason: redaction.text(reason) }
    await this.store.post(run, { ...message, ...why, id, body: redaction.value(body), at: this.host.now() }, limit)
    return id
  }

  // Looking

  /** Returns a run by its id, a unique prefix of it, its trace id, or `last`. Throws `R2016`. */
  async find(ref: string): Promise<RunRow> {
    checkArguments('find', { run: [ref, TEXT] })
    return findRun(this.store, ref)
  }

  async runs(filter: RunFilter = {}): Promise<readonly RunRow[]> {
    checkArguments('runs', { filter: [filter, FILTER] })
    return this.store.runs(filter)
  }

  /** Returns all open questions of all runs, the oldest first. */
  async inbox(): Promise<OpenQuestion[]> {
    const rows = await this.store.runs({ status: ['suspended', 'running'] })
    return rows.flatMap(({ id, waits, program }) => questionsOf(id, waits, program)).sort((a, b) => a.since - b.since)
  }

  /**
   * Returns the story of a stored run, complete or up to a record, `otter-2m9q@21`. With `from` or `tail`, only its end is read. Throws
   * `R2016`, `R2021` for an unknown record, and `R5054` if `from` is no longer in the store; without `from`, the story then begins with the
   * first record that is.
   */
  async trace(address: string, options: TraceOptions = {}): Promise<TracedRun> {
    checkArguments('trace', { address: [address, TEXT], options: [options, TRACE_OPTIONS] })
    const { ref, at } = readAddress(address)
    const row = await findRecord(this.store, ref, at)
    const { from, tail } = options
    if (from !== undefined) await findRecord(this.store, row.id, from)
    if (tail !== undefined && (!Number.isInteger(tail) || tail < 1))
      throw faults.make('R2031', `the tail of a trace is a number of records, not ${tail}`, { fix: 'write --tail 20' })
    if (from !== undefined && tail !== undefined)
      throw faults.make('R2031', 'a trace has either a first record or a number of records at its end', { fix: 'write --from or --tail' })
    const { traceOf } = await import('../history/trace-of.ts')
    return traceOf(this, row, at ?? row.last, options)
  }

  /** Returns a view of a stored run as it is now, or after a record, `otter-2m9q@21`. Throws `R2016`, and `R2021` for an unknown record. */
  async show(address: string): Promise<RunView> {
    checkArguments('show', { address: [address, TEXT] })
    const { ref, at } = readAddress(address)
    const { id, last } = await findRecord(this.store, ref, at)
    const peek = await this.runtime.peek(id, at)
    return viewOf(
      { ...peek, definitions: this.programsOf(peek.state) },
      {
        newest: at === undefined || at === last,
        inbox: await this.store.inbox(id),
        forks: await forksOnBoard(this.store, peek.state),
        segments: await this.store.segments(id),
      },
    )
  }

  // Going back

  /**
   * Creates a run that shares the history of another run up to a record, `otter-2m9q@21`, regardless of the owner of that run.
   * It performs nothing until it is resumed. It has the permissions of its source, and its own folder and effect keys. Throws
   * `R2060` to `R2064` if this fork is impossible, with the records at which a fork is possible; then nothing is created.
   */
  async fork(address: string, options: ForkRunOptions = {}): Promise<ForkedRun> {
    checkArguments('fork', { address: [address, TEXT], options: [options, FORK_OPTIONS] })
    if (options.id !== undefined && !isRunName(options.id)) throw invalidRunName(options.id)
    const { ref, at } = readAddress(address)
    const { id } = await this.find(ref)
    // The declarations of its tools determine where it can be forked.
    await this.#loadMissing(id)
    const { runtime, store, actor } = this
    const { forkStored } = await import('./forking.ts')
    const programsOf = (state: State): ViewedPrograms => this.programsOf(state)
    return forkStored({ runtime, store, actor, labels: this.#assembly.labels, programsOf }, id, at, options)
  }

  /**
   * Explains a value on the board of a run, a decision of a node, or a record (`@21`): follows the journal back to the input,
   * answer or decision that caused it. Of a kind that does several things in one record, it explains each: `what` names a part, such as the
   * episode `E554` of a graph, and `node` a node in it; for `otter-2m9q@21.3`, the third part of a record, `what` is the node. Performs
   * nothing. Throws `R2065` if the run does not have it, and `R2031` if nothing is named.
   */
  async why(address: string, what?: string, node?: string): Promise<Cause> {
    checkArguments('why', { address: [address, TEXT], what: [what, optional(TEXT)], node: [node, optional(TEXT)] })
    const { ref, at, part: inside } = readPartAddress(address)
    const row = await findRecord(this.store, ref, at)
    const { id: run, last } = row
    // After it, the programs of all pins are known.
    const { state } = await this.runtime.peek(run)
    const { causeInside, isPartName } = await import('../history/inside.ts')
    const isNamed = what !== undefined && (node !== undefined || isPartName(this.programsOf(state), state, what))
    const place = at !== undefined && inside !== undefined ? { record: at, part: inside } : isNamed ? what : undefined
    if (place !== undefined) return causeInside(this, row, at ?? last, { place, node: inside === undefined ? node : what })
    if (what === undefined)
      throw faults.make('R2031', `why ${address} has no name of what to explain`, { fix: `write why ${address} NAME` })
    const { causeOfRun, explainedRecord } = await import('../history/causes.ts')
    const record = explainedRecord(what)
    if (record !== undefined && (record < 1 || record > (at ?? last))) throw noRecord(run, at ?? last, record)
    // Later records cannot be causes.
    const until = record ?? at ?? last
    const part = await readPart(this.store, run, await segmentStart(this.store, run, until), until)
    const records: Rec[] = []
    for await (const [, one] of part.records()) records.push(one)
    return causeOfRun({ run, records, opening: () => part.opening(), definitionsFor: (state) => this.programsOf(state) }, what)
  }

  /** Returns the differences between two runs, or between two records of one run: `otter-2m9q@21`. Throws `R2021` for an unknown record. */
  async diff(one: string, other: string): Promise<Comparison> {
    checkArguments('diff', { one: [one, TEXT], other: [other, TEXT] })
    const { compareRuns } = await import('../history/comparing.ts')
    return compareRuns(this, await this.#compared(one), await this.#compared(other))
  }

  /**
   * Returns the events of a file, one JSON value on each line, at which two versions of a program give other results. Each version keeps its own
   * state, so a difference may be a consequence of an earlier one. Performs nothing. Throws the faults of loading, and `R2031` for a kind
   * whose programs take no events.
   */
  async diffOver(
    one: string,
    other: string,
    events: string,
    options: RunOptionsByKind<Modules> = {},
  ): Promise<{ readonly events: number; readonly differences: readonly EventDifference[] }> {
    const form = withKinds(this.#modules, {})
    checkArguments('diffOver', { one: [one, TEXT], other: [other, TEXT], events: [events, TEXT], options: [options, form] })
    const { compareOver } = await import('./capturing.ts')
    const load = async (file: string): Promise<ComparedProgram> => this.named(file, options)
    return compareOver(this.kinds, await load(one), await load(other), readText(resolve(this.#surroundings.cwd, events)))
  }

  /**
   * Loads the program of a file for a command that runs nothing, as a run with these options would. Throws the faults of loading, `R2031` for
   * an option of another kind, and `R1097` for a file that a run wrote.
   */
  async named(
    file: string,
    options: RunOptionsByKind<Modules>,
    reading: { readonly kind?: string | undefined; readonly lint?: boolean } = {},
  ): Promise<ComparedProgram & { readonly program: Program }> {
    checkArguments('named', { file: [file, TEXT], options: [options, OBJECT], reading: [reading, OBJECT] })
    return this.#named(file, options, reading)
  }

  async #named(
    file: string,
    options: object,
    { kind, lint = true }: { readonly kind?: string | undefined; readonly lint?: boolean } = {},
  ): Promise<ComparedProgram & { readonly program: Program }> {
    const places = { cwd: this.#surroundings.cwd, workdir: this.workdir }
    const chosen = chosenOptions(this.#modules, options)
    const companions = companionsOf(chosen, places)
    for (const companion of Object.values(companions)) await this.library.rejectWritten(companion)
    const loaded = await this.library.load(resolve(places.cwd, file), kind, lint, { companions })
    const { program } = loaded
    checkStartOptions(this.runtime.programs, this.kinds, program, { chosen, agent: undefined })
    return { program, kind: program.kind, def: program.def, file: loaded.file, options: optionsOfKind(chosen, program.kind, places) }
  }

  async #compared(address: string): Promise<ComparedAddress> {
    const { ref, at } = readAddress(address)
    return { row: await findRecord(this.store, ref, at), at }
  }

  /**
   * Returns the spans of a stored run, its calls, branches, effects and waits. Their ids are always the same. An unfinished
   * span has no end. Of a run without its first records, spans that were open before the first one begin with it. Throws `R2016`.
   */
  async spans(ref: string): Promise<readonly ProjectedSpan[]> {
    const { id, last } = await this.find(ref)
    const fork = (await this.runtime.peek(id)).state.start?.fork
    const origin = fork === undefined ? undefined : (await this.store.read(fork[0], 0))?.row.trace
    const part = await readPart(this.store, id, (await keptRecords(this.store, id)).first, last)
    return projectSpans(part, (state) => this.programsOf(state), { origin })
  }

  // Proving

  /**
   * Repeats every decision of a stored run without performing anything, and compares it with the records and with the stored
   * state (architecture, invariants 2 and 5). `against`: a file whose program, with the programs that it calls, replaces that
   * of the run in the replay; the run keeps its own. `segment`: only this part of a run that never ends, from 1. Throws `R5043` if the
   * run does not use that program, `R5048` if it has no such segment, and `R5054` for records that are only in an archive.
   */
  async replay(ref: string, options: ReplayOptions = {}): Promise<Replayed> {
    checkArguments('replay', { run: [ref, TEXT], options: [options, REPLAY_OPTIONS] })
    const row = await this.find(ref)
    const { id } = row
    const { replayRun } = await import('./replaying.ts')
    if (options.against === undefined) return replayRun(this, row, undefined, options.segment)
    const { ChangedPrograms } = await import('./replaying-changed.ts')
    const changed = new ChangedPrograms(this.runtime.programs, this.library)
    const file = resolve(this.#surroundings.cwd, options.against)
    const name = await changed.add(file, options.kind)
    const { state } = await this.runtime.peek(id)
    if (state.pins.some(([pinned]) => pinned === name)) return replayRun(this, row, changed, options.segment)
    const used = [...new Set(state.pins.map(([pinned]) => pinned))].join(', ')
    throw faults.make('R5043', `${id} does not use ${name}`, { run: id, file, fix: `name a file that holds ${used}` })
  }

  /**
   * Replays a capture strictly: that of a stored run, or of a file that `capture` has written. Nothing is evaluated unless the capture is
   * undamaged and belongs to the program: that of the run, or of the file `against`, which a capture in a file needs. Performs nothing. The
   * findings name each difference. Throws `R2016`, `R2031` for a kind without captures, and `R1021` for a file that does not exist.
   */
  async replayCapture(
    what: { readonly run: string } | { readonly file: string },
    options: ReplayCaptureOptions & RunOptionsByKind<Modules> = {},
  ): Promise<CaptureReplay> {
    const form = withKinds(this.#modules, REPLAY_CAPTURE_OPTIONS)
    checkArguments('replayCapture', { what: [what, CAPTURED], options: [options, form] })
    const { against, all, ...own } = options
    const { replayCaptured, rootProgram } = await import('./capturing.ts')
    const changed = against === undefined ? undefined : await this.#named(against, own)
    if ('run' in what) {
      const row = await this.find(what.run)
      const own = await rootProgram(this, row.id)
      const pieces: string[] = []
      for await (const piece of this.capture(row.id)) pieces.push(piece)
      return replayCaptured(this.kinds, changed ?? own, pieces.join(''), { all })
    }
    const file = resolve(this.#surroundings.cwd, what.file)
    if (changed === undefined)
      throw faults.make('R2031', `the capture ${what.file} does not contain its program`, { file, fix: 'name it with --against FILE' })
    const text = await this.#captureIn(what.file, changed.kind)
    return replayCaptured(this.kinds, changed, text, { file: what.file, all })
  }

  /**
   * Checks whether unfinished runs would continue as recorded with the current programs: those of `files`, otherwise those of
   * the runs' own files.
   */
  async check(files: readonly string[] = [], kind?: string): Promise<ProgramCheck> {
    checkArguments('check', { files: [files, listOf(TEXT)], kind: [kind, optional(TEXT)] })
    const { ProgramCheck } = await import('./replaying-check.ts')
    return ProgramCheck.start(
      this,
      files.map((file) => resolve(this.#surroundings.cwd, file)),
      kind,
    )
  }

  /**
   * Deletes data that nothing needs: programs and values that no run and no ledger uses, ended runs older than `keep`
   * milliseconds, and folders of deleted runs. Never deletes an unfinished run. `dry` only reports.
   */
  async gc(options: CollectOptions = {}): Promise<CollectResult> {
    checkArguments('gc', { options: [options, COLLECT_OPTIONS] })
    const { collect } = await import('../runs/collecting.ts')
    return collect(this, options)
  }

  // Keeping

  /**
   * Exports a run as the lines of an archive, without line ends: its hash-chained records, the programs and values that they
   * need, and a signature if there is a secret. A running run is exported in its state at the start of the export. With
   * `through`, the export ends with this sealed segment. Records that are no longer in the store are left out. Changes nothing.
   * Throws `R2016`, `R2085`, `R2140`, `R2145`, `R5054`, and `R5003` for a journal that cannot be read.
   */
  async *export(ref: string, options: ExportOptions = {}): AsyncGenerator<string> {
    checkArguments('export', { run: [ref, TEXT], options: [options, EXPORT_OPTIONS] })
    const { archiveOf } = await import('../history/archive/export.ts')
    yield* archiveOf(this.store, await this.find(ref), options)
  }

  /**
   * Exports a run as a capture, the text piece by piece in the format of its kind: what arrived, what was decided and what was emitted, with
   * hashes. Equal runs give equal texts. Changes nothing. Throws `R2016`, `R2031` for a kind without captures and for a run that has nothing to
   * capture, and `R5054`.
   */
  async *capture(ref: string, format?: string): AsyncGenerator<string> {
    checkArguments('capture', { run: [ref, TEXT], format: [format, optional(TEXT)] })
    const { captureOf } = await import('./capturing.ts')
    const row = await this.find(ref)
    await this.runtime.peek(row.id)
    yield* captureOf(this, row, format)
  }

  /**
   * Removes the records of a run up to the end of a sealed segment from the store, once an archive has them: `lines` must be
   * those of an export with the same `through`, signed or not. The run continues as before; `R5054` names the archive where a
   * removed record is needed. Throws `R2016`, `R2140`, `R5054`, and `R2144` for another archive; then nothing is removed.
   */
  async forget(ref: string, lines: Iterable<string> | AsyncIterable<string>, options: ForgetOptions): Promise<ForgottenRecords> {
    checkArguments('forget', { run: [ref, TEXT], lines: [lines, LINES], options: [options, FORGET_OPTIONS] })
    const { store, runtime } = this
    const { forgetArchived } = await import('../history/archive/forget.ts')
    return forgetArchived({ store, programs: runtime.programs }, await this.find(ref), lines, options)
  }

  /** Writes all runs of the store to a folder as tables. Throws `R2087` if the package for Parquet is missing. */
  async exportTables(folder: string, format: TableFormat = 'jsonl'): Promise<readonly ExportedTable[]> {
    checkArguments('exportTables', { folder: [folder, TEXT], format: [format, oneOf('jsonl', 'parquet')] })
    const { exportTables } = await import('../history/tables/export-tables.ts')
    return exportTables(this, resolve(this.#surroundings.cwd, folder), format)
  }

  /**
   * Stores the run of an archive: the same records under the same name, or under `id`. Stores nothing unless the whole archive
   * is valid. The run performs nothing until it is resumed, answered or due, and continues with at most the default trust.
   * Throws `R2070` to `R2084`, and `R5007` if the name is taken.
   */
  async import(lines: Iterable<string> | AsyncIterable<string>, options: ImportOptions = {}): Promise<ImportedRun> {
    checkArguments('import', { lines: [lines, LINES], options: [options, IMPORT_OPTIONS] })
    await this.runtime.register()
    const { worker, host } = this.#surroundings
    const { importArchive } = await import('../history/archive/import.ts')
    return importArchive({ store: this.store, worker, programs: this.runtime.programs, now: () => host.now() }, lines, options)
  }

  /**
   * Stores the run of a capture in a file that `capture` has written, under a new name or under `id`. The capture must replay strictly with
   * the program of the file `against`, and the stored run gives the same capture again. Sends nothing. Throws the first finding of
   * `replayCapture`, `R2031` for a file that is not a capture of the program's kind, `R1021`, `R1097`, and `R5007` if the name is taken.
   */
  async importCapture(file: string, options: ImportCaptureOptions & RunOptionsByKind<Modules>): Promise<ImportedRun> {
    checkArguments('importCapture', { file: [file, TEXT], options: [options, withKinds(this.#modules, IMPORT_CAPTURE_OPTIONS)] })
    const { worker, host, cwd } = this.#surroundings
    const { against, id, ...own } = options
    await this.library.rejectWritten(resolve(cwd, file))
    const { program } = await this.#named(against, own)
    const text = await this.#captureIn(file, program.kind)
    await this.runtime.register()
    const { importCaptured } = await import('./restoring.ts')
    const world = { store: this.store, worker, host, kinds: this.kinds, programs: this.runtime.programs }
    return importCaptured(world, program, text, { file, id })
  }

  /** Reads a file that must be a capture of a kind. Throws `R1021` and `R2031`. */
  async #captureIn(name: string, kind: string): Promise<string> {
    const { capturesOf } = await import('./capturing.ts')
    const file = resolve(this.#surroundings.cwd, name)
    const text = readText(file)
    if (capturesOf(this.kinds, kind).owns(text.slice(0, CAPTURE_BEGINNING))) return text
    throw faults.make('R2031', `${name} is not a capture of the kind ${kind}`, { file, fix: 'name a file of export --format' })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#workers)
    await this.#folders.whenWritten()
    await this.runtime.close()
    await this.#observing.flush()
    await this.#cluster.close()
    try {
      await this.#assembly.closeKinds()
    } finally {
      await this.#assembly.servers.close()
      await this.store.close()
    }
  }
}

/** Returns the options with which an answer or message opens the run. */
function prepareOf({ prepare }: AnswerOptions): ResumeOptions {
  return prepare === undefined ? {} : { prepare }
}

function missingFault(message: string, cause: unknown): Fault {
  return faults.make('R1026', `what the run needs cannot be found: ${message}`, { cause })
}

/** True for a program that is registered already. No kind is loaded for it. */
function isProgram(what: object): what is Program {
  return ['name', 'kind', 'rev', 'hash', 'source', 'def'].every((part) => part in what)
}
