import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  type Fault,
  type Host,
  systemHost,
  isObject,
  type JsonObject,
  ledgerPort,
  runName,
  fixedSettings,
  Runtime,
} from '../../../kernel/index.ts'
import { modelPort, redactedModels } from '../../../models/index.ts'
import { createPolicy, deniedToAll, fileRules, extraRoots, rulesFor, type RunSettings, runRedaction } from '../../../policy/index.ts'
import { memoryStore } from '../../../store/index.ts'
import { createTools, fsCapability, lowestLimits, toolCapability } from '../../../tools/index.ts'
import { realPath, realRoot } from '../../../tools/paths.ts'
import { ACTION_NAMES } from '../model/action-facts.ts'
import { actionCapability, plainAction } from '../model/action-names.ts'
import { pipelineWithTools, routingOf, runFolderOf } from './assemble.ts'
import { middlewareNames } from '../operations/make-engine.ts'
import { requestOfCall } from '../contract/conversation.ts'
import { latestCheckpoint, openCheckpoint, resumeArgument } from '../folder/resume.ts'
import type { ReadCheckpoint } from '../folder/read-checkpoint.ts'
import { stripped } from '../folder/checkpoint.ts'
import type { TypedGraph } from '../model/typed.ts'
import { Registry } from '../engine/custom.ts'
import { DotCache } from '../dot/cache.ts'
import { dotFaults } from '../dot/faults.ts'
import type { DotGraph } from '../dot/graph.ts'
import { diagnostic } from '../folder/folder.ts'
import { WrittenLabels } from '../../../policy/written-labels.ts'
import { ledgerPlace } from '../../../tools/capability.ts'
import { UNTRUSTED } from '../../../policy/label.ts'
import { FolderWriter, type FolderWriterOptions } from '../folder/folder-writer.ts'
import { folderOfRound, safeName } from '../contract/paths.ts'
import { checkInputs } from '../contract/inputs.ts'
import { informOf } from './interviewers.ts'
import { AutoApproveInterviewer } from './built-in-interviewers.ts'
import type { PipelineSource, ReadPipelineResult } from '../check/read.ts'
import { readGraph, readPipeline, type ReadPipelineOptions } from './read-pipeline.ts'
import { renderText } from '../language/render.ts'
import { backendPort, simulatedBackend } from './backend.ts'
import { answerQuestions } from './answer-questions.ts'
import type { PipelineResult, PipelineRunOptions } from './options.ts'
import { addCalled } from './programs.ts'
import { refuse } from '../check/validate.ts'
import { checkArguments, TEXT } from '../../../text/index.ts'
import { SOURCE } from '../dot/argument-forms.ts'
import { RUN_OPTIONS } from './argument-forms.ts'

/** The cache of texts that this process has parsed. */
const PARSED = new DotCache()

/**
 * Runs a pipeline from its text or graph to its end (seed pipeline 3.1). Does not throw when the run fails: the result says so.
 * Throws `R1142` with all findings for a pipeline with errors, `R2206` for an input that the engine reserves, `R2202` to
 * `R2204` for a checkpoint that cannot be resumed.
 */
export async function run(source: string | DotGraph, options: PipelineRunOptions = {}): Promise<PipelineResult> {
  checkArguments('run', { source: [source, SOURCE], options: [options, RUN_OPTIONS] })
  return runRead(readSource(source, undefined, options), options, resolve(options.workdir ?? '.'))
}

/**
 * Reads a file and runs it. Pipelines that it calls by file name are searched for in its folder. A file that a run of the same
 * store wrote from untrusted text, such as a model's, has the author `untrusted` unless `author` or `trust` is set. Throws as
 * `run` does, and `R1100` for a file that cannot be read.
 */
export async function runFile(path: string, options: PipelineRunOptions = {}): Promise<PipelineResult> {
  checkArguments('runFile', { path: [path, TEXT], options: [options, RUN_OPTIONS] })
  const file = resolve(options.workdir ?? '.', path)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw dotFaults.make('R1100', `${path} cannot be read`, { file: path, cause })
  }
  const lowered = options.author === undefined && options.trust === undefined && (await writtenIn(options))(realPath(file), text)
  const given = lowered ? { ...options, author: 'untrusted' as const } : options
  return runRead(readSource(text, path, given), given, dirname(file))
}

/** Returns a check, based on the labels in the store, that is true if a run wrote a file from text that is not trusted. */
async function writtenIn({ store }: PipelineRunOptions): Promise<(file: string, text: string) => boolean> {
  const labels = new WrittenLabels(store)
  await labels.refresh()
  return (file, text) => labels.ofProgram(ledgerPlace(file), text).label.level > 0
}

interface CheckedPipeline {
  readonly id: string
  readonly source: PipelineSource
  readonly typed: TypedGraph
  readonly findings: readonly Fault[]
}

function readSource(source: string | DotGraph, file: string | undefined, options: PipelineRunOptions): CheckedPipeline {
  const { id, source: stored, typed, findings } = readBy(source, file, options)
  if (id === undefined || stored === undefined || typed === undefined) throw refuse(file ?? 'the pipeline', findings, file)
  return { id, source: stored, typed, findings }
}

