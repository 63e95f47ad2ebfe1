import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { programFaults } from '../programs/faults.ts'
import { chooseStore, type ChosenStore } from './home.ts'
import { isPath, type Surroundings } from './host.ts'
import { isRunName, invalidRunName } from '../history/run-name.ts'
import { type Fault, hashMark, type Json, Runtime, storeOfEffects } from '../kernel/index.ts'
import { isModule, Kinds } from '../programs/kinds.ts'
import { KnownStores } from './known-stores.ts'
import { Library } from '../programs/library.ts'
import { readText } from '../programs/read-text.ts'
import type { AnyKindModule, KindWorld } from '../programs/kind-module.ts'
import type { Reader } from '../programs/language.ts'
import { contentDigest, hiddenValues } from './hidden-values.ts'
import { InstalledKinds } from './install-kinds.ts'
import { simulatedModels } from './simulating.ts'
import { McpServers, secretsOfServers } from '../mcp/index.ts'
import { sample } from '../models/simulated.ts'
import { createModels, type Models, type PriceFile, readPrices, recorder, simulatedModel } from '../models/index.ts'
import type { SharedOptions } from './options.ts'
import { WrittenLabels } from '../policy/written-labels.ts'
import {
  createPolicy,
  deniedToAll,
  fileRules,
  type OperatorPolicy,
  extraRoots,
  type PolicyFile,
  type PolicySettings,
  type Redaction,
  growingRedaction,
  runRedaction,
  rulesFor,
  type RunSettings,
  restrictionsOf,
  secretsIn,
  settingsCodec,
} from '../policy/index.ts'
import { suggest } from '../text/index.ts'
import { jsonSchemaIssues } from '../text/json-schema/schema-findings.ts'
import {
  createTools,
  fsCapability,
  lowestLimits,
  type Place,
  SimulatedTools,
  startLines,
  type Tool,
  toolCapability,
  type Tools,
  type ToolsSettings,
} from '../tools/index.ts'
import { realPath } from '../tools/paths.ts'
import { askOuterLabels, programProvenance } from './provenance.ts'
import { housePorts, runFolderOf, toolCallOf } from './world.ts'

/** The parts of a `Reflex`. */
export interface Assembly extends ChosenStore {
  readonly workdir: string
  readonly policy: OperatorPolicy
  readonly tools: Tools
  readonly models: Models
  /** Returns the fault of a model name before a model is called; undefined for a name without a fault. */
  modelProblem(name: string | undefined): Fault | undefined
  readonly runtime: Runtime<RunSettings>
  readonly kinds: Kinds
  readonly library: Library
  /** The labels of everything that runs have written. */
  readonly labels: WrittenLabels
  /** Removes secrets from records and output. */
  readonly redaction: Redaction
  /** Returns the hash of a value under a key of this user. */
  readonly digestOf: (value: Json) => string
  /** Allows programs to call one more tool, which the operator has named. */
  allowTool(tool: Tool): void
  /** The MCP servers whose tools programs call. */
  readonly servers: McpServers
  /** Closes what kinds have opened. */
  closeKinds(): Promise<void>
}

