import {
  type Fault,
  faults,
  type Json,
  type Judgement,
  type Limits,
  type Permissions,
  type Policy,
  type Traits,
  type Usage,
} from '../kernel/index.ts'
import { budgetQuestion, priceQuestion } from './budget.ts'
import type { JudgedCall, PolicyVerdict } from './verdict.ts'
import { permissionQuestion, permissionsAhead, termOf } from './permissions.ts'
import {
  patternBelow,
  type Capability,
  covers,
  type Folders,
  isExact,
  type Pattern,
  reaches,
  readCapability,
  readPattern,
  resolvedPattern,
  type CapabilityProblem,
} from './capability.ts'
import { checkPattern, type PolicyFile, rulesFor } from './file.ts'
import { isCurrent, type TermedGrant, termedGrants, termsOf } from './terms.ts'
import type { RunRestriction, RunSettings } from './settings.ts'
import { type Grant, grantsOf, type Trust, TRUST_LEVELS } from './trust.ts'

export interface PolicySettings {
  /** The run's own folder of a call, a real path; that of the settings of its run if absent. */
  readonly runFolder?: (call: JudgedCall) => string
  /** The user's home folder, for grants and needs that name it as `{home}`. */
  readonly home?: string | undefined
  /** Follows the links of a path, so that a denial that names a file by one holds for the file. Without it denials hold as written. */
  readonly realPath?: ((path: string) => string) | undefined
  /** The capabilities that the operator allows and denies in addition to the level of trust. */
  readonly grants?: readonly PolicyRules[]
  /** Milliseconds since the epoch, for grants that end; without it they have ended. */
  readonly now?: () => number
  /** Folders that Reflex keeps for itself; `.reflex` in the work folder of a run unless set. */
  readonly reserved?: readonly string[]
}

/** The policy of an operator; it can also be asked about a single capability. */
export interface OperatorPolicy extends Policy<RunSettings> {
  judge(call: JudgedCall, traits: Traits): Judgement
  ahead(call: JudgedCall, needs: readonly string[]): Omit<Permissions, 'facts'>
  budgetQuestion(limits: Limits, used: Usage, place: string): Json
  priceQuestion(model: string, limits: Limits, place: string): Json
  /**
   * Judges a capability of a call. With `exactly`, a grant with a star does not count: a grant of the network does not mean private
   * addresses.
   */
  judgeCall(call: JudgedCall, capability: string, exactly?: boolean): PolicyVerdict
  /** True if a rule of the operator denies a capability to a call; false if it is only not granted. */
  denies(call: JudgedCall, capability: string): boolean
  /**
   * Judges a need that a program states before it runs. The steps `{work}`, `{run}` and `{home}` mean the folders. A capability
   * without a path, host or name, such as `arbor://fs/read`, is completed by a value of the run: it is allowed if any capability
   * that begins so is. The complete one is judged when it is used.
   */
  judgeAhead(call: JudgedCall, capability: string): PolicyVerdict
  /** Returns the trust of a call: the lowest if the text of its programs is untrusted, else that of its run. */
  trustOf(call: JudgedCall): Trust
}

/**
 * True if the operator keeps every run from something, at any trust: by a denial, or because Reflex reserves it. For checks
 * before there is a run; a denial that names the run's folder has no effect here.
 */
export function deniedToAll({
  workdir,
  home,
  realPath,
  grants = [],
  reserved = [`${workdir}/.reflex`],
}: Pick<PolicySettings, 'home' | 'realPath' | 'grants' | 'reserved'> & { readonly workdir: string }): (capability: string) => boolean {
  const patterns = grants
    .filter(({ agent }) => agent === undefined)
    .flatMap(({ deny = [] }) => deny.filter((text) => !text.includes('{run}')))
    .flatMap((text) => {
      const pattern = readPattern(text, { work: workdir, run: '', home })
      return 'problem' in pattern ? [] : withRealPath(pattern, realPath)
    })
  const reservedPatterns = ['arbor://fs/read', 'arbor://fs/write'].flatMap((prefix) =>
    reserved.map((folder) => patternBelow(prefix, folder)),
  )
  const denied = [...reservedPatterns, ...patterns]
  return (capability) => {
    const need = readCapability(capability)
    return 'problem' in need || denied.some((pattern) => covers(pattern, need))
  }
}

/** The rules of a policy file. */
type PolicyRules = Partial<PolicyFile> & Pick<PolicyFile, 'file'>

