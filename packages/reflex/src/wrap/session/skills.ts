import { basename } from 'node:path'
import type { Reflex } from '../../app/reflex.ts'
import { type Call, digestFraction, isObject, type Json } from '../../kernel/index.ts'
import { composeBulletin } from '../../kinds/skill/bulletin/bulletin.ts'
import type { InstalledSkill } from '../../kinds/skill/bulletin/candidates.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { changedPrompt } from '../../kinds/skill/manifest/prompts.ts'
import type { Bulletin } from '../../kinds/skill/model/card.ts'
import type { TurnArgs, TurnSource } from '../../kinds/skill/model/turn.ts'
import { boardRoots } from '../../kinds/skill/plan/board-roots.ts'
import { type SkillHost, skillHost } from '../../kinds/skill/plan/skill-host.ts'
import type { SkillProgram } from '../../kinds/skill/plan/skill-program.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { SkillRegistry } from '../../learn/registry/registry.ts'
import type { RunSettings } from '../../policy/index.ts'

/** The skills that a wrapped agent is shown: those that are active in the project and environment of its host. */
export class AgentSkills {
  readonly #reflex: Reflex
  readonly host: SkillHost

  constructor(reflex: Reflex) {
    this.#reflex = reflex
    this.host = skillHost(reflex.optionsOf('skill') ?? {}, basename(reflex.workdir))
  }

  /**
   * Registers the active skills as programs, so that a turn can call them, and returns them. Of several active versions, the conversation
   * decides. A skill that this host cannot compile is left out.
   */
  async load(conversation: string): Promise<readonly InstalledSkill[]> {
    const { runtime, host, store, actor } = this.#reflex
    const { project, env } = this.host
    const place = { project, env, by: actor, sdk: '', now: () => host.now(), unique: () => host.entropy() }
    const registry = new SkillRegistry(store, place)
    const kept = (await registry.list()).filter(({ share, state }) => share > 0 && state.state === 'active')
    const eligible = await Promise.all(kept.map(async ({ manifest }) => this.#hasItsPrompts(manifest, await registry.prompts(manifest))))
    const active = kept.filter((_, i) => eligible[i])
    if (active.length === 0) return []
    await runtime.programs.load('skill')
    return chosenVersions(active, conversation).flatMap((kept) => this.#installed(kept))
  }

  #hasItsPrompts(manifest: Manifest, registered: Readonly<Record<string, string>>): boolean {
    const prompts = { ...registered, ...this.host.prompts }
    return changedPrompt(manifest, (ref) => (Object.hasOwn(prompts, ref) ? prompts[ref] : undefined)) === undefined
  }

  #installed({ id, version, manifest, state, stats }: KeptSkill): readonly InstalledSkill[] {
    const { programs } = this.#reflex.runtime
    try {
      const source = manifestJson(manifest)
      const { def } = programs.add('skill', id, source)
      programs.add('skill', `${id}@${version}`, source)
      return [{ skill: (def as SkillProgram).bound, state: state.state, stats, followed: 0 }]
    } catch {
      return []
    }
  }

  /** Composes the bulletin of a turn. `previous`: the selection of the one that the conversation still shows. */
  async bulletin(skills: readonly InstalledSkill[], call: Call<RunSettings>, previous: string | undefined): Promise<Bulletin> {
    const { facts, epsilon, tau, policyMode, project, compat, principal, tools } = this.host
    const { cards, carrier } = call.def as TurnSource
    const { user_text } = isObject(call.args) ? call.args : {}
    const { goalLabels } = (isObject(call.frame.args) ? call.frame.args : {}) as unknown as TurnArgs
    const hostFacts = await Promise.all(Object.entries(facts).map(async ([name, read]): Promise<[string, Json]> => [name, await read()]))
    const turn = {
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
    return composeBulletin(skills, turn, {
      turn: call.run,
      kCards: cards,
      carrier: carrier === 'tool' ? 'tool' : 'text',
      done: new Set(),
      previous,
      epsilon: Math.round(epsilon * 1e6),
      transitions: { executed: 0, skills: skills.length },
    })
  }
}

/** Returns one version of each skill: a conversation keeps the one that it got, as far as the shares stay. */
function chosenVersions(active: readonly KeptSkill[], conversation: string): readonly KeptSkill[] {
  const byId = Map.groupBy(active, ({ id }) => id)
  return [...byId].flatMap(([id, versions]) => {
    let rest = digestFraction(`${id}\n${conversation}`)
    const chosen = versions.find(({ share }) => (rest -= share) < 0) ?? versions.at(-1)
    return chosen === undefined ? [] : [chosen]
  })
}
