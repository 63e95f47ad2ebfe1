import { didYouMean, quote, suggest } from '../../text/index.ts'
import type { Json, LedgerEntry, NewEntry, Store } from '../../kernel/index.ts'
import {
  type ActiveEntry,
  entryNames,
  type ManifestEntry,
  orgLedger,
  newerFormat,
  promptName,
  readActive,
  readManifestEntry,
  REGISTRY_FORMAT,
  skillLedger,
} from '../../kinds/skill/ledger/entries.ts'
import type { SkillState } from '../../kinds/skill/model/decision.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { type CiEntry, entryJson, registryNames } from './entries.ts'
import { type Eviction, planEvictions } from './eviction.ts'
import { faults } from './faults.ts'
import { type EntryValue, keptSkill, type KeptSkill } from './kept-skill.ts'
import { pointerWith } from './rollout.ts'
import { changeProblem } from './states.ts'

/** The project and environment of a registry, and who changes it. */
export interface RegistryPlace {
  readonly project: string
  readonly env: string
  /** The organisation above the project. */
  readonly org?: string | undefined
  /** `org`: the registry of the organisation itself. */
  readonly scope?: KeptSkill['scope'] | undefined
  readonly by: string
  /** The major version of Reflex: tests of another one do not count. */
  readonly sdk: string
  readonly now: () => number
  /** Returns a text that was never returned before: the key of a change. */
  readonly unique: () => string
}

/** The registry of the skills of a project and environment, or of an organisation: a ledger of the store (reference skill 1.24). */
export class SkillRegistry {
  readonly #store: Store
  readonly #place: RegistryPlace
  readonly #ledger: string

  constructor(store: Store, place: RegistryPlace) {
    this.#store = store
    this.#place = place
    const { project, env, org, scope } = place
    this.#ledger = scope === 'org' && org !== undefined ? orgLedger(org, env) : skillLedger(project, env)
  }

  /** True for the registry of an organisation: executions are those of its projects, so nobody knows here how often a skill is used. */
  get isOrg(): boolean {
    return this.#place.scope === 'org'
  }

  /** Returns every version of every skill, by id and then in the order in which the versions came. Throws `R1494`. */
  async list(): Promise<readonly KeptSkill[]> {
    const byName = await this.#entries(this.#ledger)
    return this.#skillsIn(byName, (name) => byName.get(name)?.value, this.#place.scope)
  }

  /**
   * Returns the skills that calls of the project can reach: its own, and the active ones of its organisation of which it has no active version
   * itself. `hidden`: the ids that both have active. Throws `R1494`.
   */
  async reachable(): Promise<{ readonly skills: readonly KeptSkill[]; readonly hidden: readonly string[] }> {
    const own = await this.#entries(this.#ledger)
    const skills = this.#skillsIn(own, (name) => own.get(name)?.value)
    const { org, env } = this.#place
    if (org === undefined || this.isOrg) return { skills, hidden: [] }
    const above = await this.#entries(orgLedger(org, env))
    const used = (name: string): Json | undefined => (/^(?:use|figures)\//.test(name) ? own : above).get(name)?.value
    const theirs = this.#skillsIn(above, used, 'org').filter(({ share }) => share > 0)
    const active = new Set(skills.flatMap(({ id, share }) => (share > 0 ? [id] : [])))
    const hidden = [...new Set(theirs.flatMap(({ id }) => (active.has(id) ? [id] : [])))]
    return { skills: [...skills, ...theirs.filter(({ id }) => !active.has(id))].sort(byId), hidden }
  }

  async #entries(ledger: string): Promise<ReadonlyMap<string, LedgerEntry>> {
    const { entries } = await this.#store.latest(ledger)
    const byName = new Map(entries.map((entry) => [entry.name ?? '', entry]))
    this.#checkFormat(byName)
    return byName
  }

