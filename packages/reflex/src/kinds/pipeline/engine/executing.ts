import { isFault, type Frame, isObject, isTime, type Json, type JsonObject, type Ref, thrownMessage } from '../../../kernel/index.ts'
import { stagePath } from '../contract/paths.ts'
import { durationOf, LONGEST_DURATION } from '../language/duration.ts'
import { budget, isLimited, nearLimits } from './budget.ts'
import { haltOutcome, type PassResult, passBefore } from './middleware.ts'
import { endNow, reachedExit } from './advance.ts'
import { DEFAULTS, manyVisits, overBounds } from './bounds.ts'
import { endAttempt, conclude, concludeHook, NO_HOOK, skipUnchanged } from './concluding.ts'
import { endFork, startFork } from './forking.ts'
import type { Answer, Ask, EffectAsk, Observation, NodeContext, Steps } from '../contract/handler.ts'
import { limitTimer } from './limit-timer.ts'
import { askBudget, askPermission } from './permit.ts'
import { INPUT_LABELS, storePassed, labelledArgs, labelsOfInputs } from './labels.ts'
import { failure, type Outcome, refusal } from '../contract/outcome.ts'
import { nodeOf, type PositionField, type Waiting, withoutFields } from '../contract/position.ts'
import { isTransient } from '../contract/retry.ts'
import { unpackAnswer } from '../contract/pack-answer.ts'
import { answerKey, storeAnswer, storeDetached } from '../contract/engine-board.ts'
import { unchangedOutcome } from './unchanged.ts'
import type { Step, FrameStep } from './frame-step.ts'

/** Enters the node at which the frame stands: limits, goal gates, the chain, the first attempt (reference pipeline 3.2). */
export function enter(step: FrameStep): void {
  const { x } = step
  const over = overBounds(step)
  if (over !== undefined) return endNow(step, { status: 'fail', reason: over })
  if (askBudget(step, 'enter')) return
  const { node } = step
  x.setPlace(node.id)
  if (node.canonical === 'exit' && !reachedExit(step)) return
  beginNode(step)
  const warning = manyVisits(step)
  if (warning !== undefined) step.note('stage_warning', { node_id: node.id, warning })
  const recorded = unchangedOutcome(step)
  if (recorded !== undefined) return skipUnchanged(step, recorded)
  const { members, skipped, refused } = step.engine.chain(node, step.typed, step.permissions)
  for (const middleware of skipped) step.note('middleware_skipped', { node_id: node.id, middleware })
  for (const middleware of refused) step.note('skip_refused', { node_id: node.id, middleware })
  const passed = passBefore(members, step.token())
  if (passed.halted !== undefined) return haltStage(step, passed, passed.halted, 1)
  if (!askPermission(step)) beginAttempts(step)
}

const WARNED: ReadonlySet<PositionField> = new Set(['warned'])

function beginNode(step: FrameStep): void {
  const { x, node, position } = step
  x.enter()
  const warned = warnOfBudget(step)
  const before = position.warned === undefined ? position : withoutFields(position, WARNED)
  step.setPosition({ ...before, ...warned, phase: 'enter', attempt: 1, began: x.now, at: x.record, asked: 0 })
  step.note('stage_started', { node_id: node.id, type: node.rawType, index: position.steps + 1 })
}

/** Begins the first attempt at a node that is entered and permitted. */
export function beginAttempts(step: FrameStep): void {
  if (step.engine.hasHook(step.nodeContext(), 'pre')) step.setPosition({ ...step.position, hook: 'pre' })
  attempt(step)
}

/** Warns once that a budget is nearly spent, and once more if it was raised and is nearly spent again. */
function warnOfBudget(step: FrameStep): { readonly warned?: true } {
  if (!isLimited(step.x.def, step.meterBefore)) return {}
  const used = nearLimits(step.x)
  if (used.length === 0) return {}
  if (step.position.warned !== true) step.note('budget_warning', { node_id: step.node.id, used })
  return { warned: true }
}

/** Enters a further attempt, after the checks of the chain. */
export function reenter(step: FrameStep): void {
  const { node, position } = step
  const { members } = step.engine.chain(node, step.typed, step.permissions)
  step.setPosition({ ...position, phase: 'enter' })
  const passed = passBefore(members, step.token(), 'again')
  if (passed.halted === undefined) return attempt(step)
  haltStage(step, { ran: members.length }, passed.halted, (position.attempt ?? 2) - 1)
}

/** Ends a node that is not permitted; one that is refused before it begins has run no member of the chain. */
export function haltNode(step: FrameStep, halt: string, isBeginning: boolean): void {
  if (isBeginning) beginNode(step)
  const { node, position, typed, permissions } = step
  const { members } = step.engine.chain(node, typed, permissions)
  haltStage(step, { ran: isBeginning ? 0 : members.length }, { halt, by: 'permit' }, position.attempt ?? 1)
}