/** Returns the restrictions of policy files for the runs of an agent; undefined without any. */
export function restrictionsOf(files: readonly PolicyFile[], agentId?: string): readonly RunRestriction[] | undefined {
  const found = rulesFor(files, agentId).flatMap(({ file = 'the operator', deny, ask = [], bounded = [] }): RunRestriction[] => {
    const restriction = {
      ...(deny.length === 0 ? {} : { deny }),
      ...(ask.length === 0 ? {} : { ask }),
      ...(bounded.length === 0 ? {} : { bounded: bounded.map(({ capability }) => capability) }),
    }
    return Object.keys(restriction).length === 0 ? [] : [{ file, ...restriction }]
  })
  return found.length === 0 ? undefined : found
}

/** Added to the name of a policy file whose rules a run keeps. */
const AT_START = ', under which the run began,'

/** Returns the capabilities that the restrictions of a run name. */
export function restrictedBy({ restrictions = [] }: Pick<Partial<RunSettings>, 'restrictions'>): readonly string[] {
  return restrictions.flatMap(({ deny = [], ask = [], bounded = [] }) => [...deny, ...ask, ...bounded])
}

const ALLOWED: Judgement = { allowed: true }

interface Rights {
  readonly trust: Trust
  readonly folders: Folders
  readonly granted: readonly Grant[]
  readonly allowed: readonly (readonly [by: string, pattern: Pattern])[]
  readonly denied: readonly (readonly [by: string, pattern: Pattern])[]
  readonly termed: readonly TermedGrant[]
  /** Capabilities that a policy of the start of the run granted within bounds. */
  readonly bounded: readonly Pattern[]
  readonly now: (() => number) | undefined
}

/**
 * Decides by capabilities. An effect may happen when each capability that it needs is granted, by the run's level of
 * trust or by the operator, and none is denied; otherwise it fails with `R3001`. A capability that cannot be read is
 * refused. A grant of the operator that cannot be read throws `R3012` here, before any run.
 */
export function createPolicy(settings: PolicySettings): OperatorPolicy {
  const { grants = [] } = settings
  const roots = grants.flatMap((grant) => grant.roots ?? [])
  for (const { allow = [], deny = [], ask = [], bounded = [], file } of grants) {
    const rules = { file, roots }
    for (const [i, text] of ask.entries()) checkPattern(text, `ask[${i}]`, rules)
    for (const [i, { capability }] of bounded.entries()) checkPattern(capability, `bounded[${i}]`, rules)
    for (const [i, text] of allow.entries()) checkPattern(text, `allow[${i}]`, rules)
    for (const [i, text] of deny.entries()) checkPattern(text, `deny[${i}]`, rules)
  }
  const trustOf: OperatorPolicy['trustOf'] = ({ settings: { trust }, untrusted }) => (untrusted ? 'untrusted' : trust)
  // One run after another asks, each many times.
  let last: { readonly of: RunSettings; readonly rights: Rights } | undefined
  const rightsOfCall = (call: JudgedCall): Rights => {
    const [of, trust, folder] = [call.settings, trustOf(call), folderOf(settings, call)]
    if (last?.of !== of || last.rights.trust !== trust || last.rights.folders.run !== folder)
      last = { of, rights: rightsOf(settings, of, folder, trust) }
    return last.rights
  }
  const judgeCall: OperatorPolicy['judgeCall'] = (call, capability, exactly) => {
    const verdict = judgeBy(rightsOfCall(call), capability, exactly)
    const { terms, ...rest } = verdict
    return terms !== undefined && call.isPermitted?.(verdict.rule ?? '') === true ? { ...rest, allowed: true } : verdict
  }
  const refused = (call: JudgedCall, missing: readonly MissingNeed[]): Fault => refusal(settings, call, trustOf(call), missing)
  return {
    judge(call, { needs = [], isAhead = false }) {
      const judgeNeed = (need: string) => (isAhead ? judgeAhead : judgeBy)(rightsOfCall(call), need)
      const missing = needs.map((need) => ({ need, ...judgeNeed(need) })).filter(({ allowed }) => !allowed)
      if (missing.length === 0) return ALLOWED
      const denied = missing.filter(({ terms }) => terms === undefined)
      if (denied.length > 0) return { refused: refused(call, denied) }
      return {
        terms: missing.map(({ need, ...verdict }) => ({ need, ...termOf(verdict) })),
        question: (open) => permissionQuestion(call.place ?? '', open),
        refusal: (unmet) =>
          refused(
            call,
            missing.filter(({ need }) => unmet.some((term) => term.need === need)),
          ),
      }
    },
    ahead: (call, needs) =>
      permissionsAhead(call, needs, {
        trust: trustOf(call),
        judge: (need) => judgeAhead(rightsOfCall(call), need),
        folder: call.settings.folder,
      }),
    budgetQuestion,
    priceQuestion,
    judgeCall,
    judgeAhead: (call, capability) => judgeAhead(rightsOfCall(call), capability),
    trustOf,
    denies(call, capability) {
      const need = readCapability(capability)
      return 'problem' in need || rightsOfCall(call).denied.some(([, pattern]) => covers(pattern, need))
    },
  }
}

