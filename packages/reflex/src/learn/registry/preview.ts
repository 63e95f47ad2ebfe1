import { composeBulletin } from '../../kinds/skill/bulletin/bulletin.ts'
import type { Bulletin } from '../../kinds/skill/model/card.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { skillHost, type SkillOptions } from '../../kinds/skill/plan/skill-host.ts'
import { changedPrompt } from '../../kinds/skill/manifest/prompts.ts'
import { SkillMaker } from '../../kinds/skill/plan/skill-program.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { KeptSkill } from './kept-skill.ts'

/** The turn for which a bulletin is composed. */
export interface PreviewTurn {
  readonly user: string
  readonly now: number
  readonly actor: string
  readonly folder: string
  readonly tools: readonly SkillTool[]
  readonly options?: SkillOptions
  /** The prompts that were registered with the skills, by their references. */
  readonly prompts?: Readonly<Record<string, string>>
}

/** Composes the bulletin that a wrapped agent would get in its first turn for a text of a user. Nothing is written down. */
export function previewBulletin(
  skills: readonly KeptSkill[],
  { user, now, actor, folder, tools, options = {}, prompts = {} }: PreviewTurn,
): Bulletin {
  const host = skillHost(options, folder)
  const promptOf = (ref: string): string | undefined => host.prompts?.[ref] ?? prompts[ref]
  const maker = new SkillMaker(host, () => tools)
  const active = skills.filter(({ share, manifest }) => share > 0 && changedPrompt(manifest, promptOf) === undefined)
  const installed = active.map(({ manifest, state, stats }) => {
    return { skill: maker.compile(manifestJson(manifest)).bound, state: state.state, stats, followed: 0 }
  })
  const turn = {
    now: new Date(now).toISOString(),
    project: host.project,
    facts: host.compat,
    principal: host.principal ?? { id: actor, roles: [] },
    tools: tools.map(({ name }) => name),
    board: { ctx: {}, env: {}, ...host.board, work: {}, policy: {} },
    ...(host.goalLabels === undefined ? {} : { goalLabels: host.goalLabels }),
    hostFacts: {},
    userText: user,
    tau: host.tau,
    policyMode: host.policyMode,
  }
  const transitions = { executed: 0, skills: installed.length }
  return composeBulletin(installed, turn, {
    turn: 'preview',
    kCards: MOST_CARDS,
    carrier: 'text',
    done: new Set(),
    epsilon: host.epsilon,
    transitions,
  })
}

const MOST_CARDS = 5