function haltStage(step: FrameStep, { ran }: PassResult, halted: NonNullable<PassResult['halted']>, attempts: number): void {
  step.note('middleware_halted', { node_id: step.node.id, middleware: halted.by, reason: halted.halt })
  conclude(step, haltOutcome(halted), attempts, ran)
}

/** Begins or continues an attempt: runs the handler from its first line with the answers so far. */
export function attempt(step: FrameStep): void {
  const said = runHandler(step)
  if (!('status' in said)) return ask(step, said)
  const { phase, hook, ending } = step.position
  if (phase === 'close') return endNow(step, ending ?? { status: 'success' }, true)
  if (hook === 'post') return concludeHook(step)
  if (hook === undefined) return endAttempt(step, said)
  // Answers to the hook are not answers to the handler.
  const { hook: _hook, ending: _ending, ...position } = step.position
  step.setPosition({ ...position, phase: 'enter', asked: 0 })
  if (said.status === 'fail') return conclude(step, said, 1, NO_HOOK)
  attempt(step)
}

/** Returns the ask for which the handler waits; undefined if it waits for nothing. */
export function currentAsk(step: FrameStep): Ask | undefined {
  const { at, asked, attempt: attempts } = step.position
  const known = asks.get(step.x.frame)
  if (known !== undefined && known.at === at && known.asked === asked && known.attempt === attempts) return known.ask
  const remarkCount = step.remarks.length
  const said = runHandler(step)
  step.remarks.splice(remarkCount)
  return 'status' in said ? undefined : remember(step, said)
}

/** The last ask of each frame in this process: the end of each branch of a large fork needs it. */
const asks = new WeakMap<
  Frame,
  { readonly at: number | undefined; readonly asked: number | undefined; readonly attempt: number | undefined; readonly ask: Ask }
>()

function remember({ x, position: { at, asked, attempt: attempts } }: FrameStep, ask: Ask): Ask {
  asks.set(x.frame, { at, asked, attempt: attempts, ask })
  return ask
}

/** Runs a handler with the answers so far. It drops remarks that earlier records already contain. */
function runHandler(step: FrameStep): Ask | Outcome {
  const { asked = 0 } = step.position
  const remarkCount = step.remarks.length
  const scene = step.nodeContext()
  try {
    const begun = begin(step, scene)
    if (!isSteps(begun)) return begun
    let next = begun.next()
    for (let i = 0; i < asked && next.done !== true; i++) {
      step.remarks.splice(remarkCount)
      next = begun.next(answerTo(step, next.value, i))
    }
    return next.value
  } catch (thrown) {
    return thrownOutcome(thrown)
  }
}

function begin({ engine, position, node, engineBoard }: FrameStep, context: NodeContext): Outcome | Steps {
  const { phase, hook } = position
  if (phase === 'close') return engine.closing(context)
  return hook === undefined ? engine.handler(node)(context) : engine.hook(context, hook, engineBoard.finished?.outcome)
}

function answerTo(step: FrameStep, ask: Ask, i: number): Answer {
  return unpackAnswer(
    ask,
    (part) => answerKey(i, part),
    (key) => step.x.get(key),
    () => endFork(step, ask),
  )
}

/** Issues the ask of a handler, under the node's timeout. */
function ask(step: FrameStep, said: Ask): void {
  const { position } = step
  const over = asksModel(said) ? overOwnBudget(step) : undefined
  if (over !== undefined) return endAttempt(step, over)
  const waiting = waitProblem(step, said) ?? issue(step, said)
  if ('status' in waiting) return endAttempt(step, waiting)
  if ('now' in waiting) return answerNow(step, waiting.now, 'keep' in said)
  if ('again' in waiting) {
    step.setPosition({ ...position, asked: 0, kept: waiting.again })
    return attempt(step)
  }
  const isFirst = position.limit === undefined && position.phase !== 'close' && position.hook === undefined
  const limit = isFirst ? timeLimit(step) : position.limit
  const phase = position.phase === 'close' ? 'close' : 'wait'
  step.setPosition({ ...position, phase, for: waiting, ...(limit === undefined ? {} : { limit }) })
}

function asksModel(said: Ask): boolean {
  if ('all' in said) return said.all.some(({ effect }) => effect === 'model')
  return 'effect' in said && said.effect === 'model'
}

/** Returns the failure of a node whose pipeline has spent its own budget, if the node has already asked for something. */
function overOwnBudget(step: FrameStep): Outcome | undefined {
  const { asked = 0, kept, phase } = step.position
  if ((asked === 0 && kept === undefined) || phase === 'close') return undefined
  const { members } = step.engine.chain(step.node, step.typed, step.permissions)
  const halted = members.find((member) => member === budget)?.again?.(step.token())
  return halted === undefined ? undefined : haltOutcome(halted)
}

/** Stores an answer that is known at once; the handler continues in the same step. */
function answerNow(step: FrameStep, now: Json, continues: boolean): void {
  const { position, x } = step
  const { asked = 0 } = position
  storeAnswer(x, asked, now)
  step.setPosition({ ...position, asked: asked + 1, ...(continues ? { continues: true } : {}) })
  attempt(step)
}