function folderOf({ runFolder }: PolicySettings, call: JudgedCall): string {
  return runFolder?.(call) ?? call.settings.folder
}

function rightsOf(settings: PolicySettings, { workdir, agentId, restrictions = [] }: RunSettings, folder: string, trust: Trust): Rights {
  const { home, realPath: real } = settings
  const grants = rulesFor(settings.grants ?? [], agentId)
  // The restrictions of the start of the run hold beside those of this process, and grant nothing.
  const rules: readonly PolicyRules[] = [
    ...grants,
    ...restrictions.map(({ file, deny = [], ask = [] }) => ({ file: `${file}${AT_START}`, deny, ask })),
  ]
  const folders = { work: workdir, run: folder, home }
  const read = (list: 'allow' | 'deny'): [string, Pattern][] =>
    rules.flatMap((grant) =>
      (grant[list] ?? []).flatMap((text): [string, Pattern][] => {
        const pattern = readPattern(text, folders)
        const patterns = 'problem' in pattern ? [] : list === 'deny' ? withRealPath(pattern, real) : [pattern]
        return patterns.map((one) => [grant.file ?? 'the operator', one])
      }),
    )
  return {
    trust,
    folders,
    granted: grantsOf(trust, folders, settings.reserved ?? [`${workdir}/.reflex`]),
    allowed: read('allow'),
    denied: read('deny'),
    termed: termedGrants(rules, folders),
    bounded: restrictions.flatMap(({ bounded = [] }) =>
      bounded.flatMap((text) => {
        const pattern = readPattern(text, folders)
        return 'problem' in pattern ? [] : [pattern]
      }),
    ),
    now: settings.now,
  }
}

/** A denial as it is written, and for where the links on its way lead: a run may make and move links, so no grant follows them. */
function withRealPath(pattern: Pattern, real: PolicySettings['realPath']): readonly Pattern[] {
  return real === undefined || pattern.steps[0] !== 'fs' ? [pattern] : [pattern, resolvedPattern(pattern, real)]
}

function judgeBy(rights: Rights, text: string, exactly = false): PolicyVerdict {
  const need = readCapability(text)
  return 'problem' in need ? unreadableVerdict(need) : judgeNeed(rights, need, exactly)
}

function judgeNeed(rights: Rights, need: Capability, exactly = false): PolicyVerdict {
  const { trust, granted, allowed, denied } = rights
  const denial = ruleFor(denied, (pattern) => covers(pattern, need))
  if (denial !== undefined) return { allowed: false, ...denial }
  const asked = termsVerdict(rights, true, (pattern) => covers(pattern, need))
  if (asked !== undefined) return asked
  const counts = (pattern: Pattern): boolean => !exactly || isExact(pattern)
  const grant = granted.find((candidate) => counts(candidate.pattern) && isGranted(candidate, need))
  if (grant !== undefined && !isBounded(rights, (pattern) => covers(pattern, need)))
    return { allowed: true, by: trust, rule: grant.pattern.text }
  const fits = (pattern: Pattern): boolean => counts(pattern) && covers(pattern, need)
  const allowance = ruleFor(allowed, fits)
  return allowance === undefined ? (termsVerdict(rights, false, fits) ?? { allowed: false, by: 'nobody' }) : { allowed: true, ...allowance }
}

/** Returns the verdict of grants with terms. Those that ask are applied before plain grants, and those with limits after them. */
function termsVerdict({ termed, now }: Rights, ask: boolean, fits: (pattern: Pattern) => boolean): PolicyVerdict | undefined {
  const found = termed.find((grant) => (grant.ask === true) === ask && isCurrent(grant, now) && fits(grant.pattern))
  if (found === undefined) return undefined
  const terms = termsOf(found)
  const rule = { by: found.by, rule: found.pattern.text }
  return terms === undefined ? { allowed: true, ...rule } : { allowed: false, ...rule, terms }
}