  #skillsIn(byName: ReadonlyMap<string, LedgerEntry>, value: EntryValue, scope?: KeptSkill['scope']): KeptSkill[] {
    const kept = [...byName].flatMap(([name, entry]) => {
      const manifest = name.startsWith('manifest/') ? readManifestEntry(entry.value) : undefined
      return manifest === undefined ? [] : [keptSkill(manifest, value, this.#place.now(), scope)]
    })
    return kept.sort(byId)
  }

  /** Returns a version, by `id@version` or by the id of a skill: then its active version, otherwise its newest. Throws `R1493`. */
  async find(reference: string): Promise<KeptSkill> {
    const all = await this.list()
    const [id = '', version] = reference.split('@')
    const found = all.filter((one) => one.id === id)
    const chosen =
      version === undefined ? (found.find(({ share }) => share > 0) ?? found.at(-1)) : found.find((one) => one.version === version)
    if (chosen !== undefined) return chosen
    if (found.length > 0)
      throw faults.make('R1493', `${id} has no version ${version ?? ''}`, { fix: `it has ${found.map((one) => one.version).join(', ')}` })
    const guess = didYouMean(suggest(id, [...new Set(all.map((one) => one.id))]))
    const where = `${this.#place.project}, ${this.#place.env}`
    const message = `there is no skill ${quote(id)} in ${where}${guess === undefined ? '' : `; ${guess}`}`
    throw faults.make('R1493', message, all.length > 0 ? {} : { fix: 'reflex skill test FILE tests the file of a skill and keeps it' })
  }

  /**
   * Keeps a manifest as a draft, with the texts of its prompts. The same text again changes nothing, and returns
   * false. Throws `R1490` for another text of the version.
   */
  async put(manifest: Manifest, hash: string, origin: string, prompts: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const { id, version } = manifest
    const name = entryNames.manifest(id, version)
    const { entries } = await this.#store.latest(this.#ledger, [name, registryNames.format])
    this.#checkFormat(new Map(entries.map((entry) => [entry.name ?? '', entry])))
    const before = readManifestEntry(entries.find((entry) => entry.name === name)?.value)
    if (before?.hash === hash) return false
    if (before !== undefined) throw immutable(id, version)
    const { now, by } = this.#place
    const entry: ManifestEntry = { hash, manifest, origin, at: now(), by }
    const appended = await this.#append(`put:${hash}`, [
      { name: registryNames.format, value: { v: REGISTRY_FORMAT } },
      { name, value: entryJson(entry), after: 0 },
      { name: entryNames.state(id, version), value: this.#state('draft', `kept from ${origin}`), after: 0 },
      ...Object.entries(prompts).map(([reference, text]) => ({ name: promptName(reference), value: text })),
    ])
    if (!appended) throw immutable(id, version)
    return true
  }

  /** Returns the texts of the prompts that a manifest names, by their references. */
  async prompts({ llm_support }: Manifest): Promise<Readonly<Record<string, string>>> {
    const names = new Map(llm_support.parsers.map(({ prompt_ref }) => [promptName(prompt_ref), prompt_ref]))
    if (names.size === 0) return {}
    const { entries } = await this.#store.latest(this.#ledger, [...names.keys()])
    const found = entries.flatMap(({ name = '', value }) => (typeof value === 'string' ? [[names.get(name) ?? name, value] as const] : []))
    return Object.fromEntries(found)
  }

  /** Keeps the unit cases of a manifest, in place of those that it had. */
  async keepCases(hash: string, cases: readonly Json[]): Promise<void> {
    await this.#write([{ name: registryNames.cases(hash), value: cases }])
  }

  /** Returns the unit cases of a manifest; none if none were kept. */
  async cases(hash: string): Promise<readonly Json[]> {
    const { entries } = await this.#store.latest(this.#ledger, [registryNames.cases(hash)])
    const value = entries[0]?.value
    return Array.isArray(value) ? (value as readonly Json[]) : []
  }

  /** Changes the state of a version. Throws `R1491` for a change that is not allowed. */
  async change(skill: KeptSkill, to: SkillState, reason: string): Promise<void> {
    const problem = changeProblem(skill.state.state, to)
    if (problem !== undefined)
      throw faults.make('R1491', `${skill.id}@${skill.version} is ${skill.state.state} and cannot become ${to}`, { fix: problem })
    await this.#write([{ name: entryNames.state(skill.id, skill.version), value: this.#state(to, reason) }])
  }

  /** Writes down the result of tests: a passed one makes a version tested, a failed one leaves a tested version a candidate. */
  async tested(skill: KeptSkill, ci: Omit<CiEntry, 'at' | 'sdk' | 'failures'>): Promise<void> {
    const failures = ci.passed ? 0 : (skill.ci?.failures ?? 0) + 1
    const entry: CiEntry = { ...ci, failures, at: this.#place.now(), sdk: this.#place.sdk }
    const to = ci.passed ? 'tested' : 'candidate'
    const isMoved = skill.state.state !== 'active' && changeProblem(skill.state.state, to) === undefined
    await this.#write([
      { name: registryNames.ci(skill.hash), value: entryJson(entry) },
      ...(isMoved
        ? [{ name: entryNames.state(skill.id, skill.version), value: this.#state(to, ci.passed ? 'its tests passed' : 'its tests failed') }]
        : []),
    ])
  }

  /**
   * Gives a version the calls of its skill: a share, or what the rollout of its manifest leaves to it, otherwise all of them. The change is one
   * append, and what goes on keeps its version. Throws `R1492` without passed tests, and `R1491`.
   */
  async activate(skill: KeptSkill, share?: number, why = 'approved'): Promise<void> {
    if (!this.hasPassed(skill)) throw notTested(skill)
    const problem = changeProblem(skill.state.state, 'active')
    if (problem !== undefined) throw faults.make('R1491', `${skill.id}@${skill.version} is ${skill.state.state}`, { fix: problem })
    const before = (await this.#active(skill.id))?.versions ?? []
    const { version, hash, figures, manifest } = skill
    const pointer = pointerWith({ versions: before }, { version, hash, figures, rollout: manifest.rollout, share })
    const { now, by } = this.#place
    const active: ActiveEntry = { ...pointer, since: now(), by }
    const replaced = before.filter((one) => !pointer.versions.some((left) => left.version === one.version))
    const own = pointer.versions.find((one) => one.version === version)?.share
    await this.#write([
      { name: entryNames.active(skill.id), value: entryJson(active) },
      {
        name: entryNames.state(skill.id, skill.version),
        value: this.#state('active', own === undefined ? why : `gets ${Math.round(own * 1000) / 10} % of the calls`),
      },
      ...replaced.map((one) => ({
        name: entryNames.state(skill.id, one.version),
        value: this.#state('deprecated', `replaced by ${version}`),
      })),
    ])
  }

