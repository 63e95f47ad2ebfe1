import {
  isObject,
  type Json,
  type JsonObject,
  type Frame,
  type EndStatus as FrameEnding,
  type Input,
  type Ref,
} from '../../../kernel/index.ts'
import { beginClosing, endNow } from './advance.ts'
import { endAttempt } from './concluding.ts'
import { attempt, beginAttempts, currentAsk, enter, haltNode, reenter } from './executing.ts'
import { forkEnded, stopFork } from './forking.ts'
import { limitTimer } from './limit-timer.ts'
import { missingAhead } from './ahead.ts'
import { askBudget, endStopped } from './permit.ts'
import { storeReturned, labelInputs, touch } from './labels.ts'
import { unpackLabel } from '../../../policy/label.ts'
import { unlabelled } from '../../../policy/index.ts'
import { failure, type Outcome } from '../contract/outcome.ts'
import { continueRun, storedRunOf } from './resuming.ts'
import { LATE_ANSWER, packError, packOk } from '../contract/pack-answer.ts'
import { OUTSIDE, storeAnswer } from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

/** Applies an input to a frame that has begun. */
export function takeInput(step: FrameStep, input: Input): void {
  const { phase } = step.position
  switch (input[0]) {
    case 'ok':
      if (phase === 'permit') return permitted(step)
      return phase === 'outside' ? outsideRead(step, input[2]) : succeeded(step, input[1], input[2])
    case 'err':
      if (phase === 'permit') return notPermitted(step, input[2])
      return phase === 'outside'
        ? endNow(step, { status: 'fail', reason: messageOf(input[2]) })
        : settled(step, input[1], packError(input[2]))
    case 'answer':
      return waitAnswered(step, input[1], { answer: input[2], ...(input[3] === undefined ? {} : { by: input[3] }) })
    case 'message': {
      // A message that was recorded without its author has its id as its source.
      const [, wait, message, id, by = id] = input
      return waitAnswered(step, wait, { message, ...(by === undefined ? {} : { by }) })
    }
    case 'timer':
      return timerFired(step, input[1])
    case 'ret':
      return callReturned(step, input[2], input[3] ?? null)
    case 'end':
      return branchEnded(step, input[1])
    case 'cancel':
      return stop(step, 'cancelled', input[1])
    default:
      return undefined
  }
}

/** Begins the walk at the start node, or where the run that this one continues has ended. */
export function beginWalk(step: FrameStep): void {
  if (step.typed.start === undefined) return endNow(step, { status: 'fail', reason: 'the pipeline has no start node' })
  labelInputs(step)
  const missing = missingAhead(step)
  if (missing !== undefined) return endNow(step, { status: 'fail', ...missing })
  const held = storedRunOf(step.x.frame)
  if (held === undefined || held.again === true) enter(step)
  else continueRun(step, held)
}

/** Continues where a permit was asked for. */
function permitted(step: FrameStep): void {
  const { next, for: _for, ...position } = step.position
  step.setPosition({ ...position, phase: next === 'rest' ? 'rest' : 'enter' })
  if (next === 'rest') reenter(step)
  else if (next === 'begin') beginAttempts(step)
  else enter(step)
}

/** Fails the node for which a permit is refused, or ends the pipeline if a person has stopped the run. */
function notPermitted(step: FrameStep, fault: Json): void {
  const { next, for: _for, ...position } = step.position
  step.setPosition({ ...position, phase: 'enter' })
  if (step.x.isStopped) endStopped(step)
  else haltNode(step, `unauthorized: ${messageOf(fault)}`, next === 'enter')
}

/** Takes a result and its label: a result has a label if it is worse than the label of the place from which it was read. */
function succeeded(step: FrameStep, id: Ref, result: Json): void {
  const { value, label } = unlabelled(result)
  touch(step, label)
  settled(step, id, packOk(value))
}

function settled(step: FrameStep, id: Ref, kept: Json): void {
  const { position, x } = step
  const { for: waiting, asked = 0 } = position
  const part = waiting?.is === 'effect' ? waiting.ids.indexOf(id) : -1
  if (waiting?.is !== 'effect' || part < 0) return
  storeAnswer(x, asked, kept, part)
  const others = x.pendingEffects().some((flight) => flight.id !== id && waiting.ids.includes(flight.id))
  if (!others) continueHandler(step)
}

/** Continues the handler with the answer that it asked for. */
function continueHandler(step: FrameStep): void {
  const { asked = 0, for: _for, ...position } = step.position
  step.setPosition({ ...position, asked: asked + 1 })
  attempt(step)
}

function waitAnswered(step: FrameStep, id: Ref, value: Json): void {
  const { position } = step
  if (position.for?.is !== 'wait' || position.for.id !== id) return
  storeAnswer(step.x, position.asked ?? 0, value)
  continueHandler(step)
}

function timerFired(step: FrameStep, id: Ref): void {
  const { position } = step
  if (position.phase === 'rest') {
    if (!askBudget(step, 'rest')) reenter(step)
    return
  }
  if (position.limit === id) return extendsLimit(step, id) ? undefined : timedOut(step)
  if (position.for?.is === 'wait' && position.for.id === id) return waitAnswered(step, id, LATE_ANSWER)
  if (step.x.waits().some((open) => open.id === id && open.name === 'branch') && !extendsLimit(step, id))
    return stop(step, 'fail', 'branch timeout')
}

