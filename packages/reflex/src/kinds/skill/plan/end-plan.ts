import type { Fault, Json, JsonObject } from '../../../kernel/index.ts'
import type { DecisionRecord } from '../model/decision.ts'
import type { SkillOutcome } from '../model/plan-result.ts'
import { executionId, type Execution, KEYS, majorOf } from './execution.ts'
import { faults } from './faults.ts'
import { stop } from './run-plan.ts'
import { hasEffects, undosFor } from './undos.ts'

/** Ends a plan whose steps are done, or whose undos are: writes down what became of it before anybody hears of it. */
export function endPlan(one: Execution): void {
  const { x, program, position } = one
  if (position.cause === undefined) {
    const outputs = one.rendered('outputs', () => program.outputs(one.values))
    if ('problem' in outputs) return stop(one, 'result', outputs.problem, endPlan)
    x.setInternal(KEYS.outputs, outputs.value)
    writeOutputs(one, outputs.value)
  }
  one.move({ phase: 'settle' })
  const admitted = x.get(KEYS.admitted)
  x.request('skills.settle', {
    skill: program.manifest.id,
    version: program.manifest.version,
    major: majorOf(program.manifest.version),
    key_hash: admitted ?? null,
    frame: executionId(x),
    status: settledStatus(one),
    outputs: storedOutputs(one),
    rollback_incomplete: (one.position.notUndone ?? []).length > 0,
  })
}

/** Ends the frame after its end was written down. */
export function finish(one: Execution): void {
  answer(one, outcomeOf(one))
}

/** Ends the frame of an execution that was answered by an earlier one. */
export function finishStored(one: Execution, outputs: JsonObject): void {
  writeOutputs(one, outputs)
  answer(one, { ...named(one), status: 'noop', outputs })
}

/** Ends the frame of an execution that is not carried out. */
export function refuse(
  one: Execution,
  { verdict, reason }: Pick<DecisionRecord, 'verdict' | 'reason'>,
  more: Partial<SkillOutcome> = {},
): void {
  answer(one, { ...named(one), status: verdict === 'clarify' ? 'clarify' : 'denied', reason, ...more })
}

/** Tells the caller: a wrapped agent gets every outcome as a value; a program that calls a skill as another gets its outputs, or a failure. */
function answer({ x, args }: Execution, outcome: SkillOutcome): void {
  if (args.proposal.carrier !== 'program') return x.done(outcome as unknown as Json)
  if (outcome.status === 'ok' || outcome.status === 'noop') return x.done(outcome.outputs ?? {})
  if (outcome.reason === 'cancelled') return x.cancelled(outcome as unknown as Json)
  x.fail(failureOf(outcome))
}

function failureOf(outcome: SkillOutcome): Fault {
  const { skill_id, version, status, reason, detail, compensated } = outcome
  const data = { outcome: outcome as unknown as JsonObject }
  const why = detail === undefined ? (reason ?? '') : `${reason ?? ''}: ${detail}`
  const place = `${skill_id}@${version}`
  if (status === 'denied') {
    const fix = reason === 'state.draft' ? { fix: draftFix(place) } : {}
    return faults.make('R1470', `${place} was not carried out: ${why}`, { rule: reason, data, path: skill_id, ...fix })
  }
  if (status === 'failed') return faults.make('R1471', `${place} failed and has changed nothing: ${why}`, { data, path: skill_id })
  const undone = compensated === 'full' ? 'it was undone' : 'it was not undone as a whole'
  return faults.make('R1472', `${place} failed in the middle (${why}); ${undone}`, { data, path: skill_id })
}

/** Nobody has activated the version: it is tested and approved, or tried as a draft. */
function draftFix(place: string): string {
  return `activate it: reflex skill test FILE, then reflex skill approve ${place} --by NAME; or try the draft: reflex run FILE --draft`
}

function writeOutputs({ x, program }: Execution, outputs: JsonObject): void {
  for (const [output, path] of Object.entries(program.manifest.signature.blackboard_bindings.outputs)) {
    const value = Object.hasOwn(outputs, output) ? outputs[output] : undefined
    if (value !== undefined) x.set(path, value)
  }
}

function named({ program }: Execution): Pick<SkillOutcome, 'skill_id' | 'version'> {
  return { skill_id: program.manifest.id, version: program.manifest.version }
}

function outcomeOf(one: Execution): SkillOutcome {
  const { x, position, program } = one
  const { cause, detail } = position
  if (cause === undefined) return { ...named(one), status: 'ok', outputs: x.get(KEYS.outputs) as JsonObject }
  const said = detail === undefined ? {} : { detail }
  if (!hasEffects(program, position.ended)) return { ...named(one), status: 'failed', reason: cause, ...said }
  const compensated = compensation(one)
  const rollback = (position.notUndone ?? []).length > 0 ? { detail: 'rollback incomplete' } : said
  return { ...named(one), status: 'partial_failure', reason: cause, ...rollback, compensated }
}

function compensation({ program, position }: Execution): NonNullable<SkillOutcome['compensated']> {
  const { cause = 'step_error', ended, notUndone = [], undone = 0 } = position
  if (undosFor(program, ended, cause).length === 0) return 'none'
  if (notUndone.length === 0) return 'full'
  return undone === 0 ? 'failed' : 'partial'
}

function settledStatus(one: Execution): 'ok' | 'failed' | 'unknown' {
  const { status, compensated } = outcomeOf(one)
  if (status === 'ok') return 'ok'
  return status === 'failed' || compensated === 'full' ? 'failed' : 'unknown'
}

/** The outputs that later calls of the key get: none if one of them is sensitive, or if no contents are kept. */
function storedOutputs({ x, program }: Execution): Json {
  if (!x.keepsContents || program.manifest.signature.outputs.some(({ sensitive }) => sensitive)) return null
  return x.get(KEYS.outputs) ?? null
}
