import { type Call, digest, isObject, type Json, type JsonObject, type Port } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { entryNames, isIntact, promptName, readActive, readManifestEntry, readState, readUse, recentStats } from '../ledger/entries.ts'
import { type SkillEntries, skillEntries } from '../ledger/places.ts'
import { type ChosenVersion, chooseVersion } from '../ledger/split.ts'
import { manifestJson } from '../manifest/canonical.ts'
import type { Prompts } from '../manifest/check-activation.ts'
import type { Unbound } from '../manifest/compiled.ts'
import { changedPrompt } from '../manifest/prompts.ts'
import { promptsBeside } from './prompt-files.ts'
import type { FunctionResult, SkillState } from '../model/decision.ts'
import { readArgs } from './args.ts'
import { boardRoots } from './board-roots.ts'
import type { GateQuestion, LookResult, PlanProgram } from './compiled-plan.ts'
import { majorOf } from './execution.ts'
import { newerRegistry } from './newer-registry.ts'
import { type ProjectValues, type SkillHost, withProject } from './skill-host.ts'

interface LookWorld extends Pick<KindWorld, 'store' | 'host' | 'tools'> {
  /** True for a manifest that this host can compile. */
  readonly compiles: (source: Json) => boolean
  /** Returns the values of the file of the project. Throws `R1475`. */
  readonly project: () => Promise<ProjectValues>
}

/** The call belongs to another version: the frame becomes that version, and looks again. */
export interface OtherVersion {
  readonly become: Json
}

/** A skill that calls functions of the host once, for a decision that is made again without them. */
export interface DryProgram extends PlanProgram {
  /** What the skill needs and this process does not have. */
  readonly unbound: Unbound
  dryRun(question: GateQuestion): readonly FunctionResult[]
}

/**
 * The port `skills.look`: reads everything outside that the gate decides on, once: the state of the version, its late executions, the facts
 * and functions of the host, its tools. `isWatched`: a control plane has a say. The decision itself is made by the step from what was read, so a
 * replay makes it again (design skill 2).
 */
export function lookPort(world: LookWorld, host: SkillHost, isWatched = false): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    perform: (call) => look(call, world, host, isWatched),
  }
}

async function look(call: Call<RunSettings>, world: LookWorld, host: SkillHost, isWatched: boolean): Promise<LookResult | OtherVersion> {
  const program = call.def as DryProgram
  const { id, version, llm_support } = program.manifest
  const names = { active: entryNames.active(id), state: entryNames.state(id, version), use: entryNames.use(id) }
  const refs = llm_support.parsers.map(({ prompt_ref }) => prompt_ref)
  const pins = new Map(llm_support.parsers.map(({ prompt_ref, prompt_sha256 }) => [prompt_ref, prompt_sha256]))
  const entries = await skillEntries(world.store, host, id, [...Object.values(names), ...refs.map(promptName)])
  if (entries.newer !== undefined) throw newerRegistry(host.project, entries.newer)
  const value = (name: string): Json | undefined => entries.value(name)
  const { inputs, parsed = [], chosen: isChosen, exact } = isObject(call.args) ? call.args : {}
  const chosen = exact === true ? undefined : chosenFor(call, value(names.active), program)
  const isOwn = chosen?.active.version === version && chosen.active.hash === program.hash
  if (chosen !== undefined && !isOwn && isChosen !== true) {
    const other = await otherVersion(world, host, entries, { id, version: chosen.active.version })
    if (other !== undefined) return { become: other }
  }
  const prompt = promptReader(call, host, value)
  const now = world.host.now()
  const found: LookResult = {
    env: host.env,
    project: host.project,
    now: new Date(now).toISOString(),
    facts: host.compat,
    principal: host.principal ?? { id: call.settings.actor, roles: [] },
    state: boundState(stateOf(call, value(names.state), value(names.active), program), program, prompt),
    ...(chosen?.rollout === undefined || !isOwn ? {} : { rollout: chosen.rollout }),
    tools: [...new Set([...world.tools.names(), ...host.tools.map(({ name }) => name)])],
    hostFacts: await factsOf(host),
    stats: recentStats(readUse(value(names.use)), majorOf(version), now),
    tau: host.tau,
    policyMode: host.policyMode,
    ...(host.mode === 'shadow' ? { mode: host.mode } : {}),
    functionResults: [],
    ...(isWatched ? { asks_control_plane: true } : {}),
    ...confirmedBy(call, host, program),
    confirmed: [],
    prompts: Object.fromEntries(refs.flatMap((ref) => promptOf(ref, prompt(ref), pins.get(ref)))),
    ...(await seedOf(call, world, host)),
  }
  const board = boardRoots({ ...found.seed, ...call.reader().snapshot() })
  const question = {
    inputs: isObject(inputs) ? inputs : {},
    proposal: readArgs(call.frame.args).proposal,
    look: found,
    board,
    parsed: parsed as unknown as GateQuestion['parsed'],
    isExact: exact === true,
  }
  return { ...found, functionResults: program.dryRun(question) }
}

