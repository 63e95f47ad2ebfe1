import { type Call, digest, isObject, type Json, type JsonObject, type Port } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import {
  entryNames,
  FORMAT_ENTRY,
  newerFormat,
  promptName,
  readActive,
  readState,
  readUse,
  recentStats,
  skillLedger,
} from '../ledger/entries.ts'
import type { FunctionResult, SkillState } from '../model/decision.ts'
import { readArgs } from './args.ts'
import { boardRoots } from './board-roots.ts'
import type { GateQuestion, LookResult, PlanProgram } from './compiled-plan.ts'
import { majorOf } from './execution.ts'
import { newerRegistry } from './newer-registry.ts'
import type { SkillHost } from './skill-host.ts'

type LookWorld = Pick<KindWorld, 'store' | 'host' | 'tools'>

/** A skill that calls functions of the host once, for a decision that is made again without them. */
export interface DryProgram extends PlanProgram {
  dryRun(question: GateQuestion): readonly FunctionResult[]
}

/**
 * The port `skills.look`: reads everything outside that the gate decides on, once: the state of the version, its late executions, the facts
 * and functions of the host, its tools. The decision itself is made by the step from what was read, so a replay makes it again (design skill 2).
 */
export function lookPort(world: LookWorld, host: SkillHost): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    perform: (call) => look(call, world, host),
  }
}

async function look(call: Call<RunSettings>, world: LookWorld, host: SkillHost): Promise<LookResult> {
  const program = call.def as DryProgram
  const { id, version, llm_support } = program.manifest
  const names = { active: entryNames.active(id), state: entryNames.state(id, version), use: entryNames.use(id) }
  const refs = llm_support.parsers.map(({ prompt_ref }) => prompt_ref)
  const pins = new Map(llm_support.parsers.map(({ prompt_ref, prompt_sha256 }) => [prompt_ref, prompt_sha256]))
  const ledger = await world.store.latest(skillLedger(host.project, host.env), [
    ...Object.values(names),
    ...refs.map(promptName),
    FORMAT_ENTRY,
  ])
  const value = (name: string): Json | undefined => ledger.entries.find((entry) => entry.name === name)?.value
  const newer = newerFormat(value(FORMAT_ENTRY))
  if (newer !== undefined) throw newerRegistry(host.project, newer)
  const now = world.host.now()
  const found: LookResult = {
    env: host.env,
    project: host.project,
    now: new Date(now).toISOString(),
    facts: host.compat,
    principal: host.principal ?? { id: call.settings.actor, roles: [] },
    state: stateOf(call, value(names.state), value(names.active), program),
    tools: [...new Set([...world.tools.names(), ...host.tools.map(({ name }) => name)])],
    hostFacts: await factsOf(host),
    stats: recentStats(readUse(value(names.use)), majorOf(version), now),
    tau: host.tau,
    policyMode: host.policyMode,
    functionResults: [],
    confirmed: [],
    prompts: Object.fromEntries(refs.flatMap((ref) => promptOf(ref, value(promptName(ref)), pins.get(ref)))),
  }
  const { inputs, parsed = [] } = isObject(call.args) ? call.args : {}
  const board = boardRoots(call.reader().snapshot())
  const { proposal } = readArgs(call.frame.args)
  const question = {
    inputs: isObject(inputs) ? inputs : {},
    proposal,
    look: found,
    board,
    parsed: parsed as unknown as GateQuestion['parsed'],
  }
  return { ...found, functionResults: program.dryRun(question) }
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

async function factsOf({ facts }: SkillHost): Promise<JsonObject> {
  const found = await Promise.all(Object.entries(facts).map(async ([name, read]) => [name, await read()] as const))
  return Object.fromEntries<Json>(found)
}

/** A prompt that was changed since its manifest was kept is absent: the skill would be another one (reference skill 1.3). */
function promptOf(ref: string, value: Json | undefined, pin: string | undefined): readonly (readonly [string, string])[] {
  return typeof value === 'string' && (pin === undefined || digest(value) === pin) ? [[ref, value]] : []
}