function readBy(source: string | DotGraph, file: string | undefined, options: PipelineRunOptions): ReadPipelineResult {
  const {
    validate,
    rules,
    cache = true,
    transforms = [],
    handlers = Registry,
    operations,
    actions = {},
    author,
    middleware,
    always,
  } = options
  const reading: ReadPipelineOptions = {
    operations,
    custom: handlers.facts(),
    hostActions: new Set(Object.keys(actions).map(plainAction)),
    transforms: { ofRun: transforms },
    actions: [...ACTION_NAMES, ...Object.keys(actions)],
    middleware: middlewareNames({ middleware, always }),
    rules,
    author,
    lint: validate,
    cache: cache === true ? PARSED : cache === false ? undefined : cache,
  }
  return typeof source === 'string' ? readPipeline(source, file, reading) : readGraph(source, file, reading)
}

async function runRead(ready: CheckedPipeline, options: PipelineRunOptions, folder: string): Promise<PipelineResult> {
  const { typed, id, source } = ready
  const { signal, author, programs = {} } = options
  const checkpoint = checkpointOf(options)
  const args = argumentsOf(options, typed, checkpoint)
  const place = placeOf(options, checkpoint)
  const runtime = runtimeFor(options, place)
  const isLowered = author === 'untrusted'
  const program = runtime.programs.add('pipeline', id, { ...source, ...(isLowered ? { author } : {}) }, isLowered ? {} : { def: typed })
  const denies = deniedToAll({ workdir: place.workdir, realPath, grants: options.policy ?? [] })
  const denied = (path: string): boolean => denies(fsCapability('read', path))
  const isWritten = await writtenIn(options)
  if (place.isKept && options.store !== undefined)
    await new WrittenLabels(options.store).add(
      { path: ledgerPlace(place.logsRoot), logs: true, label: UNTRUSTED },
      `logs ${place.logsRoot}`,
    )
  addCalled(runtime.programs, program, folder, { given: programs, workdir: place.workdir, denied, isWritten })
  const troubles: Fault[] = []
  const follow = folderOptionsOf(options, place, troubles)
  let keeping: FolderWriter | undefined
  try {
    const run = await runtime.start(program, {
      id: place.run,
      args,
      settings: settingsOf(options, place),
      prepare: (made) => void (keeping = new FolderWriter(runtime, made, follow)),
    })
    const cancel = (): void => void run.cancel('cancelled').catch(() => undefined)
    if (signal?.aborted === true) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    await answerQuestions(run, options.interviewer ?? new AutoApproveInterviewer())
    signal?.removeEventListener('abort', cancel)
    if (keeping === undefined) throw new TypeError('the run was not prepared')
    return resultOf(keeping, typed, { findings: [...ready.findings, ...troubles], logsRoot: place.isKept ? place.logsRoot : undefined })
  } finally {
    options.events?.end()
    await runtime.close()
  }
}

/** Returns the arguments of the run: its inputs, and the state from a checkpoint. */
function argumentsOf({ initial_values, force, on_resume }: PipelineRunOptions, typed: TypedGraph, checkpoint?: ReadCheckpoint): JsonObject {
  const inputs = checkInputs(initial_values ?? {})
  return checkpoint === undefined ? inputs : { ...inputs, ...resumeArgument(checkpoint, typed, { force, retry: on_resume === 'retry' }) }
}

interface Place {
  readonly host: Host
  readonly run: string
  readonly workdir: string
  readonly logsRoot: string
  /** True if the run writes files to its folder. */
  readonly isKept: boolean
}

/**
 * Returns the run's name, host and folders. A run that resumes from a checkpoint keeps its name, unless there is a store, which
 * may have a run of that name, or the name is not valid.
 */
function placeOf({ host = systemHost, store, run_id, logs_root, ...options }: PipelineRunOptions, checkpoint?: ReadCheckpoint): Place {
  const workdir = realPath(resolve(options.workdir ?? '.'))
  const known =
    store === undefined && checkpoint?.run !== undefined && /^[a-z0-9][\w-]{0,63}$/i.test(checkpoint.run) ? checkpoint.run : undefined
  const run = run_id ?? known ?? runName(host.entropy())
  const logsRoot = realRoot(resolve(workdir, typeof logs_root === 'string' ? logs_root : join('.runs', safeName(run))), workdir)
  return { host, run, workdir, logsRoot, isKept: logs_root !== false }
}

function folderOptionsOf(
  { hmac_secret, persistArtifacts, events, on_event, interviewer }: PipelineRunOptions,
  { logsRoot, isKept }: Place,
  troubles: Fault[],
): FolderWriterOptions {
  return {
    logsRoot: isKept ? logsRoot : undefined,
    secret: hmac_secret,
    ...(persistArtifacts === undefined ? {} : { persistArtifacts }),
    onEvent: (event) => {
      events?.push(event)
      on_event?.(event)
      informOf(interviewer, event)
    },
    onTrouble: (fault) => troubles.push(fault),
  }
}

