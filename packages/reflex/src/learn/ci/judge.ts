import type { Json } from '../../kernel/index.ts'
import { ESTIMATE } from '../../kinds/skill/bulletin/tokens.ts'
import { readSlotValue } from '../../kinds/skill/manifest/slot-values.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import type { SkillOutcome } from '../../kinds/skill/model/plan-result.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { formatResult, MAX_RESULT_TOKENS } from '../../kinds/skill/protocol/format-result.ts'
import { commonProblems } from './check-case.ts'
import type { FuzzCase } from './mutate.ts'
import type { CaseRun } from './run-case.ts'
import { CANARY } from './slot-mutations.ts'
import { structureProblems } from './structure.ts'

/**
 * Returns why a mutated case has failed; empty if it has passed: a correct success, a question for a value, a denial with its reason, or a clean
 * failure after which everything that had happened was undone (reference skill 1.23).
 */
export function judge(fuzz: FuzzCase, run: CaseRun, manifest: Manifest, tools: readonly SkillTool[]): readonly string[] {
  const { slot, base } = fuzz
  const changed = slot?.value === undefined ? undefined : { before: textOf(slot.before), after: textOf(slot.value) }
  return [
    ...commonProblems(run),
    ...run.outcomes.flatMap((outcome) => outcomeProblems(outcome, manifest)),
    ...structureProblems(run.calls, base.run.calls, changed),
    ...declarationProblems(run, manifest),
    ...canaryProblems(run),
    ...mutationProblems(fuzz, run, manifest, tools),
  ]
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Tokens are counted from above, at most twice too high; a result that is longer even so has more than its tokens. */
const MOST_TOKENS = 2 * MAX_RESULT_TOKENS

function outcomeProblems(outcome: SkillOutcome, { plan, signature }: Manifest): readonly string[] {
  const { status, reason, compensated } = outcome
  const isUndone = compensated === 'full' || plan.compensation === 'none'
  const hidden = new Set(signature.outputs.filter(({ sensitive }) => sensitive).map(({ name }) => name))
  const outputs = Object.fromEntries(Object.entries(outcome.outputs ?? {}).filter(([name]) => !hidden.has(name)))
  const { tokens } = formatResult({ ...outcome, outputs }, { countTokens: (text) => ESTIMATE.count(text) })
  return [
    ...(status === 'denied' && reason === undefined ? ['it was denied without a reason'] : []),
    ...(status === 'partial_failure' && !isUndone ? [`it failed in the middle, and its undo is: ${compensated ?? 'none'}`] : []),
    ...(status !== 'clarify' && tokens > MOST_TOKENS ? [`its result has ${tokens} tokens, more than ${MAX_RESULT_TOKENS}`] : []),
  ]
}

function declarationProblems({ calls, writes }: CaseRun, { plan, preconditions, effects, signature }: Manifest): readonly string[] {
  const undos = plan.compensation === 'none' ? [] : plan.compensation
  const verify = plan.verify === undefined ? [] : [plan.verify]
  const tools = new Set([...preconditions.tools_available, ...[...plan.steps, ...undos, ...verify].map(({ tool }) => tool)])
  const paths = new Set([...effects.writes, ...Object.values(signature.blackboard_bindings.outputs)])
  return [
    ...calls.flatMap(({ tool, step }) => (tools.has(tool) ? [] : [`${step} called ${tool}, which is not declared`])),
    ...Object.keys(writes).flatMap((path) => (paths.has(path) ? [] : [`it wrote ${path}, which is not declared`])),
  ]
}

/** A value is never a template: what it names on the blackboard must not be in a call. */
function canaryProblems({ calls }: CaseRun): readonly string[] {
  return calls.flatMap(({ step, args }) =>
    JSON.stringify(args).includes(CANARY) ? [`${step} filled in a template that a value brought`] : [],
  )
}

function mutationProblems(fuzz: FuzzCase, run: CaseRun, manifest: Manifest, tools: readonly SkillTool[]): readonly string[] {
  const { mutation, slot, failing } = fuzz
  const [outcome] = run.outcomes
  const isDone = outcome?.status === 'ok' || outcome?.status === 'noop'
  const decision = run.decisions.at(-1)
  if (failing !== undefined)
    return isDone && run.calls.some(({ step }) => step === failing) ? [`${failing} failed, and the skill says that it succeeded`] : []
  switch (mutation) {
    case 'policy_deny':
      return isRefused(run, 'policy.') ? [] : [`the policy denies it, and its verdict is ${decision?.reason ?? 'none'}`]
    case 'stale_compat':
      return isRefused(run, 'compat.') ? [] : [`compat does not hold, and its verdict is ${decision?.reason ?? 'none'}`]
    case 'duplicate_call':
      return duplicateProblems(run, manifest, tools)
    default:
      return slot?.value === undefined ? [] : acceptedProblems(slot.slot.name, 'problem' in readSlotValue(slot.slot, slot.value), run)
  }
}

function isRefused({ decisions, calls }: CaseRun, reason: string): boolean {
  const decision = decisions.at(-1)
  return decision?.verdict === 'denied' && decision.reason.startsWith(reason) && calls.length === 0
}

/** A value that its slot does not allow must not reach a tool. */
function acceptedProblems(name: string, isInvalid: boolean, { calls }: CaseRun): readonly string[] {
  return isInvalid && calls.length > 0 ? [`the slot ${name} has an invalid value, and ${calls.length} tools were called`] : []
}

/** The second proposal with the same key changes nothing. */
function duplicateProblems({ calls, callsAfter }: CaseRun, { plan }: Manifest, tools: readonly SkillTool[]): readonly string[] {
  if (plan.idempotence_key === undefined) return []
  const second = calls.slice(callsAfter[0] ?? calls.length)
  const effects = second.filter(({ tool }) => tools.find(({ name }) => name === tool)?.sideEffects !== 'none')
  return effects.map(({ step }) => `${step} was called a second time under the same key`)
}