/** Puts the parts together: every default of Reflex is here or in what is called from here. */
export function assemble(options: SharedOptions, modules: readonly AnyKindModule[], surroundings: Surroundings): Assembly {
  const { environment, worker, host, cwd } = surroundings
  // Policy and tools compare real paths: through a link, all paths would appear to be outside the work folder.
  const workdir = realFolder(resolve(cwd, options.workdir ?? '.'))
  const stores = new KnownStores(surroundings)
  const home = chooseStore(options.store ?? environment['REFLEX_STORE'], workdir, stores)
  const redactor = growingRedaction([
    ...secretsIn(environment, isPath),
    ...secretsOfServers(options.mcp, options.policy ?? [], environment),
    ...(options.secrets ?? []),
  ])
  const redact = runRedaction(redactor)
  const hidden = hiddenValues({ secretOf: options.secretOf, surroundings, known: redactor })
  const commands = {
    environment,
    host,
    reserved: home.reserved,
    limits: lowestLimits((options.policy ?? []).flatMap(({ commands }) => commands ?? [])),
    rules: ({ runFolder, agentId, restricted = [] }: Place) =>
      fileRules([...rulesFor(options.policy ?? [], agentId), { deny: restricted }], {
        work: workdir,
        run: runFolder,
        home: environment['HOME'],
      }),
    redact: (text: string) => redactor.text(text),
  } satisfies ToolsSettings
  const servers = new McpServers(options.mcp, options.policy ?? [], { host, workdir, environment, sandbox: commands }, sample)
  const tools = createTools({ ...commands, tools: [...(options.tools ?? []), ...servers.tools] })
  tools.explainMissing = (name) => servers.explain(name)
  const { policy, allow } = policyFor(options, grantsOf(modules, options), {
    ...home,
    userHome: environment['HOME'],
    now: () => host.now(),
    runFolder: (call) => runFolderOf(installed.made, call),
  })
  const created = createModels({
    host,
    environment,
    guess: suggest,
    check: jsonSchemaIssues,
    redact: redact.reply,
    ...modelSettings(options, pricesOf(environment, cwd)),
  })
  const models = options.record === undefined ? created : recorder(created, options.record, redact.reply)
  const storeOfPorts = storeOfEffects(home.store)
  const labels = new WrittenLabels(storeOfPorts)
  const modelFindings = (name: string): readonly Fault[] => created.findings(name)
  const readers = new Map<string, Reader>()
  const kinds = new Kinds(modules, readers)
  const digestOf = contentDigest(surroundings)
  const world: KindWorld = {
    host,
    store: storeOfPorts,
    workdir,
    reserved: home.reserved,
    policy,
    models,
    modelFindings,
    tools,
    variable: (name) => environment[name],
    startLines: (program, call) => startLines(program, commands, call),
    toolCall: (call) => toolCallOf(call, policy, installed.made),
    simulated: { tools: new SimulatedTools(tools), models: simulatedModels({ host, guess: suggest, check: jsonSchemaIssues }) },
    redact: redact.reply,
    seal: (value) => hidden.seal(value),
    digest: digestOf,
    optionsOf: (kind): unknown => Reflect.get(options, kind),
    labels,
    isProgram: (path) => kinds.isProgram(path),
    report: (fault) => options.onTrouble?.(fault),
  }
  const installed: InstalledKinds = new InstalledKinds({
    kinds,
    world,
    readers,
    options: (kind): unknown => Reflect.get(options, kind),
    ports: housePorts(world, () => installed.made, hidden),
  })
  const runtime: Runtime<RunSettings> = new Runtime({
    kinds: installed.made.map(({ kind }) => kind),
    kindLoader: installed,
    ports: installed.ports,
    policy,
    settings: settingsCodec({
      workdir,
      folderOf: (run) => runFolderIn(home.home, run),
      isModule,
      entropy: () => host.entropy(),
      restrictions: (agentId) => restrictionsOf(options.policy ?? [], agentId),
      ...(surroundings.seal === undefined ? {} : { seal: surroundings.seal }),
    }),
    store: home.store,
    host,
    worker,
    redact: redact.input,
    hash: (value) => hashMark(digestOf(value)),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    onTrouble: options.onTrouble,
  })
  const deniesAll = deniedToAll({ workdir, home: environment['HOME'], realPath, grants: options.policy ?? [], reserved: home.reserved })
  const denied = (path: string): boolean => deniesAll(fsCapability('read', path))
  const provenance = programProvenance(labels, {
    runs: join(home.home, 'runs'),
    workdir,
    isProgram: world.isProgram,
    // A store in a file already has its own labels. A store elsewhere has no labels of the file next to it.
    outer: (file, ask) => askOuterLabels(file, { own: 'identity' in home.store ? home.home : '', stores }, ask),
  })
  const folders = (options.programs ?? []).map((folder) => resolve(cwd, folder))
  const library = new Library(runtime.programs, kinds, { folders, workdir, denied, provenance })
  return {
    ...home,
    workdir,
    policy,
    tools,
    models,
    modelProblem: (name) => created.check(name),
    runtime,
    kinds,
    library,
    labels,
    redaction: redactor,
    digestOf,
    allowTool(tool) {
      // Each run that uses a module names it again.
      if (tools.find(tool.name) === tool) return
      tools.add(tool)
      allow(tool)
    },
    servers,
    closeKinds: () => installed.close(),
  }
}

/**
 * Returns the run's own folder. Throws for a name that leads out of the folder of runs: names come from the store, which is not
 * trusted.
 */
export function runFolderIn(home: string, run: string): string {
  if (!isRunName(run)) throw invalidRunName(run)
  return join(home, 'runs', run)
}

/** Returns the real path of the work folder. Throws `R1021` if it does not exist. */
function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch (cause) {
    throw programFaults.make('R1021', `the work folder ${path} is not there`, { file: path, cause, fix: 'name a folder that is there' })
  }
}

/** The capabilities that the options of a host allow. */
function grantsOf(modules: readonly AnyKindModule[], options: object): readonly string[] {
  return modules.flatMap((module) => module.grants?.((Reflect.get(options, module.name) as unknown) ?? {}) ?? [])
}

/** Builds the operator's policy. A tool that is given is allowed; the capabilities that it touches are checked separately. */
function policyFor(
  { tools = [], policy = [], secretOf }: SharedOptions,
  grants: readonly string[],
  {
    reserved,
    userHome,
    ...settings
  }: Pick<Assembly, 'reserved'> & Required<Pick<PolicySettings, 'now' | 'runFolder'>> & { readonly userHome: string | undefined },
): { readonly policy: OperatorPolicy; readonly allow: (tool: Tool) => void } {
  const hostGrants: PolicyFile & { allow: string[] } = { file: 'the application', allow: [], deny: [] }
  const allow = (tool: Tool): void => void hostGrants.allow.push(toolCapability(tool.name))
  for (const tool of tools) allow(tool)
  hostGrants.allow.push(...grants, ...(secretOf === undefined ? [] : ['arbor://secret/**']))
  const operatorPolicy = createPolicy({
    ...settings,
    home: userHome,
    realPath,
    grants: [{ ...hostGrants, roots: extraRoots(hostGrants.allow) }, ...policy],
    reserved,
  })
  return { policy: operatorPolicy, allow }
}

/** Returns the user's prices from the file that `REFLEX_PRICES` names. Throws `R4022` for a file that cannot be read. */
export function pricesOf(environment: Readonly<Record<string, string | undefined>>, cwd: string): PriceFile | undefined {
  const name = environment['REFLEX_PRICES']
  if (name === undefined || name === '') return undefined
  const file = resolve(cwd, name)
  return readPrices(readText(file), file)
}

function modelSettings(
  { model, models = {}, fallback, baseUrl, prices }: SharedOptions,
  file: PriceFile | undefined,
): Partial<Parameters<typeof createModels>[0]> {
  return {
    ...(model === undefined ? {} : { model }),
    models: { simulated: simulatedModel(), ...models },
    ...(fallback === undefined ? {} : { fallback }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(prices === undefined && file === undefined ? {} : { prices: { ...file?.prices, ...prices } }),
  }
}
