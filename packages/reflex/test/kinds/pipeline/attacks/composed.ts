import { join } from 'node:path'
import {
  type Asker,
  faultData,
  fixedSettings,
  isFault,
  type Json,
  type JsonObject,
  type Kind,
  ledgerPort,
  type Program,
  Runtime,
  type Store,
  systemHost,
} from '../../../../src/kernel/index.ts'
import { KINDS } from '../../../../src/app/kinds.ts'
import { pipelineReader } from '../../../../src/kinds/pipeline/face/reader.ts'
import { workflowReader } from '../../../../src/kinds/workflow/face/reader.ts'
import { Kinds } from '../../../../src/programs/kinds.ts'
import type { Reader } from '../../../../src/programs/language.ts'
import { Library, type LibraryPlaces } from '../../../../src/programs/library.ts'
import { createModels, modelPort, redactedModels } from '../../../../src/models/index.ts'
import { autoAnswers, type OpenQuestion, readQuestion } from '../../../../src/people/index.ts'
import { pipelineWithTools } from '../../../../src/kinds/pipeline/face/assemble.ts'
import type { ReadCheckpoint } from '../../../../src/kinds/pipeline/folder/read-checkpoint.ts'
import { openCheckpoint, resumeArgument } from '../../../../src/kinds/pipeline/folder/resume.ts'
import type { TypedGraph, TypedNode } from '../../../../src/kinds/pipeline/model/typed.ts'
import { WrittenLabels } from '../../../../src/policy/written-labels.ts'
import { requestOfCall } from '../../../../src/kinds/pipeline/contract/conversation.ts'
import { createEngine } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import type { Permissions, Handler } from '../../../../src/kinds/pipeline/contract/handler.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import type { MiddlewareChain, Engine } from '../../../../src/kinds/pipeline/engine/engine.ts'
import { checkInputs } from '../../../../src/kinds/pipeline/contract/inputs.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { programProvenance } from '../../../../src/app/provenance.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import {
  createPolicy,
  type OperatorPolicy,
  type PolicyFile,
  type PolicySettings,
  redaction,
  type RunRedaction,
  type RunLimits,
  runRedaction,
  type RunSettings,
  secretsIn,
} from '../../../../src/policy/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { createTools, type Tools, type ToolsSettings } from '../../../../src/tools/index.ts'
import { loadStoredWorkflow, workflowKind } from '../../../../src/kinds/workflow/face/runtime.ts'
import type { Attack, Fill } from './attack.ts'
import { type Came, Listener, refused } from './came.ts'
import type { Ground } from './ground.ts'
import { scripted, SCRIPTED } from './scripted.ts'

/**
 * The parts that protect a run, as `assemble` puts them together. A protection is taken away by giving another part in its
 * place; nothing in the product knows of it.
 */
export interface Parts {
  readonly policy: (settings: PolicySettings) => OperatorPolicy
  readonly tools: (settings: ToolsSettings) => Tools
  readonly chain: (chain: MiddlewareChain, node: TypedNode, charter: Permissions, typed: TypedGraph) => MiddlewareChain
  readonly handler: (handler: Handler, node: TypedNode) => Handler
  readonly load: (source: Json) => TypedGraph
  readonly kind: (kind: Kind<TypedGraph>) => Kind<TypedGraph>
  readonly inputs: (input: JsonObject) => JsonObject
  /** The folders in which a program finds the programs that it names. */
  readonly places: (places: LibraryPlaces) => LibraryPlaces
  /** The policy of the operator for the run. */
  readonly limits: (limits: RunLimits) => RunLimits
  /** The secret that a checkpoint must be signed with. */
  readonly secret: (hmac: string | undefined) => string | undefined
  readonly checkpoint: (file: string, secret: string | undefined) => ReadCheckpoint
  readonly redact: (secrets: readonly string[]) => RunRedaction | undefined
  readonly answer: (open: OpenQuestion) => Json | undefined
}

export const WHOLE: Parts = {
  policy: createPolicy,
  tools: createTools,
  chain: (chain) => chain,
  handler: (handler) => handler,
  load: loadPipeline,
  kind: (kind) => kind,
  inputs: checkInputs,
  places: (places) => places,
  limits: (limits) => limits,
  secret: (hmac) => hmac,
  checkpoint: openCheckpoint,
  redact: (secrets) => runRedaction(redaction(secrets)),
  answer: (open) => autoAnswers.answer(open) as Json | undefined,
}

/** What the operator of an attack grants. */
export function grantsOf({ allow = [], ask = [] }: Attack, fill: Fill): Pick<PolicyFile, 'allow' | 'deny' | 'ask'> {
  return { allow: allow.map(fill), deny: [], ask: ask.map(fill) }
}

/** Puts into a store what agents remember. */
export async function remember({ memories = {} }: Attack, store: Pick<Store, 'append'>): Promise<void> {
  for (const [agent, texts] of Object.entries(memories))
    for (const [i, content] of texts.entries())
      await store.append(`memory/${agent}`, `remembered ${i}`, { op: 'index', at: 0, run: 'before', args: { content, metadata: {} } }, 0)
}

const PATH = '/usr/local/bin:/usr/bin:/bin'

/** The environment of whoever starts the run. */
export function environmentOf({ environment = {} }: Attack, { home, fill }: Ground): Record<string, string> {
  return { PATH, HOME: home, ...(JSON.parse(fill(JSON.stringify(environment))) as Record<string, string>) }
}

const KINDS_READ = new Kinds(
  KINDS,
  new Map<string, Reader>([
    ['workflow', workflowReader()],
    ['pipeline', pipelineReader()],
  ]),
)

