import { digest, isObject, type Json, type Store } from '../../kernel/index.ts'
import type {
  PolicyCheck,
  PolicyVerdict,
  Promotion,
  PromotionState,
  SyncAnswer,
  SyncedSkill,
  Telemetry,
  UsageRow,
} from '../../kinds/skill/control/messages.ts'
import { skillLedger } from '../../kinds/skill/ledger/entries.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import { decodeSkill } from '../../kinds/skill/manifest/read-skill.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { KeptSkill } from '../registry/kept-skill.ts'
import { SkillRegistry, type RegistryPlace } from '../registry/registry.ts'

/** What the control plane of a small team is made of. */
export interface OwnPlaneWorld extends Omit<RegistryPlace, 'project' | 'env' | 'by'> {
  readonly store: Store
}

/** Seconds for which a permission may be kept. */
const VERDICT_LASTS = 60
/** Milliseconds for which reports and promotions are kept. */
const KEPT_MS = 90 * 86_400_000

/**
 * A control plane whose policy is the registries of its store: what is active there may run, what was taken out there may not, and anything else
 * needs a promotion (reference skill 1.25). It is for tests and small teams; it does not sign.
 */
export class OwnPlane {
  readonly #world: OwnPlaneWorld

  constructor(world: OwnPlaneWorld) {
    this.#world = world
  }