function checkpointOf({ resume, resume_from, logs_root, hmac_secret, ...options }: PipelineRunOptions): ReadCheckpoint | undefined {
  const workdir = resolve(options.workdir ?? '.')
  if (resume_from !== undefined) return openCheckpoint(resolve(workdir, resume_from), hmac_secret)
  if (resume !== true) return undefined
  return openCheckpoint(latestCheckpoint(resolve(workdir, typeof logs_root === 'string' ? logs_root : '.')), hmac_secret)
}

function runtimeFor(options: PipelineRunOptions, place: Place): Runtime<RunSettings> {
  const { host, workdir } = place
  const { tools = [], policy = [], handlers = Registry, middleware, actions = {}, store = memoryStore(), env = {} } = options
  const allow = [...tools.map((tool) => toolCapability(tool.name)), ...handlers.needs(), ...Object.keys(actions).map(actionCapability)]
  const rights = createPolicy({
    runFolder: runFolderOf,
    realPath,
    grants: [{ file: 'the application', allow, deny: [], roots: extraRoots(allow) }, ...policy],
  })
  const parts = pipelineWithTools({
    policy: rights,
    tools: createTools({
      environment: env,
      host,
      tools,
      limits: lowestLimits(policy.flatMap(({ commands }) => commands ?? [])),
      rules: ({ runFolder, restricted = [] }) =>
        fileRules([...rulesFor(policy, options.agent_id), { deny: restricted }], { work: workdir, run: runFolder }),
    }),
    now: () => host.now(),
    handlers,
    actions,
    services: options.services,
    routing: routingOf(options),
    hooks: options.hooks,
    toolHooks: options.tool_hooks,
    summarise: options.summarise,
    store,
    allowDisableMiddleware: options.allow_disable_middleware,
    ...(middleware === undefined ? {} : { middleware }),
    ...(options.always === undefined ? {} : { always: options.always }),
  })
  const { llm_backend, models } = options
  const redact = runRedaction(undefined)
  const model =
    llm_backend === undefined && models !== undefined
      ? modelPort(() => redactedModels(models, redact.reply), requestOfCall)
      : backendPort(llm_backend ?? simulatedBackend, redact.reply)
  return new Runtime<RunSettings>({
    kinds: [parts.kind],
    ports: { ledger: ledgerPort(store, host), ...parts.ports, model },
    policy: rights,
    settings: fixedSettings(() => settingsOf(options, place)),
    store,
    host,
    redact: redact.input,
  })
}

/** The settings of the run. The first record contains them, so the meter knows the limits. */
function settingsOf(
  { trust = 'probationary', limits, max_steps, agent_id }: PipelineRunOptions,
  { workdir, logsRoot }: Place,
): RunSettings {
  return {
    actor: '',
    simulated: false,
    trust,
    workdir,
    folder: logsRoot,
    limits: { ...limits, ...(max_steps === undefined ? {} : { maxSteps: max_steps }) },
    ...(agent_id === undefined ? {} : { agentId: agent_id }),
  }
}

/** Builds the result of a run from its events and state. */
function resultOf(
  { chronicle: { progress, state, stored } }: FolderWriter,
  typed: TypedGraph,
  { findings, logsRoot }: { readonly findings: readonly Fault[]; readonly logsRoot: string | undefined },
): PipelineResult {
  const { round, context, current } = progress
  const { ended, start, time } = state
  const run = start?.run ?? ''
  const failure = ended?.status === 'failed' ? (progress.reason ?? (isObject(ended.value) ? renderText(ended.value['message']) : '')) : null
  return {
    run_id: run,
    status: ended === undefined ? 'suspended' : STATUS[ended.status],
    final_outcome: round.outcomes.get(current) ?? null,
    failure_reason: ended === undefined ? waitsFor(state.waits.values()) : failure,
    fault: ended?.status === 'failed' && isObject(ended.value) ? ended.value : null,
    completed_nodes: [...round.completed],
    node_outcomes: Object.fromEntries(round.outcomes),
    context: stripped({ ...progress.engineValues(typed, run), ...Object.fromEntries(context) }),
    artifacts: stored.list,
    diagnostics: findings.map(diagnostic),
    logs_root: logsRoot === undefined ? null : folderOfRound(logsRoot, round.number),
    continue_with:
      ended?.status === 'failed' && logsRoot !== undefined && round.outcomes.get(current)?.status === 'fail'
        ? { resume_from: join(folderOfRound(logsRoot, round.number), 'checkpoint.json'), on_resume: 'retry' }
        : null,
    duration_ms: time - (start?.at ?? time),
    steps: progress.steps,
  }
}

const STATUS = { done: 'success', failed: 'fail', cancelled: 'cancelled' } as const

function waitsFor(waits: Iterable<{ readonly name: string }>): string {
  return `waits for ${[...waits].map(({ name }) => name.replace(/^engine:/, '')).join(', ')}`
}
