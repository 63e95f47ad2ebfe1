import type { Json } from '../../kernel/index.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import type { Slot } from '../../kinds/skill/model/slot.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { UnitCase } from './case.ts'
import { isUndo } from './check-case.ts'
import type { Draw } from './draw.ts'
import { CANARY, CANARY_PATH, otherValue, SLOT_MUTATIONS } from './slot-mutations.ts'
import type { CaseOptions, CaseRun } from './run-case.ts'

/** A case that ends well, from which others are made. */
export interface Base {
  readonly one: UnitCase
  readonly run: CaseRun
}

/** A case that a mutation has made. */
export interface FuzzCase {
  readonly mutation: string
  /** The slot that was changed, its value and the one before. */
  readonly slot?: { readonly slot: Slot; readonly before: Json; readonly value: Json | undefined }
  /** The step whose tool fails. */
  readonly failing?: string
  readonly one: UnitCase
  readonly options: CaseOptions
  readonly base: Base
}

interface Given {
  readonly manifest: Manifest
  readonly tools: readonly SkillTool[]
  readonly base: Base
  readonly draw: Draw
}

/** Makes a case by a mutation; undefined if it does not apply to this skill and case. */
export function mutate(mutation: string, given: Given): FuzzCase | undefined {
  const changed = mutation.startsWith('alt_') ? alternative(mutation.slice('alt_'.length), given) : MUTATE[mutation]?.(given)
  const byValue = changed ?? (Object.hasOwn(SLOT_MUTATIONS, mutation) ? changedValue(mutation, given) : undefined)
  if (byValue === undefined) return undefined
  const { one, options = {}, ...more } = byValue
  const ready = withAnswers(one ?? given.base.one, given.manifest)
  return { mutation, ...more, one: ready, options: { ...options, tools: { ...options.tools, ignoresArgs: true } }, base: given.base }
}

type Changed = Partial<Pick<FuzzCase, 'slot' | 'failing' | 'one' | 'options'>>

/** The share of the time of a plan that one call takes: the first, the second or the third call is too much. */
const SHARES_OF_TIME = [1, 0.6, 0.4]

/** The mutations of everything but values (reference skill 1.23). */
const MUTATE: Readonly<Record<string, (given: Given) => Changed | undefined>> = {
  missing_slot: ({ base: { one }, manifest, draw }) => {
    const slot = draw.pick(proposed(manifest, one))
    if (slot === undefined) return undefined
    const { [slot.name]: before = null, ...inputs } = one.propose.inputs
    return { one: { ...one, propose: { inputs } }, slot: { slot, before, value: undefined } }
  },
  tool_error: (given) => failingStep(given, { error: 'the tool failed', retry: false }),
  tool_timeout: (given) => failingStep(given, { hangs: true }),
  tool_garbage: ({ base, draw }) => {
    const step = draw.pick(stepsOf(base))
    const result = draw.pick<Json>([null, '\u0000\ufffd{', 42, [], { stdout: { deep: [] } }, 'x'.repeat(20_000)]) ?? null
    return step === undefined ? undefined : { options: { tools: { at: { step, answer: { result } } } } }
  },
  partial_failure_at_k: ({ base, draw, tools }) => {
    const first = base.run.calls.findIndex(({ tool }) => tools.find(({ name }) => name === tool)?.sideEffects !== 'none')
    const step = first < 0 ? undefined : draw.pick(stepsOf(base).slice(first + 1))
    return step === undefined
      ? undefined
      : { failing: step, options: { tools: { at: { step, answer: { error: 'the tool failed', retry: false } } } } }
  },
  duplicate_call: () => ({ options: { times: 2 } }),
  policy_deny: ({ base: { one } }) => ({
    one: { ...one, turn: { ...one.turn, principal: { id: 'nobody', roles: [] } } },
    options: { remote: { verdict: 'deny', reason: 'the test denies it', cached: false, age_s: 0 } },
  }),
  stale_compat: ({ base: { one }, manifest, draw }) => {
    const keys = Object.entries(manifest.compat).filter(([, want]) => !(typeof want === 'string' ? [want] : want).includes('*'))
    const key = draw.pick(keys)?.[0]
    if (key === undefined) return undefined
    return { one: { ...one, turn: { ...one.turn, facts: { ...one.turn.facts, [key]: 'reflex-stale' } } } }
  },
  budget_tight: ({ base: { one }, manifest, draw }) => {
    const share = draw.pick(SHARES_OF_TIME) ?? 1
    const latency_ms = Math.ceil(manifest.plan.budget.max_latency_ms * share)
    return { one: { ...one, tools: one.tools.map((entry) => ({ ...entry, latency_ms })) } }
  },
}

function failingStep({ base, draw }: Given, answer: NonNullable<NonNullable<CaseOptions['tools']>['at']>['answer']): Changed | undefined {
  const step = draw.pick(stepsOf(base))
  return step === undefined ? undefined : { failing: step, options: { tools: { at: { step, answer } } } }
}

function stepsOf({ run }: Base): readonly string[] {
  return [...new Set(run.calls.filter((call) => !isUndo(call)).map(({ step }) => step))]
}

/** The slots that a case gives a value. */
function proposed({ signature }: Manifest, { propose }: UnitCase): readonly Slot[] {
  return signature.inputs.filter(({ name }) => Object.hasOwn(propose.inputs, name))
}

function alternative(name: string, { manifest, base: { one } }: Given): Changed | undefined {
  const slot = manifest.signature.inputs.find((input) => input.name === name)
  const before = slot === undefined ? undefined : one.propose.inputs[name]
  const value = slot === undefined || before === undefined ? undefined : otherValue(slot, before)
  return slot === undefined || before === undefined || value === undefined ? undefined : withValue(one, slot, before, value)
}

function changedValue(mutation: string, { manifest, base: { one }, draw }: Given): Changed | undefined {
  const made = proposed(manifest, one).flatMap((slot) => {
    const before = one.propose.inputs[slot.name] ?? null
    const value = SLOT_MUTATIONS[mutation]?.(slot, typeof before === 'string' ? before : JSON.stringify(before), draw)
    return value === undefined ? [] : [withValue(one, slot, before, value)]
  })
  return draw.pick(made)
}

function withValue(one: UnitCase, slot: Slot, before: Json, value: Json): Changed {
  const blackboard = { ...one.turn.blackboard, work: { ...one.turn.blackboard.work, [CANARY_PATH]: CANARY } }
  const changed = { ...one, turn: { ...one.turn, blackboard }, propose: { inputs: { ...one.propose.inputs, [slot.name]: value } } }
  return { one: changed, slot: { slot, before, value } }
}

/** A mutated case reaches steps and undos that the case does not: each declared tool has an answer, after the recorded ones. */
function withAnswers(one: UnitCase, { plan, preconditions }: Manifest): UnitCase {
  const undos = plan.compensation === 'none' ? [] : plan.compensation
  const names = new Set([...preconditions.tools_available, ...[...plan.steps, ...undos].map(({ tool }) => tool)])
  const others = [...names].map((tool) => ({ tool, match: {}, result: {}, retry: false, hangs: false, latency_ms: 0, cost_usd: 0 }))
  return { ...one, tools: [...one.tools, ...others] }
}
