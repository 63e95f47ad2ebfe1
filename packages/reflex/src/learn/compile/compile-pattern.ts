import { type Fault, type Json, type JsonObject } from '../../kernel/index.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import { decodeSkill, type SkillHost } from '../../kinds/skill/manifest/read-skill.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { MINER } from '../mine/params.ts'
import type { MinedPattern } from '../mine/pattern.ts'
import type { RowSource } from '../mine/rows.ts'
import { plainArguments } from '../mine/verify.ts'
import { faults } from '../shapes/faults.ts'
import { shortSymbol } from '../shapes/operation-shape.ts'
import type { ActivationTerms } from './activation-terms.ts'
import { asVersionOf, KnownSkills, type Novelty } from './known-skills.ts'
import { bindingsOf, budgetOf, effectsOf, type FindTool, outputsOf, slotsOf, stepsOf } from './manifest-parts.ts'
import { skillId } from './skill-id.ts'
import { casePath, type UnitCase, unitCases } from './unit-cases.ts'

/** An occurrence as people compare it with others: the calls and the values of the slots. */
export interface Evidence {
  readonly source: RowSource
  readonly calls: readonly { readonly tool: string; readonly args: Json }[]
  readonly slots: JsonObject
}

/** A mined skill before anybody has approved it. Nothing activates it. */
export interface SkillDraft {
  readonly manifest: Manifest
  /** `candidate`: it is complete and can be tested. `draft`: a person has to complete it first. */
  readonly state: 'draft' | 'candidate'
  /** Everything that is open, errors first to be mended. */
  readonly findings: readonly Fault[]
  /** The tools of steps that nothing undoes. */
  readonly withoutUndo: readonly string[]
  readonly novelty: Novelty
  readonly cases: readonly (readonly [path: string, unit: UnitCase])[]
  readonly evidence: readonly Evidence[]
  /** The projected saving: what the calls cost with and without the skill, in the unit of the log, and the ratio less one. */
  readonly saving: {
    readonly unit: string
    readonly before: number
    readonly after: number
    readonly delta: number
    readonly deltaP95: number
  }
}

/** What drafts need besides their patterns. */
export interface CompileOptions {
  readonly owner: string
  /** The tools and functions of the host: a tool that it does not describe changes something, and nothing undoes it. */
  readonly host?: SkillHost
  /** The newest version of each known skill. */
  readonly known?: readonly Manifest[]
  readonly paramsHash: string
  /** The words with which users ask for each pattern. */
  readonly terms?: readonly ActivationTerms[]
  /** The labels that compatibility is matched against. */
  readonly compat?: readonly string[]
}

const COMPAT: readonly string[] = ['env', 'toolset', 'repo']
const FEWEST_CASES = 5
const MOST_SUMMARY = 400
const NO_TERMS: ActivationTerms = { labels: [], keywords: [] }

/** Compiles patterns to drafts of skills, in their order. Equal patterns and options give equal bytes. */
export function compilePatterns(patterns: readonly MinedPattern[], options: CompileOptions): readonly SkillDraft[] {
  const known = new KnownSkills(options.known ?? [])
  return patterns.map((pattern, i) => compilePattern(pattern, options, known, options.terms?.[i] ?? NO_TERMS))
}

function compilePattern(pattern: MinedPattern, options: CompileOptions, known: KnownSkills, terms: ActivationTerms): SkillDraft {
  const same = known.ofPattern(pattern.hash)
  const id = same?.id ?? skillId(pattern, (taken) => known.isTaken(taken))
  const first = buildManifest(id, pattern, options, terms)
  const like = same ?? known.like(first)
  const draft = like === undefined || like.id === id ? first : buildManifest(like.id, pattern, options, terms)
  const { manifest, novelty } =
    like === undefined
      ? { manifest: draft, novelty: { is: 'new' } as const }
      : asVersionOf(like, draft, same === undefined ? 'near_duplicate' : 'same_pattern')
  known.take(manifest.id)
  const { findings } = decodeSkill(manifestJson(manifest), options.host ?? {})
  const { undoable } = effectsOf(manifest.id, pattern, manifest.plan.steps, toolFinder(options))
  const open = [...ownFindings(pattern, manifest, undoable), ...findings]
  const hasErrors = open.some(({ severity }) => severity !== 'warning')
  return {
    manifest,
    state: hasErrors ? 'draft' : 'candidate',
    findings: open,
    withoutUndo: [...new Set(undoable.map((step) => toolOf(manifest, step)))],
    novelty,
    cases: unitCases(manifest.id, pattern),
    evidence: pattern.evidence.map(({ row, slots }) => ({
      source: row.source,
      calls: row.tools.map((tool, i) => ({ tool, args: plainArguments(row.args[i] ?? null) })),
      slots: Object.fromEntries(pattern.slots.map(({ name }, i) => [name, slots[i] ?? null])),
    })),
    saving: {
      unit: pattern.unit,
      before: pattern.baseline,
      after: pattern.candidate,
      delta: pattern.ratio - 1,
      deltaP95: pattern.deltaP95,
    },
  }
}

