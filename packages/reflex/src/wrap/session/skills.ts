import { basename } from 'node:path'
import type { Reflex } from '../../app/reflex.ts'
import { type Call, isObject, type Json, toFault } from '../../kernel/index.ts'
import { composeBulletin } from '../../kinds/skill/bulletin/bulletin.ts'
import type { BulletinTurn, InstalledSkill } from '../../kinds/skill/bulletin/candidates.ts'
import type { ActiveEntry } from '../../kinds/skill/ledger/entries.ts'
import { chooseVersion } from '../../kinds/skill/ledger/split.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { changedPrompt } from '../../kinds/skill/manifest/prompts.ts'
import type { Bulletin } from '../../kinds/skill/model/card.ts'
import type { TurnArgs, TurnSource } from '../../kinds/skill/model/turn.ts'
import { boardRoots } from '../../kinds/skill/plan/board-roots.ts'
import { ProjectFile } from '../../kinds/skill/plan/project-file.ts'
import { type ProjectValues, type SkillHost, skillHost } from '../../kinds/skill/plan/skill-host.ts'
import type { SkillProgram } from '../../kinds/skill/plan/skill-program.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { faults } from '../../learn/registry/faults.ts'
import { lookAfterDaily } from '../../learn/registry/look-after.ts'
import { SkillRegistry } from '../../learn/registry/registry.ts'
import type { RunSettings } from '../../policy/index.ts'
import { faults as turnFaults } from './faults.ts'
import { shadowBulletin } from './shadow.ts'

/** An active version of a skill, with the versions that share its calls. */
export interface OfferedSkill extends InstalledSkill {
  readonly active: ActiveEntry
}

/** The ids of skills about which a host was warned: one warning is enough for all of its agents. */
const WARNED = new WeakMap<Reflex, Set<string>>()

/** The skills that a wrapped agent is shown: those that are active in the project and environment of its host, or in its organisation. */
export class AgentSkills {
  readonly #reflex: Reflex
  readonly host: SkillHost
  readonly #file: ProjectFile
  #reported: string | undefined

  constructor(reflex: Reflex) {
    this.#reflex = reflex
    this.host = skillHost(reflex.optionsOf('skill') ?? {}, basename(reflex.workdir))
    this.#file = new ProjectFile(reflex.workdir)
  }

  /** Returns the values of the file of the project; undefined if it has a mistake, which is reported once: the agent then works without skills. */
  async project(): Promise<ProjectValues | undefined> {
    try {
      return await this.#file.values()
    } catch (thrown) {
      const fault = toFault(thrown, (message, cause) => turnFaults.make('R2153', message, { cause }))
      const isNew = this.#reported !== String(fault)
      this.#reported = String(fault)
      if (isNew) this.#reflex.report(fault)
      return undefined
    }
  }

