import { isFault } from '../../../kernel/journal/fault.ts'
import type { Frame } from '../../../kernel/state/frame.ts'
import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Ref } from '../../../kernel/journal/record.ts'
import { stagePath } from '../contract/paths.ts'
import { durationOf } from '../language/duration.ts'
import { budget } from './budget.ts'
import { haltOutcome, type Passed, passBefore } from './middleware.ts'
import { endNow, reachedExit } from './advance.ts'
import { DEFAULTS, manyVisits, overBounds } from './bounds.ts'
import { charterRequest } from './charter.ts'
import { attempted, conclude, hooked, NO_HOOK, passOver } from './concluding.ts'
import { endFork, startFork } from './forking.ts'
import type { Answer, Ask, EffectAsk, Observation, Scene, Steps } from '../contract/handler.ts'
import { holds, holdsAsk } from './holding.ts'
import { GIVEN, keepPassed, labelledArgs, labelsOfInputs } from './labels.ts'
import { failure, type Outcome, refusal } from '../contract/outcome.ts'
import { nodeOf, type Waiting } from '../contract/position.ts'
import { isTransient } from '../contract/retry.ts'
import { unpackAnswer } from '../contract/settle.ts'
import { answerKey, keepAnswer, keepDetached } from '../contract/tally.ts'
import { unchanged } from './unchanged.ts'
import type { Step, Walk } from './walk.ts'

/** Enters the node where the frame stands: bounds, goal gates, the chain, the first attempt (reference pipeline 3.2). */
export function enter(walk: Walk): void {
  const { x, position } = walk
  if (position.uncharted === true) return charterAgain(walk)
  const over = overBounds(walk)
  if (over !== undefined) return endNow(walk, { status: 'fail', reason: over })
  if (holds(walk, 'enter')) return
  const { node } = walk
  x.at(node.id)
  if (node.canonical === 'exit' && !reachedExit(walk)) return
  const { warned: _warned, ...before } = position
  walk.go({ ...before, ...warnOfBudget(walk), phase: 'enter', attempt: 1, began: x.now, at: x.record, asked: 0 })
  walk.note('stage_started', { node_id: node.id, type: node.rawType, index: position.steps + 1 })
  const warning = manyVisits(walk)
  if (warning !== undefined) walk.note('stage_warning', { node_id: node.id, warning })
  const recorded = unchanged(walk)
  if (recorded !== undefined) return passOver(walk, recorded)
  const { members, skipped, refused } = walk.engine.chain(node, walk.typed, walk.charter)
  for (const middleware of skipped) walk.note('middleware_skipped', { node_id: node.id, middleware })
  for (const middleware of refused) walk.note('skip_refused', { node_id: node.id, middleware })
  const passed = passBefore(members, walk.token())
  if (passed.halted !== undefined) return denied(walk, passed, passed.halted, 1)
  useGrants(walk)
  if (walk.engine.hooks(walk.scene(), 'pre')) walk.go({ ...walk.position, hook: 'pre' })
  attempt(walk)
}

/** Says once that a budget is nearly spent, and once more after it was raised and is nearly spent again. */
function warnOfBudget(walk: Walk): { readonly warned?: true } {
  const used = walk.purse.nearlySpent
  if (used.length === 0) return {}
  if (walk.position.warned !== true) walk.note('budget_warning', { node_id: walk.node.id, used })
  return { warned: true }
}

/** Asks what the operator says of what a changed pipeline needs; then the walk goes on here. */
function charterAgain(walk: Walk): void {
  const { uncharted: _uncharted, ...position } = walk.position
  walk.go({ ...position, phase: 'charter', onward: 'enter' })
  walk.x.request(...charterRequest(walk.typed))
}

/** Enters a further attempt: what the chain looks at before each of them. */
export function reenter(walk: Walk): void {
  const { node, position } = walk
  const { members } = walk.engine.chain(node, walk.typed, walk.charter)
  walk.go({ ...position, phase: 'enter' })
  const passed = passBefore(members, walk.token(), 'again')
  if (passed.halted === undefined) return attempt(walk)
  denied(walk, { ran: members.length }, passed.halted, (position.attempt ?? 2) - 1)
}

function denied(walk: Walk, { ran }: Passed, halted: NonNullable<Passed['halted']>, attempts: number): void {
  walk.note('middleware_halted', { node_id: walk.node.id, middleware: halted.by, reason: halted.halt })
  conclude(walk, haltOutcome(halted), attempts, ran)
}