  /** Takes a version out of use: it gets no calls any more. */
  async retire(skill: KeptSkill, to: 'deprecated' | 'evicted' | 'quarantined', reason: string): Promise<void> {
    const problem = changeProblem(skill.state.state, to)
    if (problem !== undefined)
      throw faults.make('R1491', `${skill.id}@${skill.version} is ${skill.state.state} and cannot become ${to}`, { fix: problem })
    const before = await this.#active(skill.id)
    const left = (before?.versions ?? []).filter(({ version }) => version !== skill.version)
    const { now, by } = this.#place
    const pointer: NewEntry =
      left.length === 0
        ? { name: entryNames.active(skill.id) }
        : { name: entryNames.active(skill.id), value: entryJson({ ...before, versions: left, since: now(), by }) }
    await this.#write([pointer, { name: entryNames.state(skill.id, skill.version), value: this.#state(to, reason) }])
  }

  /** Notes that the registry was looked after now. Returns false if that was done less than `every` milliseconds ago, by whatever process. */
  async isDue(every: number): Promise<boolean> {
    const name = registryNames.looked
    const { entries } = await this.#store.latest(this.#ledger, [name])
    const [before] = entries
    const now = this.#place.now()
    if (typeof before?.value === 'number' && now - before.value < every) return false
    return this.#append(`skill:${this.#place.unique()}`, [{ name, value: now, after: before?.seq ?? 0 }])
  }

  /** Takes out of use what is not used, what fails its tests and what is too much. Returns the changes, and a warning if there is little room. */
  async sweep(): Promise<{ readonly changes: readonly Eviction[]; readonly warning?: string }> {
    const all = await this.list()
    const plan = planEvictions(all, this.#place.now(), { isUseKnown: !this.isOrg })
    for (const { skill, to, reason } of plan.changes) await this.retire(skill, to, reason)
    return plan
  }

  /** Keeps what a client of a control plane remembers, by its name. */
  async remember(what: string, value: Json): Promise<void> {
    await this.#write([{ name: registryNames.control(what), value }])
  }

  /** Returns what was remembered under a name. */
  async remembered(what: string): Promise<Json | undefined> {
    const { entries } = await this.#store.latest(this.#ledger, [registryNames.control(what)])
    return entries[0]?.value
  }

  /** True if tests of exactly this text by this version of Reflex have passed. */
  hasPassed({ ci }: KeptSkill): boolean {
    return ci?.passed === true && ci.sdk === this.#place.sdk
  }

  async #active(id: string): Promise<ActiveEntry | undefined> {
    const name = entryNames.active(id)
    const { entries } = await this.#store.latest(this.#ledger, [name])
    return readActive(entries.find((entry) => entry.name === name)?.value)
  }

  #checkFormat(byName: ReadonlyMap<string, LedgerEntry>): void {
    const v = newerFormat(byName.get(registryNames.format)?.value)
    if (v !== undefined)
      throw faults.make('R1494', `the registry of ${this.#place.project} has form ${v}; this Reflex knows ${REGISTRY_FORMAT}`)
  }

  #state(state: SkillState, reason: string): Json {
    return entryJson({ state, reason, since: this.#place.now(), by: this.#place.by })
  }

  async #write(entries: readonly NewEntry[]): Promise<void> {
    await this.#append(`skill:${this.#place.unique()}`, entries)
  }

  async #append(key: string, entries: readonly NewEntry[]): Promise<boolean> {
    return 'numbers' in (await this.#store.appendAll(this.#ledger, key, entries, this.#place.now()))
  }
}

function byId({ id: one }: KeptSkill, { id: other }: KeptSkill): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function immutable(id: string, version: string): Error {
  return faults.make('R1490', `${id}@${version} is in the registry with another text`, { fix: 'give the manifest the next version' })
}

/** The fault of a version whose tests have not passed. */
export function notTested({ id, version, ci }: KeptSkill): Error {
  const why = ci === undefined ? 'was never tested' : ci.passed ? 'was tested by another version of Reflex' : 'has failed its tests'
  return faults.make('R1492', `${id}@${version} ${why}`, { fix: `reflex skill test ${id}@${version}` })
}