/** Starts the node's own timeout; the timeout of a question belongs to the question. */
function timeLimit({ x, node, engine }: FrameStep): Ref | undefined {
  const ms = durationOf(node.node.attributes, 'timeout')
  return ms === undefined || ms <= 0 || engine.isWaiting(node) ? undefined : limitTimer(x, ms, 'timeout')
}

/** Returns the failure of a node that would wait until after the last date; undefined for every other ask. */
function waitProblem({ x, node }: FrameStep, said: Ask): Outcome | undefined {
  const ms = 'question' in said ? said.due : 'sleep' in said ? said.sleep : 'signal' in said ? said.timeout : undefined
  if (ms === undefined || isTime(x.now + ms)) return undefined
  return refusal(`${node.id} cannot wait ${ms} ms, because dates end before: wait at most ${LONGEST_DURATION}`)
}

/** Issues an ask and returns what the step waits for. A program that is missing or cannot be read fails the node. */
function issue(step: FrameStep, said: Ask): Waiting | Outcome | { readonly now: Json } | { readonly again: Json } {
  const { x, node } = step
  if ('effect' in said) return { is: 'effect', ids: [request(step, said)] }
  if ('all' in said) return { is: 'effect', ids: said.all.map((one) => request(step, one)) }
  if ('question' in said) {
    const due = said.due === undefined ? {} : { due: x.now + said.due }
    return { is: 'wait', id: x.wait('answer', node.id, { ...due, about: said.question as unknown as Json }) }
  }
  if ('sleep' in said) return { is: 'wait', id: x.timer(said.sleep, node.id) }
  if ('signal' in said) {
    return { is: 'wait', id: x.wait('message', said.signal, said.timeout === undefined ? {} : { due: x.now + said.timeout }) }
  }
  if ('fork' in said) {
    remember(step, said)
    return startFork(step, said)
  }
  if ('again' in said) return said
  if ('keep' in said) return { now: said.keep }
  if ('observe' in said) return { now: { seen: observation(x, said.observe) as unknown as Json } }
  const maxNesting = step.permissions.limits.depth ?? DEFAULTS.depth
  try {
    if ('begin' in said) {
      const args = inputsOf(step, said.begin, said.inputs)
      const began = String(x.spawn(said.begin, { args, sees: 'nothing', maxNesting }))
      if (said.detached === true) storeDetached(x, [...step.engineBoard.detached, began])
      return { now: { began } }
    }
    const program = 'call' in said ? said.call : x.define(said.kind, said.id, said.define)
    x.call(program, { args: inputsOf(step, program, said.inputs), isolated: true, maxNesting })
    return { is: 'call', ...(isPipeline(program) ? { pipeline: true } : {}) }
  } catch (thrown) {
    if (isFault(thrown)) return refusal(`${thrown.code} ${thrown.message}`)
    throw thrown
  }
}

/** Returns the state of a strand that runs another program, as far as its spawner can see it. */
function observation(x: Step, name: string): Observation {
  const result = x.strandResult(name)
  const frame = x.frame.strands?.get(name)
  // A strand that this same step began does not exist before its record is applied.
  const begun = Number.parseInt(name, 10) === x.record
  const seen = { status: result?.status ?? (begun ? ('running' as const) : ('cancelled' as const)), value: result?.value ?? null }
  const node = nodeOf(frame?.position)
  if (frame === undefined || node === undefined || !isObject(frame.position)) return seen
  const { steps, attempt: attempts } = frame.position
  return {
    ...seen,
    node,
    ...(typeof steps === 'number' ? { steps } : {}),
    retries: typeof attempts === 'number' ? attempts - 1 : 0,
    folder: stagePath(frame, node, ({ pin }) => (pin === x.frame.pin ? x.def : undefined)),
  }
}

function request(step: FrameStep, { effect, args }: EffectAsk): Ref {
  return step.x.request(effect, labelledArgs(step, step.token(), effect, args))
}

/** Returns named inputs with their labels for a pipeline; for another kind the labels are stored here. */
function inputsOf(step: FrameStep, program: string, inputs: JsonObject): JsonObject {
  if (isPipeline(program)) return { ...inputs, [INPUT_LABELS]: labelsOfInputs(step, step.token(), inputs) }
  storePassed(step, step.token(), inputs)
  return inputs
}

function isPipeline(program: string): boolean {
  return program.startsWith('pipeline:')
}

function isSteps(begun: Outcome | Steps): begun is Steps {
  return 'next' in begun
}

/**
 * Returns the failure of a handler that threw; it may be retried if the message is about the network (reference
 * pipeline 3.5).
 */
function thrownOutcome(thrown: unknown): Outcome {
  const message = thrownMessage(thrown)
  return isTransient(message) ? failure(message) : refusal(message)
}