/** Counts the uses of grants that are bounded, and lets the effects of the node have them. */
function useGrants(walk: Walk): void {
  const { terms = {} } = walk.charter
  const used = walk.node.capabilitiesRequired.flatMap((need) => {
    const term = terms[need]
    return term?.most === undefined ? [] : [term.grant]
  })
  if (used.length === 0) return
  walk.purse.spend({ tokens: 0, cost: 0, calls: 0, uses: Object.fromEntries(used.map((grant) => [grant, 1])) })
  for (const grant of used) walk.permit(grant, true)
}

/** Begins an attempt, or goes on with one: the handler from its first line, with the answers that it has had. */
export function attempt(walk: Walk): void {
  const said = runHandler(walk)
  if (!('status' in said)) return ask(walk, said)
  const { phase, hook, ending, ...position } = walk.position
  if (phase === 'close') return endNow(walk, ending ?? { status: 'success' }, true)
  if (hook === 'post') return hooked(walk)
  if (hook === undefined) return attempted(walk, said)
  // Answers to the hook are not answers to the handler.
  walk.go({ ...position, phase: 'enter', asked: 0 })
  if (said.status === 'fail') return conclude(walk, said, 1, NO_HOOK)
  attempt(walk)
}

/** What the handler waits for now; nothing if it waits for nothing. */
export function askedNow(walk: Walk): Ask | undefined {
  const { at, asked, attempt: attempts } = walk.position
  const known = asks.get(walk.x.frame)
  if (known !== undefined && known.at === at && known.asked === asked && known.attempt === attempts) return known.ask
  const told = walk.remarks.length
  const said = runHandler(walk)
  walk.remarks.splice(told)
  return 'status' in said ? undefined : remember(walk, said)
}

/** The last ask of each frame of this process: a block of many branches is asked about at the end of each. */
const asks = new WeakMap<
  Frame,
  { readonly at: number | undefined; readonly asked: number | undefined; readonly attempt: number | undefined; readonly ask: Ask }
>()

function remember({ x, position: { at, asked, attempt: attempts } }: Walk, ask: Ask): Ask {
  asks.set(x.frame, { at, asked, attempt: attempts, ask })
  return ask
}

/** Begins a handler and gives it what it has had. What it remarks on the way stands in earlier records. */
function runHandler(walk: Walk): Ask | Outcome {
  const { asked = 0 } = walk.position
  const told = walk.remarks.length
  const scene = walk.scene()
  try {
    const begun = begin(walk, scene)
    if (!isSteps(begun)) return begun
    let next = begun.next()
    for (let i = 0; i < asked && next.done !== true; i++) {
      walk.remarks.splice(told)
      next = begun.next(answerTo(walk, next.value, i))
    }
    return next.value
  } catch (thrown) {
    return thrownOutcome(thrown)
  }
}

function begin({ engine, position, node, tally }: Walk, scene: Scene): Outcome | Steps {
  const { phase, hook } = position
  if (phase === 'close') return engine.closing(scene)
  return hook === undefined ? engine.handler(node)(scene) : engine.hook(scene, hook, tally.finished?.outcome)
}

function answerTo(walk: Walk, ask: Ask, i: number): Answer {
  return unpackAnswer(
    ask,
    (part) => answerKey(i, part),
    (key) => walk.x.get(key),
    () => endFork(walk, ask),
  )
}

/** Asks for what a handler needs, under the node's timeout. */
function ask(walk: Walk, said: Ask): void {
  const { missing, ...position } = walk.position
  if (asksModel(said)) {
    const over = overOwnBudget(walk)
    if (over === undefined && holdsAsk(walk)) return
    walk.go(position)
    if (over !== undefined) return attempted(walk, over)
  }
  const waiting = issue(walk, said, missing)
  if ('status' in waiting) return attempted(walk, waiting)
  if ('now' in waiting) return told(walk, waiting.now, 'keep' in said)
  if ('again' in waiting) {
    walk.go({ ...position, asked: 0, kept: waiting.again })
    return attempt(walk)
  }
  const isFirst = position.limit === undefined && position.phase !== 'close' && position.hook === undefined
  const limit = isFirst ? timeLimit(walk) : position.limit
  const phase = position.phase === 'close' ? 'close' : 'wait'
  walk.go({ ...position, phase, for: waiting, ...(limit === undefined ? {} : { limit }) })
}

/** Asks again for an effect that was held before it was requested. */
export function askAgain(walk: Walk): void {
  const said = askedNow(walk)
  if (said === undefined) attempt(walk)
  else ask(walk, said)
}

function asksModel(said: Ask): boolean {
  if ('all' in said) return said.all.some(({ effect }) => effect === 'model')
  return 'effect' in said && said.effect === 'model'
}