  async check({ project, env, skill: { id, version, content_hash } }: PolicyCheck): Promise<PolicyVerdict> {
    const { last } = await this.#world.store.latest(skillLedger(project, env), [])
    const found = (await this.#registry(project, env).list()).find((one) => one.id === id && one.version === version)
    const policy_version = `${project}/${env}/${last}`
    // A promotion counts from the next question on.
    const said = { policy_version, ttl_s: 0 }
    if (found === undefined || found.hash !== content_hash)
      return { verdict: 'needs_promotion', reason: `${id}@${version} with this text is not in ${env}`, ...said }
    const { state, reason } = found.state
    if (state === 'active' || state === 'deprecated')
      return { verdict: 'allow', reason: `${state} in ${env}`, policy_version, ttl_s: VERDICT_LASTS }
    const isOut = state === 'quarantined' || state === 'evicted'
    return { verdict: isOut ? 'deny' : 'needs_promotion', reason: `${state} in ${env}${reason === '' ? '' : `: ${reason}`}`, ...said }
  }

  /** Returns the versions that have changed after a cursor; without one, all that are or were in use. */
  async sync(project: string, env: string, since = 0): Promise<SyncAnswer> {
    const registry = this.#registry(project, env)
    const { entries, last } = await this.#world.store.latest(skillLedger(project, env))
    const changed = (name: string): boolean => entries.some((entry) => entry.name === name && entry.seq > since)
    const skills: SyncedSkill[] = []
    for (const kept of await registry.list()) {
      const state = sentState(kept)
      if (state === undefined || !changed(`state/${kept.id}@${kept.version}`)) continue
      skills.push({
        manifest: manifestJson(kept.manifest) as SyncedSkill['manifest'],
        content_hash: kept.hash,
        state,
        ...(state === 'active' && kept.state.by !== '' ? { approved_by: kept.state.by } : {}),
        prompts: await registry.prompts(kept.manifest),
        cases: [...(await registry.cases(kept.hash))] as NonNullable<SyncedSkill['cases']>,
      })
    }
    return { cursor: last, skills }
  }

  /** Carries a promotion out. `by`: the person whose token asks, who approves it. Returns its id; the same key gives the same one. */
  async promote(asked: Promotion, { key, by }: { readonly key: string; readonly by: string }): Promise<string> {
    const id = digest(`${by}\n${key}`).slice(0, 32)
    if ((await this.promotion(id)) !== undefined) return id
    const reason = await this.#carryOut(asked, by)
    const { unit, fuzz } = asked.ci_report
    const state: PromotionState = {
      status: reason === undefined ? 'passed' : 'failed',
      environments: reason === undefined ? [{ env: asked.to_env, unit, fuzz }] : [],
      reason: reason ?? `active in ${asked.to_env}`,
    }
    const { store, now } = this.#world
    await store.appendAll(PROMOTIONS, id, [{ name: id, value: state as unknown as Json }], now(), { keep: KEPT_MS })
    return id
  }

  async promotion(id: string): Promise<PromotionState | undefined> {
    const { entries } = await this.#world.store.latest(PROMOTIONS, [id])
    const value = entries[0]?.value
    return isObject(value) ? (value as unknown as PromotionState) : undefined
  }

  /** Keeps a report. The same key again keeps nothing. */
  async report(report: Telemetry, key: string): Promise<void> {
    const { store, now } = this.#world
    const value = { window: report.window, skills: report.skills } as unknown as Json
    await store.appendAll(telemetryLedger(report.project, report.env), key, [{ value }], now(), { keep: KEPT_MS })
  }

  /** Returns what was reported of a project, summed up by version. */
  async usage(project: string, env: string): Promise<readonly UsageRow[]> {
    const sums = new Map<string, UsageRow>()
    for (const { value } of await this.#world.store.ledger(telemetryLedger(project, env))) {
      const rows = isObject(value) && Array.isArray(value['skills']) ? (value['skills'] as unknown as readonly UsageRow[]) : []
      for (const row of rows) {
        const name = `${row.skill_id}@${row.version}`
        const sum = sums.get(name)
        sums.set(name, sum === undefined ? row : added(sum, row))
      }
    }
    return [...sums.values()].sort((a, b) => (`${a.skill_id}@${a.version}` < `${b.skill_id}@${b.version}` ? -1 : 1))
  }

  /** Returns why a promotion cannot be carried out; undefined if it was. */
  async #carryOut({ project, skill, from_env, to_env, ci_report, manifest }: Promotion, by: string): Promise<string | undefined> {
    const name = `${skill.id}@${skill.version}`
    if (!ci_report.passed) return `the tests of ${name} have not passed`
    const here = (await this.#registry(project, from_env).list()).find((one) => `${one.id}@${one.version}` === name)
    const read = manifest === undefined ? here : decodeSkill(manifest, { tools: toolsIn(manifest) }).skill
    if (read === undefined) return manifest === undefined ? `${name} is not in ${from_env}, and was not sent along` : `${name} is not valid`
    if (read.hash !== skill.content_hash) return `${name} has another text than the one that was tested`
    const target = this.#registry(project, to_env, by)
    await target.put(read.manifest, read.hash, 'promotion')
    if (here !== undefined) await target.keepCases(read.hash, await this.#registry(project, from_env).cases(read.hash))
    await target.tested(await target.find(name), { ...ci_report })
    await target.activate(await target.find(name), 1, `promoted from ${from_env}`)
    return undefined
  }

  #registry(project: string, env: string, by = 'control plane'): SkillRegistry {
    return new SkillRegistry(this.#world.store, { ...this.#world, project, env, by })
  }
}

/** The tools that a manifest names. A control plane has none of them: what they change is judged where the skill runs. */
function toolsIn(manifest: NonNullable<Promotion['manifest']>): readonly SkillTool[] {
  const { preconditions } = isObject(manifest) ? manifest : {}
  const names = isObject(preconditions) && Array.isArray(preconditions['tools_available']) ? preconditions['tools_available'] : []
  return names.flatMap((name) => (typeof name === 'string' ? [{ name, sideEffects: 'none', idempotent: true } as const] : []))
}

const PROMOTIONS = 'skill-promotions'

function telemetryLedger(project: string, env: string): string {
  return `skill-telemetry/${project}/${env}`
}

function sentState({ state: { state } }: KeptSkill): SyncedSkill['state'] | undefined {
  if (state === 'active' || state === 'deprecated') return state
  return state === 'quarantined' || state === 'evicted' ? 'revoked' : undefined
}

function added(sum: UsageRow, row: UsageRow): UsageRow {
  return {
    ...row,
    calls: sum.calls + row.calls,
    success: sum.success + row.success,
    fallback: sum.fallback + row.fallback,
    clarify: sum.clarify + row.clarify,
    denied: sum.denied + row.denied,
  }
}