/** Reads prompts. Those that the host has now come before those that were registered: a changed one is noticed. */
function promptReader({ frame, settings }: Call<RunSettings>, host: SkillHost, kept: (name: string) => Json | undefined): Prompts {
  const beside = frame.id === 0 && settings.file !== undefined ? promptsBeside(settings.file) : undefined
  return (ref) => {
    const own = host.prompts !== undefined && Object.hasOwn(host.prompts, ref) ? host.prompts[ref] : beside?.(ref)
    const registered = kept(promptName(ref))
    return own ?? (typeof registered === 'string' ? registered : undefined)
  }
}

/**
 * Chooses among the active versions: by the conversation of a wrapped agent, otherwise by the run. A draft that somebody tries out, and a file that
 * a person runs, stay what they are; any other call by the id gets an active version, whatever file with this id lies in its folder.
 */
function chosenFor(call: Call<RunSettings>, value: Json | undefined, { manifest }: DryProgram): ChosenVersion | undefined {
  const active = readActive(value)
  const { isDraft, proposal } = readArgs(call.frame.args)
  const isNamed = call.frame.id === 0 && (isDraft || call.settings.file !== undefined)
  return active === undefined || isNamed ? undefined : chooseVersion(manifest.id, active, proposal.conversation ?? call.run)
}

/** Returns the manifest of another version; undefined if it was changed, or if this host cannot compile it: the call keeps the version that it has. */
async function otherVersion(
  { store, compiles }: LookWorld,
  host: SkillHost,
  { scope }: SkillEntries,
  { id, version }: { readonly id: string; readonly version: string },
): Promise<Json | undefined> {
  const name = entryNames.manifest(id, version)
  const entries = await skillEntries(store, host, id, [name])
  const entry = entries.scope === scope ? readManifestEntry(entries.value(name)) : undefined
  if (entry === undefined || !isIntact(entry)) return undefined
  const source = manifestJson(entry.manifest)
  return compiles(source) ? source : undefined
}

/** States in which a person may try a version out. */
const TRIED: readonly (SkillState | undefined)[] = [undefined, 'draft', 'candidate', 'tested']

/**
 * Returns the state of the version that is called. One that is not in the registry is a draft. A person who runs the file of a draft says so,
 * with `--draft`; in a simulated run nothing is changed, so it needs no word.
 */
function stateOf(
  { settings, frame }: Call<RunSettings>,
  state: Json | undefined,
  active: Json | undefined,
  { manifest, hash }: DryProgram,
): SkillState {
  const kept = readState(state)?.state
  const pointed = readActive(active)?.versions.find((one) => one.version === manifest.version)
  // A file with the version of an active skill and another text is not what was approved.
  const isOther = pointed !== undefined && pointed.hash !== hash
  if (kept === 'active' && !isOther) return pointed === undefined ? 'deprecated' : 'active'
  const isTried = frame.id === 0 && (settings.simulated || readArgs(frame.args).isDraft)
  if (isTried && (isOther || TRIED.includes(kept))) return 'active'
  return isOther ? 'draft' : (kept ?? 'draft')
}

/** A skill without one of its functions or facts, or with a prompt that was changed, is not eligible. The gate itself asks for its tools. */
function boundState(state: SkillState, { manifest, unbound }: DryProgram, prompts: Prompts): SkillState {
  const lacks = unbound.functions.length + unbound.facts.length > 0 || changedPrompt(manifest, prompts) !== undefined
  return state === 'active' && lacks ? 'unbound' : state
}

/** Returns who can confirm an execution: a program and a person ask in the inbox, a wrapped agent its host. A simulated run confirms its own. */
function confirmedBy(
  { settings, frame }: Call<RunSettings>,
  { confirm }: SkillHost,
  { manifest }: DryProgram,
): Pick<LookResult, 'asks_confirmation'> {
  if (!manifest.policy.require_confirmation) return {}
  if (settings.simulated) return { asks_confirmation: 'host' }
  if (readArgs(frame.args).proposal.carrier === 'program') return { asks_confirmation: 'person' }
  return confirm === undefined ? {} : { asks_confirmation: 'host' }
}

/** The values of the project and the host as keys of a board: `ctx.team`. A turn of a wrapped agent began with those of its project. */
async function seedOf({ frame }: Call<RunSettings>, { project }: LookWorld, host: SkillHost): Promise<Pick<LookResult, 'seed'>> {
  const isInTurn = readArgs(frame.args).proposal.carrier !== 'program'
  const { board } = isInTurn ? host : withProject(host, await project())
  const seed = Object.entries(board).flatMap(([root, values]) =>
    Object.entries(values ?? {}).map(([key, value]) => [`${root}.${key}`, value] as const),
  )
  return seed.length === 0 ? {} : { seed: Object.fromEntries(seed) }
}

async function factsOf({ facts }: SkillHost): Promise<JsonObject> {
  const found = await Promise.all(Object.entries(facts).map(async ([name, read]) => [name, await read()] as const))
  return Object.fromEntries<Json>(found)
}

/** A prompt that was changed since its manifest was kept is absent: the skill would be another one (reference skill 1.3). */
function promptOf(ref: string, value: string | undefined, pin: string | undefined): readonly (readonly [string, string])[] {
  return value !== undefined && (pin === undefined || digest(value) === pin) ? [[ref, value]] : []
}