/** True if the operator has set bounds to something. A level of trust grants it only within them, also once they have ended. */
function isBounded({ termed, bounded }: Rights, fits: (pattern: Pattern) => boolean): boolean {
  return bounded.some(fits) || termed.some(({ ask, pattern }) => ask !== true && fits(pattern))
}

/** Needs that name no more than what kind of thing is touched. */
const BARE_NEEDS: ReadonlySet<string> = new Set(['arbor://fs/read', 'arbor://fs/write', 'arbor://net', 'arbor://tool'])

function judgeAhead(rights: Rights, text: string): PolicyVerdict {
  const need = readCapability(text, rights.folders)
  if ('problem' in need) return unreadableVerdict(need)
  if (!BARE_NEEDS.has(text)) return judgeNeed(rights, need)
  const denial = ruleFor(rights.denied, (pattern) => covers(pattern, need))
  if (denial !== undefined) return { allowed: false, ...denial }
  const asked = termsVerdict(rights, true, (pattern) => reaches(pattern, need))
  if (asked !== undefined) return asked
  const grant = rights.granted.find(({ pattern }) => reaches(pattern, need))
  if (grant !== undefined && !isBounded(rights, (pattern) => covers(pattern, need)))
    return { allowed: true, by: rights.trust, rule: grant.pattern.text }
  const fits = (pattern: Pattern): boolean => reaches(pattern, need)
  const allowance = ruleFor(rights.allowed, fits)
  return allowance === undefined ? (termsVerdict(rights, false, fits) ?? { allowed: false, by: 'nobody' }) : { allowed: true, ...allowance }
}

function unreadableVerdict({ problem }: CapabilityProblem): PolicyVerdict {
  return { allowed: false, by: 'nobody', rule: problem }
}

function ruleFor(list: Rights['allowed'], fits: (pattern: Pattern) => boolean): Omit<PolicyVerdict, 'allowed'> | undefined {
  const found = list.find(([, pattern]) => fits(pattern))
  return found === undefined ? undefined : { by: found[0], rule: found[1].text }
}

function isGranted({ pattern, except }: Grant, need: Capability): boolean {
  return covers(pattern, need) && !except.some((exception) => covers(exception, need))
}

interface MissingNeed extends PolicyVerdict {
  readonly need: string
}

function refusal(settings: PolicySettings, call: JudgedCall, trust: Trust, missing: readonly MissingNeed[]): Fault {
  const names = missing.map(({ need }) => need)
  const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(' and ')
  const denied = missing.find(({ by }) => by !== 'nobody')
  const why = denied === undefined ? `this run is ${trust}` : `${denied.by} ${refusalText(denied)}`
  const list = denied?.terms === undefined ? 'deny' : denied.terms.ask === true ? 'ask' : 'allow'
  const fix =
    denied === undefined
      ? fixFor(settings, call, trust, names)
      : denied.by.endsWith(AT_START)
        ? `change ${denied.rule} in the policy, then fork the run: reflex fork ${call.run}`
        : `${list === 'deny' ? 'remove' : 'change'} ${denied.rule} ${list === 'deny' ? 'from' : 'in'} "${list}" in ${denied.by}`
  return faults.make('R3001', `needs ${shown}; ${why}`, {
    run: call.run,
    fix,
    data: { needs: names, trust, ...(denied === undefined ? {} : { denied: denied.rule ?? '' }) },
  })
}

function refusalText({ rule, terms }: PolicyVerdict): string {
  if (terms === undefined) return `denies ${rule}`
  if (terms.ask === true) return `wants to be asked about ${rule}, and it was denied`
  return `grants ${rule} ${terms.maxUses} times, and it was used as often`
}

/** Returns the fix of a refusal: a policy file, or the lowest level of trust that grants the needs, if there is one. */
function fixFor(settings: PolicySettings, call: JudgedCall, trust: Trust, needs: readonly string[]): string {
  const file = `put ${JSON.stringify({ allow: needs })} into a file and name it with --policy`
  const higher = TRUST_LEVELS.slice(TRUST_LEVELS.indexOf(trust) + 1)
  const sufficient = higher.find((level) =>
    needs.every((need) => judgeBy(rightsOf(settings, call.settings, call.settings.folder, level), need).allowed),
  )
  const bare = needs.includes('arbor://shell/exec/unsandboxed') ? 'commands run in a sandbox below trusted: ' : ''
  return sufficient === undefined ? `${bare}${file}` : `${bare}run or fork it with --trust ${sufficient}, or ${file}`
}
