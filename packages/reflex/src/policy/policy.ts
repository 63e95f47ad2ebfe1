import { type Fault, faults, type Policy } from '../kernel/index.ts'
import { type Capability, covers, type Pattern, readCapability, readPattern } from './capability.ts'
import { checkPattern, type PolicyFile } from './file.ts'
import { type Grant, grantsOf, type Trust, TRUST_LEVELS } from './trust.ts'

export interface PolicySettings {
  /** How far a run is trusted: one level for all, or what was stored with the run. */
  readonly trust: Trust | ((run: string) => Trust)
  /** The work folder, its real path: links in it are resolved before the policy sees a path. */
  readonly workdir: string
  /** The run's own folder, its real path. */
  readonly runFolder: (run: string) => string
  /** What the operator allows and denies beside the level of trust. */
  readonly grants?: readonly (Partial<PolicyFile> & Pick<PolicyFile, 'file'>)[]
  /** Folders that Reflex keeps for itself; `.reflex` in the work folder unless said otherwise. */
  readonly reserved?: readonly string[]
}

/** Whether something is allowed, and who says so. */
export interface Verdict {
  readonly allowed: boolean
  /** Such as `probationary`, `deploy.policy.json`, or `nobody`. */
  readonly by: string
  /** The grant or the denial that decided, or why the capability cannot be understood. */
  readonly rule?: string | undefined
}

/** The policy of an operator; it can also be asked about a single capability. */
export interface OperatorPolicy extends Policy {
  allows(run: string, capability: string): boolean
  judge(run: string, capability: string): Verdict
}

interface Rights {
  readonly trust: Trust
  readonly granted: readonly Grant[]
  readonly allowed: readonly (readonly [by: string, pattern: Pattern])[]
  readonly denied: readonly (readonly [by: string, pattern: Pattern])[]
}

/**
 * Decides by capabilities. An effect may happen when each capability that it needs is granted, by the run's level of
 * trust or by the operator, and none is denied; else the answer is the fault `R3001`. What cannot be understood is
 * refused. Grants of the operator that cannot be understood throw `R3012` here, before any run.
 */
export function createPolicy(settings: PolicySettings): OperatorPolicy {
  const { grants = [] } = settings
  for (const { allow = [], deny = [], file } of grants) {
    for (const [i, text] of allow.entries()) checkPattern(text, `allow[${i}]`, file)
    for (const [i, text] of deny.entries()) checkPattern(text, `deny[${i}]`, file)
  }
  const trustOf = (run: string): Trust => (typeof settings.trust === 'function' ? settings.trust(run) : settings.trust)
  // One run after another asks, each many times.
  let last: { readonly run: string; readonly rights: Rights } | undefined
  const rightsIn = (run: string): Rights => {
    const trust = trustOf(run)
    if (last?.run !== run || last.rights.trust !== trust) last = { run, rights: rightsOf(settings, run, trust) }
    return last.rights
  }
  const judge = (run: string, capability: string): Verdict => judgeBy(rightsIn(run), capability)
  return {
    ask: ({ run }, { needs = [] }) => (needs.length === 0 ? undefined : refusal(settings, run, rightsIn(run), needs)),
    allows: (run, capability) => judge(run, capability).allowed,
    judge,
  }
}

function rightsOf(settings: PolicySettings, run: string, trust: Trust): Rights {
  const { workdir, grants = [] } = settings
  const folders = { work: workdir, run: settings.runFolder(run) }
  const read = (list: 'allow' | 'deny'): [string, Pattern][] =>
    grants.flatMap((grant) =>
      (grant[list] ?? []).flatMap((text): [string, Pattern][] => {
        const pattern = readPattern(text, folders)
        return 'problem' in pattern ? [] : [[grant.file ?? 'the operator', pattern]]
      }),
    )
  return {
    trust,
    granted: grantsOf(trust, folders, settings.reserved ?? [`${workdir}/.reflex`]),
    allowed: read('allow'),
    denied: read('deny'),
  }
}

function judgeBy({ trust, granted, allowed, denied }: Rights, text: string): Verdict {
  const need = readCapability(text)
  if ('problem' in need) return { allowed: false, by: 'nobody', rule: need.problem }
  const rule = (list: Rights['allowed']): Omit<Verdict, 'allowed'> | undefined => {
    const found = list.find(([, pattern]) => covers(pattern, need))
    return found === undefined ? undefined : { by: found[0], rule: found[1].text }
  }
  const denial = rule(denied)
  if (denial !== undefined) return { allowed: false, ...denial }
  const grant = granted.find((candidate) => grants(candidate, need))
  if (grant !== undefined) return { allowed: true, by: trust, rule: grant.pattern.text }
  const allowance = rule(allowed)
  return allowance === undefined ? { allowed: false, by: 'nobody' } : { allowed: true, ...allowance }
}

function grants({ pattern, except }: Grant, need: Capability): boolean {
  return covers(pattern, need) && !except.some((hole) => covers(hole, need))
}

function refusal(settings: PolicySettings, run: string, rights: Rights, needs: readonly string[]): Fault | undefined {
  const missing = needs.map((need) => ({ need, ...judgeBy(rights, need) })).filter(({ allowed }) => !allowed)
  const [first] = missing
  if (first === undefined) return undefined
  const { trust } = rights
  const names = missing.map(({ need }) => need)
  const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(' and ')
  const denied = missing.find(({ by }) => by !== 'nobody')
  const why = denied === undefined ? `this run is ${trust}` : `${denied.by} denies ${denied.rule}`
  const fix = denied === undefined ? wayOn(settings, run, trust, names) : `remove ${denied.rule} from "deny" in ${denied.by}`
  return faults.make('R3001', `needs ${shown}; ${why}`, {
    run,
    fix,
    data: { needs: names, trust, ...(denied === undefined ? {} : { denied: denied.rule ?? '' }) },
  })
}

/** What would allow it: a policy file always, and the least level of trust that grants it, if one does. */
function wayOn(settings: PolicySettings, run: string, trust: Trust, needs: readonly string[]): string {
  const file = `put ${JSON.stringify({ allow: needs })} into a file and name it with --policy`
  const higher = TRUST_LEVELS.slice(TRUST_LEVELS.indexOf(trust) + 1)
  const enough = higher.find((level) => needs.every((need) => judgeBy(rightsOf(settings, run, level), need).allowed))
  const command = needs.some((need) => need.startsWith('arbor://shell/'))
  const reason = command ? 'this release has no sandbox for commands: ' : ''
  return enough === undefined ? `${reason}${file}` : `${reason}run with --trust ${enough}, or ${file}`
}