function toolFinder({ host }: CompileOptions): FindTool {
  const tools = new Map(host?.tools?.map((tool) => [tool.name, tool]))
  return (name) => tools.get(name)
}

/** What mining cannot know: how to undo a step, and whether a rule holds that few occurrences show. */
function ownFindings(pattern: MinedPattern, manifest: Manifest, undoable: readonly string[]): readonly Fault[] {
  const { id } = manifest
  const undo = undoable.map((step) =>
    faults.make('R1486', `${id}: nothing undoes the step ${step}, which calls ${toolOf(manifest, step)}`, {
      path: '/plan/compensation',
      rule: 'E_COMPENSATION_REQUIRED',
    }),
  )
  if (pattern.heldBack.length >= FEWEST_CASES) return undo
  return [
    ...undo,
    faults.make('R1487', `${id}: there are ${pattern.occurrences} occurrences, too few to test it with some of them`, { path: '/tests' }),
  ]
}

function toolOf({ plan }: Manifest, step: string): string {
  return plan.steps.find(({ id }) => id === step)?.tool ?? ''
}

function buildManifest(id: string, pattern: MinedPattern, options: CompileOptions, terms: ActivationTerms): Manifest {
  const inputs = slotsOf(pattern)
  const steps = stepsOf(pattern)
  const { outputs, resultMap } = outputsOf(pattern)
  const effects = effectsOf(id, pattern, steps, toolFinder(options))
  const bound = bindingsOf(pattern)
  const names = inputs.map(({ name }) => name)
  const writes = [...new Set(steps.flatMap(({ capture }) => Object.keys(capture)))].sort()
  const tools = [...new Set([...pattern.tools, ...effects.compensation.map(({ tool }) => tool)])]
  return {
    schema: 'reflex.capability/1',
    id,
    version: '1.0.0',
    title: id.replaceAll('.', ' ').slice(0, 80),
    description: summaryOf(pattern),
    owner: options.owner,
    scope: 'project',
    compat: compatOf(pattern, options.compat ?? COMPAT),
    signature: { inputs, outputs, blackboard_bindings: { inputs: bound, outputs: {} } },
    preconditions: {
      tools_available: tools,
      data_present: names,
      invariants: pattern.invariants.map(([path, value]) => `${path} == ${JSON.stringify(value)}`),
    },
    plan: {
      ...(effects.key === undefined ? {} : { idempotence_key: effects.key }),
      idempotence_ttl_s: 86_400,
      budget: budgetOf(pattern),
      steps,
      compensation: effects.compensation,
      result_map: resultMap,
    },
    effects: { writes, external: effects.external },
    activation: activationOf(
      names.filter((name) => bound[name] === undefined),
      terms,
    ),
    llm_support: { parsers: [], extractors: [] },
    policy: { allow_roles: [], deny_if: [], allow_shell: false, require_confirmation: effects.isEffectful },
    tests: {
      unit_cases: pattern.heldBack.map((_, i) => casePath(id, i + 1)),
      fuzz: { count: 50, mutations: ['all'], seed: 1 },
      expected: { pass_rate_unit: 0.95, pass_rate_fuzz: 0.85 },
    },
    provenance: provenanceOf(pattern, options.paramsHash),
    extra: extraOf(pattern),
  }
}

function activationOf(required: readonly string[], { labels, keywords }: ActivationTerms): Manifest['activation'] {
  return {
    required_slots: required,
    goal_labels: labels,
    keywords_any: keywords,
    score_weights: { goal_label: 3, keyword_hit: 1, entity_type: 0, recent_success: 1.5 },
    cooldown_s: 0,
    max_concurrency: 1,
  }
}

function compatOf({ labels }: MinedPattern, names: readonly string[]): Manifest['compat'] {
  return Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]] as const])))
}

/** The summary stands on a card of 120 tokens: it names the calls, and the slots stand beside it. */
function summaryOf({ symbols }: MinedPattern): string {
  const calls = symbols.map((symbol) => shortSymbol(symbol).replace(/[<>]/g, ' ')).join(', then ')
  return `Calls ${calls}`.slice(0, MOST_SUMMARY)
}

function provenanceOf(pattern: MinedPattern, paramsHash: string): Manifest['provenance'] {
  const { sources, share, success, ratio, deltaP95, unit, hash } = pattern
  return {
    mined_from_traces: sources.map(({ run, strand, records }) => `${run}/${strand}@${records[0] ?? 0}-${records.at(-1) ?? 0}`),
    support: share,
    success,
    delta_cost: ratio - 1,
    delta_p95: deltaP95,
    miner: { version: MINER, params_hash: paramsHash },
    cost_unit: unit,
    pattern: hash,
  }
}

/** What readers of the draft should know and no rule reads. */
function extraOf({ symbols, slots, occurrences, training, exceptions, heldBack }: MinedPattern): JsonObject {
  const suggested = slots.flatMap(({ name, suggested: values }) => (values === undefined ? [] : [[name, values] as const]))
  return {
    x_mined_symbols: symbols,
    x_mined_counts: { occurrences, training, exceptions, held_back: heldBack.length },
    ...(suggested.length === 0 ? {} : { x_suggested_enums: Object.fromEntries(suggested) }),
  }
}
