import { type FaultData, type Input, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { RecordedFeatures } from '../gate/features.ts'
import { shadowed } from '../gate/shadow.ts'
import type { Admission } from '../ledger/admission.ts'
import type { DecisionRecord } from '../model/decision.ts'
import { beginCall, dropCall, dropTimers, timerOf } from './call-step.ts'
import { asksConfirmation, isYes, keepConfirmation, unconfirmedDecision } from './confirmation.ts'
import { endPlan, finish, finishStored, refuse } from './end-plan.ts'
import { Execution, executionId, fingerprintOf, KEYS, keyHashOf, majorOf, type SkillStep } from './execution.ts'
import type { ParserQuestion } from './compiled-plan.ts'
import { GATE } from './question.ts'
import { goOn, interrupt, stepDone, stepFailed, stepTimer, stop } from './run-plan.ts'
import { nextUndo, undoDone, undoFailed, undoTimer } from './run-undo.ts'

/** The name of the wait for values of slots. */
const SLOTS = 'slots'

/**
 * One step of an execution: the gate asks what it needs to know and decides, the registry admits, the plan runs step by step, what has happened
 * is undone if it stops, and the end is written down before the caller hears of it (reference skill 1.8, 1.19).
 */
export function stepSkill(x: SkillStep, input: Input | undefined): void {
  const one = new Execution(x)
  switch (input?.[0]) {
    case undefined:
      if (x.position === undefined) look(one, {})
      return
    case 'ok':
      return settled(one, input[1], input[2])
    case 'err':
      return failed(one, input[1], input[2] as unknown as FaultData)
    case 'ret':
      return returned(one, input[1], input[2], input[3])
    case 'timer':
      return timer(one, input[1])
    case 'answer':
      return answered(one, input[2])
    case 'cancel':
      return cancelled(one, input[1])
    default:
  }
}

/** `chosen`: which of several active versions it is has been decided. */
function look(one: Execution, inputs: JsonObject, more: { readonly chosen?: true } = {}): void {
  one.move({ phase: 'look' })
  const exact = one.isExact ? { exact: true } : {}
  const parsed = one.x.get(KEYS.parsed)
  const known = parsed === undefined ? {} : { parsed }
  one.x.request('skills.look', { inputs: { ...one.args.inputs, ...inputs }, ...exact, ...known, ...more })
}

/** Another version gets this call: the frame goes on as that one, which has conditions of its own. */
function becomeVersion(one: Execution, source: Json): void {
  one.x.become(source)
  look(one, {}, { chosen: true })
}

function settled(one: Execution, ref: Ref, result: Json): void {
  switch (one.position.phase) {
    case 'look':
      if (isObject(result) && result['become'] !== undefined) return becomeVersion(one, result['become'])
      one.x.setInternal(KEYS.look, result)
      return parse(one)
    case 'parse':
      return parserDone(one, ref, result)
    case 'confirm':
      return confirmed(one, result === true, 'the host has not confirmed it')
    case 'policy':
      one.x.setInternal(KEYS.remote, result)
      return decideOn(one)
    case 'admit':
      return admitted(one, result as unknown as Admission)
    case 'verify':
      return verified(one, result)
    case 'step':
      return stepDone(one, result, endPlan)
    case 'undo':
      return undoDone(one, endPlan)
    case 'settle':
      return finish(one)
    default:
  }
}

function failed(one: Execution, ref: Ref, fault: FaultData): void {
  switch (one.position.phase) {
    case 'parse':
      return parserDone(one, ref, undefined)
    case 'confirm':
      return confirmed(one, false, `the host could not be asked: ${fault.message}`)
    case 'verify':
      dropTimers(one)
      return admit(one, 'not_done')
    case 'step':
      return stepFailed(one, fault, endPlan)
    case 'undo':
      return undoFailed(one, fault, endPlan)
    default:
      // The registry is part of every execution: without it nothing is done, and what was done is in the journal.
      return one.x.fail(fault)
  }
}

function returned(one: Execution, ref: Ref, status: string, value: Json | undefined): void {
  const { isLeaving, cause = 'cancelled', detail = '', phase } = one.position
  if (isLeaving === true) {
    const { isLeaving: _, ...rest } = one.position
    one.position = rest
    return phase === 'undo' ? nextUndo(one, endPlan) : stop(one, cause, detail, endPlan)
  }
  if (status === 'done') return settled(one, ref, value ?? null)
  failed(one, ref, (isObject(value) ? value : { code: 'R2012', message: `it was ${status}`, verdict: 'fail' }) as unknown as FaultData)
}

/** The milliseconds of a question to a model (reference skill 1.11). */
const PARSER_TIME = 5_000

/** Asks models for the slots that nothing else fills. A reply that is not there is a slot without a value. */
function parse(one: Execution): void {
  const questions = one.x.fact(
    'parsers',
    () => one.program.parsers(one.question) as unknown as Json,
  ) as unknown as readonly ParserQuestion[]
  if (questions.length === 0) return decideOn(one)
  const parsing = questions.map(({ key, model, prompt, inputs }) => {
    const messages = [
      { role: 'system', content: prompt },
      { role: 'user', content: JSON.stringify(inputs) },
    ]
    const ref = one.x.request('model', { model, messages, temperature: 0, timeout: PARSER_TIME, retries: 0, partial: true })
    return [String(ref), key] as const
  })
  one.move({ phase: 'parse', parsing: Object.fromEntries(parsing) })
}

function parserDone(one: Execution, ref: Ref, reply: Json | undefined): void {
  const { [String(ref)]: key, ...parsing } = one.position.parsing ?? {}
  if (key === undefined) return
  const { model, text } = isObject(reply) ? reply : {}
  const answer = { key, ...(typeof model === 'string' ? { model } : {}), ...(typeof text === 'string' ? { output: text } : {}) }
  one.x.setInternal(KEYS.parsed, [...one.question.parsed, answer])
  one.move({ parsing })
  if (Object.keys(parsing).length === 0) decideOn(one)
}

function decideOn(one: Execution): void {
  const { x } = one
  const { program, question } = one
  const features = x.keepsContents ? undefined : x.fact(GATE, () => program.features(question) as unknown as Json)
  const answer = program.decide(question, features as RecordedFeatures | undefined)
  const { decision: found, slots, lacksAnswers = false } = answer
  if (lacksAnswers && one.position.looksAgain !== true && x.get(KEYS.parsed) !== undefined) return lookAgain(one)
  if (asksConfirmation(one, answer)) return
  const decision = one.look.mode === 'shadow' ? shadowed(found, program.manifest) : found
  if (decision.verdict === 'denied') return note(one, decision, () => refuse(one, decision))
  if (decision.verdict === 'clarify') return note(one, decision, () => clarify(one, decision))
  if (one.look.asks_control_plane === true && question.remote === undefined) return askControlPlane(one, slots)
  x.setInternal(KEYS.slots, slots)
  x.setInternal(KEYS.decision, decision)
  admit(one)
}

/** An answer to the question for a confirmation: the gate looks and decides again, because a person can take days. */
function confirmed(one: Execution, isConfirmed: boolean, detail: string): void {
  const decision = unconfirmedDecision(one)
  if (!isConfirmed) return note(one, decision, () => refuse(one, decision, { detail }))
  keepConfirmation(one)
  look(one, answersOf(one), { chosen: true })
}

/** Nothing here denies the execution, and all its values are known: the control plane has the last word. */
function askControlPlane(one: Execution, slots: JsonObject): void {
  one.move({ phase: 'policy' })
  one.x.request('skills.policy', { slots })
}

/** Asks the functions of the host with the values that parsers have found: without them, no condition could be evaluated. */
function lookAgain(one: Execution): void {
  one.move({ looksAgain: true })
  look(one, answersOf(one))
}

/** The values that a person has given in this execution. */
function answersOf({ x }: Execution): JsonObject {
  const answers = x.get(KEYS.answers)
  return isObject(answers) ? answers : {}
}

function note(one: Execution, decision: DecisionRecord, then: () => void): void {
  one.x.note({ decision: decision as unknown as Json })
  then()
}

/** Values are missing: a wrapped agent is told which, anybody else is asked, but for no sensitive one. */
function clarify(one: Execution, decision: DecisionRecord): void {
  const { x, args, program } = one
  const { questions, schema, text } = program.ask(decision.missing ?? [])
  if (args.proposal.carrier !== 'program') return refuse(one, decision, { missing: questions })
  // The answer to a question is recorded as it is given.
  const hidden = program.manifest.signature.inputs.find(({ name, sensitive }) => sensitive && decision.missing?.includes(name) === true)
  if (hidden !== undefined)
    return refuse(one, decision, { detail: `${hidden.name} is sensitive, so nobody is asked for it: give it when the run begins` })
  // An answer goes through the inbox of the store.
  if (!x.keepsContents)
    return refuse(one, decision, { detail: 'no contents are kept, so nobody is asked: give all values when the run begins' })
  one.move({ phase: 'slots' })
  x.wait('answer', SLOTS, { about: { text, schema } })
}

function answered(one: Execution, answer: Json): void {
  if (one.position.phase === 'confirm') return confirmed(one, isYes(answer), 'a person has not confirmed it')
  if (one.position.phase !== 'slots' || !isObject(answer)) return
  const answers = { ...answersOf(one), ...answer }
  one.x.setInternal(KEYS.answers, answers)
  look(one, answers, { chosen: true })
}

function admit(one: Execution, found?: 'done' | 'not_done'): void {
  const { x, program, values } = one
  const { manifest } = program
  const key = one.key(values)
  if (key !== undefined && 'problem' in key) return refuse(one, { verdict: 'denied', reason: 'slot_invalid' }, { detail: key.problem })
  one.move({ phase: 'admit' })
  x.request('skills.admit', {
    skill: manifest.id,
    version: manifest.version,
    major: majorOf(manifest.version),
    frame: executionId(x),
    ...(key === undefined ? {} : { key_hash: keyHashOf(one, key.value) }),
    fingerprint: fingerprintOf(values.slots),
    key_lasts: manifest.plan.idempotence_ttl_s * 1000,
    cooldown: manifest.activation.cooldown_s * 1000,
    most: manifest.activation.max_concurrency,
    verifies: program.verify !== undefined,
    ...(found === undefined ? {} : { verified: found }),
  })
}

function admitted(one: Execution, { result, outputs, verify }: Admission): void {
  if (verify === true) return beginVerify(one)
  const decided = one.x.get(KEYS.decision) as unknown as DecisionRecord
  const isAdmitted = result.verdict === 'admitted' || result.verdict === 'short_circuit'
  const reason = isAdmitted ? decided.reason : (`admission.${result.verdict}` as DecisionRecord['reason'])
  const decision: DecisionRecord = { ...decided, admission: result, reason, verdict: isAdmitted ? 'approved' : 'denied' }
  one.x.note({ decision: decision as unknown as Json })
  if (result.verdict === 'short_circuit') return finishStored(one, outputs ?? {})
  if (!isAdmitted) {
    const { retry_after_ms } = result
    return refuse(one, decision, retry_after_ms === undefined ? {} : { detail: `try again in ${retry_after_ms} ms` })
  }
  if (result.key_hash !== undefined) one.x.setInternal(KEYS.admitted, result.key_hash)
  const { time, cost } = one.x.meter.program(one.x.frame)
  one.move({ phase: 'step', i: 0, at: one.x.now, time, cost })
  goOn(one, endPlan)
}

/** Looks whether an earlier execution under the key still holds, or has happened at all. */
function beginVerify(one: Execution): void {
  const { verify, manifest } = one.program
  if (verify === undefined) return admit(one, 'not_done')
  const args = one.rendered('args', () => verify.args(one.values))
  if ('problem' in args) return admit(one, 'not_done')
  one.move({ phase: 'verify', at: one.x.now })
  beginCall(one, verify, args.value, manifest.plan.budget.max_latency_ms)
}

/** The guards of a verification are about its result: all of them hold if the earlier execution is done. */
function verified(one: Execution, result: Json): void {
  const { verify } = one.program
  if (verify === undefined) return
  dropTimers(one)
  const { values } = one
  const seen = { ...values, steps: { ...values.steps, [verify.id]: { result } } }
  admit(one, one.x.fact('guard', () => verify.guard(seen)) === undefined ? 'done' : 'not_done')
}

function timer(one: Execution, ref: Ref): void {
  if (one.position.phase === 'undo') return undoTimer(one, ref, endPlan)
  if (one.position.phase === 'step') return stepTimer(one, ref, endPlan)
  if (one.position.phase !== 'verify' || timerOf(one, ref) === undefined) return
  dropCall(one)
  if (one.x.frame.callee === undefined) return admit(one, 'not_done')
  one.x.unwind()
}

/** The caller or a person has cancelled: what has happened is undone. An execution that already closes goes on to its end. */
function cancelled(one: Execution, reason: string): void {
  const { phase } = one.position
  if (phase === 'undo' || phase === 'settle') return
  if (phase === 'step') return interrupt(one, 'cancelled', reason, endPlan)
  dropCall(one)
  one.x.cancelled()
}
