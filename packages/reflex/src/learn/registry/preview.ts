import type { Json, JsonObject } from '../../kernel/index.ts'
import { composeBulletin } from '../../kinds/skill/bulletin/bulletin.ts'
import type { BulletinTurn } from '../../kinds/skill/bulletin/candidates.ts'
import { skillInputs } from '../../kinds/skill/face/inputs.ts'
import { decide, dryRun } from '../../kinds/skill/gate/decide.ts'
import { chooseVersion } from '../../kinds/skill/ledger/split.ts'
import { changedPrompt } from '../../kinds/skill/manifest/prompts.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { Bulletin } from '../../kinds/skill/model/card.ts'
import type { DecisionRecord } from '../../kinds/skill/model/decision.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { SkillHost } from '../../kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../kinds/skill/plan/skill-program.ts'
import type { KeptSkill } from './kept-skill.ts'

/** The turn for which a bulletin is composed, or a decision made. */
export interface PreviewTurn {
  /** Absent for a program that calls: it has no text of a user. */
  readonly user?: string | undefined
  readonly now: number
  readonly actor: string
  readonly host: SkillHost
  readonly tools: readonly SkillTool[]
  /** The prompts that were registered with the skills, by their references. */
  readonly prompts?: Readonly<Record<string, string>>
}

/** Composes the bulletin that a wrapped agent would get in its first turn for a text of a user. Nothing is written down. */
export async function previewBulletin(skills: readonly KeptSkill[], given: PreviewTurn): Promise<Bulletin> {
  const { host, tools, prompts = {} } = given
  const promptOf = (ref: string): string | undefined => host.prompts?.[ref] ?? prompts[ref]
  const maker = new SkillMaker(host, () => tools)
  const installed = skills
    .filter((one) => isChosen(one) && changedPrompt(one.manifest, promptOf) === undefined)
    .map(({ manifest, state, stats }) => {
      return { skill: maker.compile(manifestJson(manifest)).bound, state: state.state, stats, followed: 0 }
    })
  return composeBulletin(installed, await turnOf(given), {
    turn: PREVIEW,
    kCards: MOST_CARDS,
    carrier: 'text',
    done: new Set(),
    epsilon: Math.round(host.epsilon * 1e6),
    transitions: { executed: 0, skills: installed.length },
  })
}

/** Makes the decision that the gate would make on a proposal now. Nothing is written down or carried out. Throws `R2045` for inputs that do not fit. */
export async function previewDecision(
  kept: KeptSkill,
  inputs: { readonly input: JsonObject; readonly texts: readonly string[] },
  given: PreviewTurn,
): Promise<DecisionRecord> {
  const { host, tools } = given
  const { bound } = new SkillMaker(host, () => tools).compile(manifestJson(kept.manifest))
  const { state, stats, id } = kept
  const proposal = {
    carrier: given.user === undefined ? 'program' : 'text',
    skill_ref: id,
    // Nothing is written down, so nothing has to be sealed.
    inputs: skillInputs(kept, { ...inputs, seal: (value) => (typeof value === 'string' ? value : JSON.stringify(value)) }),
  } as const
  const snapshot = { ...(await turnOf(given)), state: state.state, stats, functionResults: [], confirmed: [] }
  return decide(bound, { ...snapshot, functionResults: dryRun(bound, snapshot, proposal, host.functions) }, proposal)
}

/** The conversation of a preview: of several active versions it shows one. */
const PREVIEW = 'preview'
const MOST_CARDS = 5

function isChosen({ id, version, active }: KeptSkill): boolean {
  return active !== undefined && chooseVersion(id, active, PREVIEW)?.active.version === version
}

async function turnOf({ user, now, actor, host, tools }: PreviewTurn): Promise<BulletinTurn> {
  const facts = await Promise.all(Object.entries(host.facts).map(async ([name, read]): Promise<[string, Json]> => [name, await read()]))
  return {
    now: new Date(now).toISOString(),
    project: host.project,
    facts: host.compat,
    principal: host.principal ?? { id: actor, roles: [] },
    tools: tools.map(({ name }) => name),
    board: { ctx: {}, env: {}, ...host.board, work: {}, policy: {} },
    ...(host.goalLabels === undefined ? {} : { goalLabels: host.goalLabels }),
    hostFacts: Object.fromEntries(facts),
    ...(user === undefined ? {} : { userText: user }),
    tau: host.tau,
    policyMode: host.policyMode,
  }
}