/** Runs an attack on parts that are put together here. */
export async function runOn(attack: Attack, ground: Ground, parts: Parts): Promise<Came> {
  const prompts: string[] = []
  const store = memoryStore()
  await remember(attack, store)
  const labels = new WrittenLabels(store)
  const lowered = new Set<string>()
  const runtime = runtimeOn(attack, ground, parts, { prompts, store, labels, lowered })
  const provenance = programProvenance(labels, {
    runs: join(ground.work, '.reflex/runs'),
    workdir: ground.work,
    isProgram: (path) => KINDS_READ.isProgram(path),
    outer: async () => undefined,
  })
  const library = new Library(runtime.programs, KINDS_READ, parts.places({ folders: [], workdir: ground.work, provenance }))
  const runAs = async (id: string, started: { readonly program: Program; readonly args?: JsonObject }): Promise<Came> => {
    const listener = new Listener()
    const run = await runtime.start(started.program, {
      id,
      args: started.args ?? {},
      settings: ({ id: run }) => settingsOf(run, attack, ground, parts, lowered),
      prepare: (made) => listener.follow(made),
    })
    await carryOn(run, (open) => parts.answer(open))
    return listener.came(run, prompts)
  }
  try {
    const came = await runAs('attack', await begun(attack, ground, parts, library))
    if (attack.afterwards === undefined) return came
    const { program, written } = await library.load(join(ground.work, attack.afterwards), undefined, false)
    if (written !== undefined) lowered.add('afterwards')
    return await runAs('afterwards', { program })
  } catch (thrown) {
    if (isFault(thrown)) return refused(faultData(thrown))
    throw thrown
  } finally {
    await runtime.close()
  }
}

async function begun(
  attack: Attack,
  ground: Ground,
  parts: Parts,
  library: Library,
): Promise<{ readonly program: Program; readonly args: JsonObject }> {
  const file = join(ground.work, 'attack.dot')
  const { program } = await library.load(file, undefined, false)
  const input = parts.inputs(attack.values(ground.fill))
  if (!attack.it.has('checkpoint.json')) return { program, args: input }
  const checkpoint = parts.checkpoint(ground.place('checkpoint.json'), parts.secret(attack.hmac))
  return { program, args: { ...input, ...resumeArgument(checkpoint, program.def as TypedGraph, { force: true }) } }
}

function runtimeOn(
  attack: Attack,
  ground: Ground,
  parts: Parts,
  world: { readonly prompts: string[]; readonly store: Store; readonly labels: WrittenLabels; readonly lowered: ReadonlySet<string> },
): Runtime<RunSettings> {
  const { prompts, store, labels, lowered } = world
  const { work, home, fill } = ground
  const reserved = [join(work, '.reflex')]
  const environment = environmentOf(attack, ground)
  const policy = parts.policy({
    home,
    now: () => systemHost.now(),
    grants: [{ file: 'the operator', ...grantsOf(attack, fill) }],
    reserved,
  })
  const tools = parts.tools({ environment, host: systemHost, reserved })
  const pipelines = pipelineWithTools({
    policy,
    tools,
    store,
    labels,
  })
  const engine = guardedBy(parts, createEngine())
  const kind = pipelineKind({ load: (source) => parts.load(source), calls: calledPrograms, engine })
  const redact = parts.redact(secretsIn(environment))
  const created = createModels({
    host: systemHost,
    environment: {},
    model: SCRIPTED,
    models: { [SCRIPTED]: scripted(attack, ground, prompts) },
    guess: () => undefined,
    check: () => [],
  })
  const models = redact === undefined ? created : redactedModels(created, redact.reply)
  return new Runtime<RunSettings>({
    kinds: [parts.kind(kind), workflowKind({ load: (source) => loadStoredWorkflow(source, {}) })],
    ports: { ...pipelines.ports, model: modelPort(() => models, requestOfCall), ledger: ledgerPort(store, systemHost) },
    policy,
    settings: fixedSettings((run) => settingsOf(run, attack, ground, parts, lowered)),
    store,
    host: systemHost,
    ...(redact === undefined ? {} : { redact: redact.input }),
  })
}

function settingsOf(run: string, attack: Attack, { work }: Ground, parts: Parts, lowered: ReadonlySet<string>): RunSettings {
  return {
    actor: 'somebody',
    simulated: false,
    trust: lowered.has(run) ? 'untrusted' : (attack.trust ?? 'probationary'),
    workdir: work,
    folder: join(work, '.reflex/runs', run),
    limits: parts.limits(attack.limits ?? {}),
  }
}

function guardedBy(parts: Parts, engine: Engine): Engine {
  return {
    ...engine,
    handler: (node) => parts.handler(engine.handler(node), node),
    chain: (node, typed, charter) => parts.chain(engine.chain(node, typed, charter), node, charter, typed),
  }
}

/** A run, as far as carrying it on goes. */
interface Carried {
  readonly state: {
    readonly ended?: unknown
    readonly waits: ReadonlyMap<
      unknown,
      {
        readonly id: string | number
        readonly type: string
        readonly name: string
        readonly asker: Asker
        readonly about?: Json | undefined
      }
    >
  }
  idle(): Promise<unknown>
  answer(wait: string | number, answer: Json, by?: string): Promise<number>
}

/** Goes on until nobody answers any more. */
export async function carryOn(run: Carried, answer: Parts['answer']): Promise<void> {
  for (let left = 50; left > 0; left--) {
    await run.idle()
    const open = [...run.state.waits.values()].filter(({ type }) => type === 'answer')
    const [first] = open.flatMap(({ id, name, asker, about }) => {
      const said = answer({ id: String(id), name, asker, question: readQuestion(about, name) })
      return said === undefined ? [] : [{ id, said }]
    })
    if (run.state.ended !== undefined || first === undefined) return
    await run.answer(first.id, first.said, 'auto')
  }
}