/** The failure of a node whose pipeline has used up its own limits, where the node has already asked for something. */
function overOwnBudget(walk: Walk): Outcome | undefined {
  const { asked = 0, kept, phase } = walk.position
  if ((asked === 0 && kept === undefined) || phase === 'close') return undefined
  const { members } = walk.engine.chain(walk.node, walk.typed, walk.charter)
  const halted = members.find((member) => member === budget)?.again?.(walk.token())
  return halted === undefined ? undefined : haltOutcome(halted)
}

/** What was asked is known at once: the handler goes on in the same step. */
function told(walk: Walk, now: Json, keeps: boolean): void {
  const { position, x } = walk
  const { asked = 0 } = position
  keepAnswer(x, asked, now)
  walk.go({ ...position, asked: asked + 1, ...(keeps ? { keeps: true } : {}) })
  attempt(walk)
}

/** The node's own timeout; that of a question is for the question. */
function timeLimit({ x, node, engine }: Walk): Ref | undefined {
  const ms = durationOf(node.node.attributes, 'timeout')
  return ms === undefined || ms <= 0 || engine.waits(node) ? undefined : x.timer(ms, 'timeout')
}

/** Asks, and says what is waited for; a program that is not there or cannot be read is a failure of the node. */
function issue(
  walk: Walk,
  said: Ask,
  missing: readonly number[] | undefined,
): Waiting | Outcome | { readonly now: Json } | { readonly again: Json } {
  const { x, node } = walk
  if ('effect' in said) return { is: 'effect', ids: [request(walk, said)] }
  if ('all' in said) return { is: 'effect', ids: said.all.map((one, i) => (missing?.includes(i) === false ? null : request(walk, one))) }
  if ('question' in said) {
    const due = said.due === undefined ? {} : { due: x.now + said.due }
    return { is: 'wait', id: x.wait('answer', node.id, { ...due, about: said.question as unknown as Json }) }
  }
  if ('sleep' in said) return { is: 'wait', id: x.timer(said.sleep, node.id) }
  if ('signal' in said) {
    return { is: 'wait', id: x.wait('message', said.signal, said.timeout === undefined ? {} : { due: x.now + said.timeout }) }
  }
  if ('fork' in said) {
    remember(walk, said)
    return startFork(walk, said)
  }
  if ('again' in said) return said
  if ('keep' in said) return { now: said.keep }
  if ('observe' in said) return { now: { seen: observation(x, said.observe) as unknown as Json } }
  const within = walk.charter.limits.depth ?? DEFAULTS.depth
  try {
    if ('begin' in said) {
      const args = inputsOf(walk, said.begin, said.inputs)
      const began = String(x.spawn(said.begin, { args, sees: 'nothing', within }))
      if (said.detached === true) keepDetached(x, [...walk.tally.detached, began])
      return { now: { began } }
    }
    const program = 'call' in said ? said.call : x.define(said.kind, said.id, said.define)
    x.call(program, { args: inputsOf(walk, program, said.inputs), isolated: true, within })
    return { is: 'call', ...(isPipeline(program) ? { pipeline: true } : {}) }
  } catch (thrown) {
    if (isFault(thrown)) return refusal(`${thrown.code} ${thrown.message}`)
    throw thrown
  }
}

/** How a strand that runs another program stands: what its spawner can see of it. */
function observation(x: Step, name: string): Observation {
  const kid = x.kid(name)
  const frame = x.frame.strands?.get(name)
  // What this very step has begun is no strand before its record is applied.
  const begun = Number.parseInt(name, 10) === x.record
  const seen = { status: kid?.status ?? (begun ? ('running' as const) : ('cancelled' as const)), value: kid?.value ?? null }
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

function request(walk: Walk, { effect, args }: EffectAsk): Ref {
  return walk.x.request(effect, labelledArgs(walk, walk.token(), effect, args))
}

/** Named inputs; a pipeline gets them with their labels, and for another kind the labels are kept here. */
function inputsOf(walk: Walk, program: string, inputs: JsonObject): JsonObject {
  if (isPipeline(program)) return { ...inputs, [GIVEN]: labelsOfInputs(walk, walk.token(), inputs) }
  keepPassed(walk, walk.token(), inputs)
  return inputs
}

function isPipeline(program: string): boolean {
  return program.startsWith('pipeline:')
}

function isSteps(begun: Outcome | Steps): begun is Steps {
  return 'next' in begun
}

/** What a handler threw is its failure: one that may pass if it speaks of the network (reference pipeline 3.5). */
function thrownOutcome(thrown: unknown): Outcome {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return isTransient(message) ? failure(message) : refusal(message)
}