  /**
   * Registers the active versions as programs, so that a turn can call them, and returns them. A deprecated one can be called by its version. A
   * skill that this host cannot compile is left out. Once a day the registry is looked after first.
   */
  async load(): Promise<readonly OfferedSkill[]> {
    const { runtime, host, store, actor } = this.#reflex
    const { project, env, org } = this.host
    const place = { project, env, org, by: actor, sdk: '', now: () => host.now(), unique: () => host.entropy() }
    const registry = new SkillRegistry(store, place)
    const { skills, hidden } = await registry.reachable()
    this.#warn(hidden)
    if (!skills.some(({ share }) => share > 0)) return []
    const changed = await lookAfterDaily(registry)
    const current = changed === undefined ? skills : (await registry.reachable()).skills
    const eligible = await Promise.all(current.map(async ({ manifest }) => this.#hasItsPrompts(manifest, await registry.prompts(manifest))))
    await runtime.programs.load('skill')
    return current.flatMap((kept, i) => (eligible[i] === true ? this.#installed(kept) : []))
  }

  #hasItsPrompts(manifest: Manifest, registered: Readonly<Record<string, string>>): boolean {
    const prompts = { ...registered, ...this.host.prompts }
    return changedPrompt(manifest, (ref) => (Object.hasOwn(prompts, ref) ? prompts[ref] : undefined)) === undefined
  }

  /** An organisation has a skill that the project has, too: nobody would notice which one is used. */
  #warn(hidden: readonly string[]): void {
    const warned = WARNED.get(this.#reflex) ?? new Set<string>()
    WARNED.set(this.#reflex, warned)
    for (const id of hidden) {
      if (warned.has(id)) continue
      warned.add(id)
      const message = `the skill ${id} of the project ${this.host.project} hides that of the organisation ${this.host.org ?? ''}`
      this.#reflex.report(faults.finding('R1499', message, { rule: 'registry.shadowed', path: id }))
    }
  }

  #installed({ id, version, manifest, state, stats, share, active }: KeptSkill): readonly OfferedSkill[] {
    const { programs } = this.#reflex.runtime
    const isActive = share > 0 && state.state === 'active'
    if (!isActive && state.state !== 'deprecated') return []
    try {
      const source = manifestJson(manifest)
      const { def } = programs.add('skill', `${id}@${version}`, source)
      if (!isActive || active === undefined) return []
      if (active.versions[0]?.version === version) programs.add('skill', id, source)
      return [{ skill: (def as SkillProgram).bound, state: state.state, stats, followed: 0, active }]
    } catch {
      return []
    }
  }

  /** Composes the bulletin of a turn. `previous`: the selection of the one that the conversation still shows. */
  async bulletin(skills: readonly OfferedSkill[], call: Call<RunSettings>, previous: string | undefined): Promise<Bulletin> {
    const { epsilon, mode } = this.host
    const { cards, carrier } = call.def as TurnSource
    const turn = await this.#turn(call)
    const chosen = chosenVersions(skills, conversationOf(call))
    const bulletin = composeBulletin(chosen, turn, {
      turn: call.run,
      kCards: cards,
      carrier: carrier === 'tool' ? 'tool' : 'text',
      done: new Set(),
      previous,
      epsilon: Math.round(epsilon * 1e6),
      transitions: { executed: 0, skills: chosen.length },
    })
    return mode === 'shadow' ? shadowBulletin(bulletin, chosen, turn, this.host.functions) : bulletin
  }

  async #turn(call: Call<RunSettings>): Promise<BulletinTurn> {
    const { facts, tau, policyMode, project, compat, principal, tools } = this.host
    const { user_text } = isObject(call.args) ? call.args : {}
    const { goalLabels } = turnArgs(call)
    const hostFacts = await Promise.all(Object.entries(facts).map(async ([name, read]): Promise<[string, Json]> => [name, await read()]))
    return {
      now: new Date(this.#reflex.host.now()).toISOString(),
      project,
      facts: compat,
      principal: principal ?? { id: call.settings.actor, roles: [] },
      tools: [...new Set([...this.#reflex.tools.names(), ...tools.map(({ name }) => name)])],
      board: boardRoots(call.reader().snapshot()),
      hostFacts: Object.fromEntries(hostFacts),
      userText: typeof user_text === 'string' ? user_text : '',
      ...(goalLabels === undefined ? {} : { goalLabels }),
      tau,
      policyMode,
    }
  }
}

function turnArgs({ frame }: Call<RunSettings>): TurnArgs {
  return isObject(frame.args) ? frame.args : {}
}

/** The gate chooses by the same text, so that the version which is shown is the one that is carried out. */
function conversationOf(call: Call<RunSettings>): string {
  return turnArgs(call).conversation ?? call.run
}

/** Returns one version of each skill: the chosen one, or another if this host cannot compile it. */
function chosenVersions(skills: readonly OfferedSkill[], conversation: string): readonly OfferedSkill[] {
  return [...Map.groupBy(skills, ({ skill }) => skill.manifest.id)].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return []
    const version = chooseVersion(id, first.active, conversation)?.active.version
    return [[first, ...others].find(({ skill }) => skill.manifest.version === version) ?? first]
  })
}