function callReturned(step: FrameStep, how: FrameEnding, value: Json): void {
  const { position } = step
  const isPipeline = position.for?.is === 'call' && position.for.pipeline === true
  if (position.ending !== undefined && position.phase !== 'close') return beginClosing(step, position.ending)
  if (position.for?.is !== 'call') return
  if (position.late === true) return endAttempt(step, failure('timeout'))
  storeReturned(step, isPipeline, value)
  storeAnswer(step.x, position.asked ?? 0, { returned: how, value })
  if (!isPipeline) return askOutside(step)
  continueHandler(step)
}

/** Asks what a program of another kind has read: only the observers of the whole run know. */
function askOutside(step: FrameStep): void {
  step.setPosition({ ...step.position, phase: 'outside', next: 'wait' })
  step.x.request('outside')
}

function outsideRead(step: FrameStep, label: Json): void {
  const { next, ...position } = step.position
  if (next !== 'wait') {
    if (label !== null) step.x.set(OUTSIDE, label)
    return beginWalk(step)
  }
  step.setPosition({ ...position, phase: 'wait' })
  touch(step, unpackLabel(label))
  continueHandler(step)
}

function branchEnded(step: FrameStep, strand: Ref): void {
  const { position, x } = step
  if (position.ending !== undefined && position.phase !== 'close') {
    if ((x.frame.strands?.size ?? 0) === 0) beginClosing(step, position.ending)
    return
  }
  const ask = position.for?.is === 'fork' ? currentAsk(step) : undefined
  if (ask === undefined || !('fork' in ask) || !forkEnded(step, ask, strand)) return
  if (step.position.late === true) return endAttempt(step, failure('timeout'))
  continueHandler(step)
}

/** The milliseconds after which a timer was not just late: no process was running when it was due. */
const ABSENT = 1_000

/**
 * Returns true if work continues although its timeout has expired, and gives it a new timer if no process was running.
 * An effect with an unknown outcome waits for a person as long as that takes: a failure would repeat it without a
 * question. Time in which no process ran the run does not count for the node.
 */
function extendsLimit(step: FrameStep, id: Ref): boolean {
  const { position, x } = step
  const { limit, ...rest } = position
  const timer = x.waits().find((open) => open.id === id)
  const isAbsent = timer?.due !== undefined && x.now - timer.due > ABSENT
  if (waitsForPerson(x.frame)) {
    if (limit === id) step.setPosition(rest)
    return true
  }
  if (!isAbsent) return false
  const newTimer = limitTimer(x, timer.due - timer.since, timer.name)
  if (limit === id) step.setPosition({ ...rest, limit: newTimer })
  return true
}

/**
 * True if a person is asked about an effect of the frame or of anything that it runs, or if such an effect begins only after others:
 * a person may be asked about those.
 */
function waitsForPerson({ pendingEffects, callee, strands }: Frame): boolean {
  if (pendingEffects.some(({ isQuestioned, isPostponed }) => isQuestioned || isPostponed)) return true
  return (callee !== undefined && waitsForPerson(callee)) || [...(strands?.values() ?? [])].some(waitsForPerson)
}

/** Ends a node after its timeout: drops what it waits for. */
function timedOut(step: FrameStep): void {
  const { position, x } = step
  step.note('stage_timeout', { node_id: position.node })
  if (position.for?.is === 'call') {
    x.unwind()
    return step.setPosition({ ...position, late: true })
  }
  if (position.for?.is === 'fork' && stopFork(step)) return step.setPosition({ ...step.position, late: true })
  endAttempt(step, failure('timeout', storeLateErrors(step)))
}

/**
 * Drops what a node waits for. A node that keeps its answers continues with them in its next attempt: it calls a model
 * again; a pending tool is not called again, and its answer says so.
 */
function storeLateErrors(step: FrameStep): Partial<Outcome> {
  const { position, x } = step
  const { for: waiting, asked = 0, continues } = position
  const open = x.pendingEffects().filter(({ id }) => waiting?.is === 'effect' && waiting.ids.includes(id))
  giveUp(step)
  if (continues !== true || waiting?.is !== 'effect') return {}
  if (open.some(({ port }) => port === 'model')) return { resume: 'next' }
  for (const { id } of open) storeAnswer(x, asked, packError(OUT_OF_TIME), waiting.ids.indexOf(id))
  step.setPosition({ ...position, asked: asked + 1 })
  return { resume: 'next' }
}

const OUT_OF_TIME: JsonObject = {
  code: 'R2201',
  verdict: 'fail',
  message: 'the time limit of the node passed before the result came: the call may have taken effect, in full or in part',
}

/** Drops every effect and wait of the frame, except the timer of its branch. */
function giveUp({ x }: FrameStep): void {
  const waits = x.waits().filter(({ name }) => name !== 'branch')
  const refs = [...x.pendingEffects().map(({ id }) => id), ...waits.map(({ id }) => id)]
  if (refs.length > 0) x.drop(...refs)
}

/** Drops everything and ends the frame, after its strands and a called program have ended. */
function stop(step: FrameStep, status: 'fail' | 'cancelled', reason: string): void {
  const { x, position } = step
  const ending = { status, reason }
  giveUp(step)
  const strands = [...(x.frame.strands?.keys() ?? [])]
  if (strands.length > 0) x.kill(...strands)
  else if (x.frame.callee !== undefined) x.unwind()
  else return beginClosing(step, ending)
  step.setPosition({ ...position, ending })
}

function messageOf(fault: Json): string {
  return isObject(fault) && typeof fault['message'] === 'string' ? fault['message'] : 'refused'
}
