import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Frame } from '../../../kernel/state/frame.ts'
import type { Ending as FrameEnding, Input, Ref } from '../../../kernel/journal/record.ts'
import { beginClosing, endNow } from './advance.ts'
import { charterRequest } from './charter.ts'
import { attempted } from './concluding.ts'
import { askAgain, attempt, askedNow, enter, reenter } from './executing.ts'
import { forkEnded, stopFork } from './forking.ts'
import type { Charter } from '../contract/handler.ts'
import { holds, holdsAsk, release } from './holding.ts'
import { keepReturned, labelGiven, touch } from './labels.ts'
import { unpackLabel } from '../contract/label.ts'
import { unlabelled } from '../contract/labelled.ts'
import { failure, type Outcome } from '../contract/outcome.ts'
import { amount, readSpent } from './spending.ts'
import { goOn, heldBy } from './resuming.ts'
import { usedBy } from './story-facts.ts'
import { LATE_ANSWER, packError, packOk } from '../contract/settle.ts'
import { keepAnswer, keepCharter, type Spent } from '../contract/tally.ts'
import type { Walk } from './walk.ts'

/** What comes to a frame that stands somewhere. */
export function take(walk: Walk, input: Input): void {
  const { phase } = walk.position
  switch (input[0]) {
    case 'ok':
      return phase === 'charter' ? chartered(walk, input[2]) : succeeded(walk, input[1], input[2])
    case 'err':
      return phase === 'charter'
        ? endNow(walk, { status: 'fail', reason: messageOf(input[2]) })
        : settled(walk, input[1], packError(input[2]), input[2])
    case 'again':
      return interrupted(walk, input[1], input[2])
    case 'answer':
      if (phase === 'hold') return released(walk, input[1], input[2])
      return met(walk, input[1], { answer: input[2], ...(input[3] === undefined ? {} : { by: input[3] }) })
    case 'message':
      return met(walk, input[1], { message: input[2], ...(input[3] === undefined ? {} : { by: input[3] }) })
    case 'timer':
      return rang(walk, input[1])
    case 'ret':
      return returned(walk, input[2], input[3] ?? null)
    case 'end':
      return branchEnded(walk, input[1])
    case 'cancel':
      return stop(walk, 'cancelled', input[1])
    default:
      return undefined
  }
}

function chartered(walk: Walk, value: Json): void {
  if (walk.position.onward === 'enter') return charteredAgain(walk, value)
  if (walk.position.onward === 'wait') return learned(walk, value)
  const { now, aside } = walk.x
  const charter = { ...(isObject(value) ? value : {}), began: now, ...(aside === 0 ? {} : { aside }) }
  keepCharter(walk.x, charter)
  if ((charter as unknown as Charter).run === undefined || walk.typed.start === undefined)
    return endNow(walk, { status: 'fail', reason: 'the pipeline has no start node' })
  labelGiven(walk)
  const held = heldBy(walk.x.frame)
  if (held === undefined || held.again === true) enter(walk)
  else goOn(walk, held)
}

/** What the operator says of a changed pipeline counts for what it needs; trust and limits stay as they were. */
function charteredAgain(walk: Walk, value: Json): void {
  const { denied, terms } = value as unknown as Charter
  const { terms: _terms, ...before } = walk.tally.charter ?? {}
  keepCharter(walk.x, { ...before, denied, ...(terms === undefined ? {} : { terms }) } as unknown as JsonObject)
  const { onward: _onward, ...position } = walk.position
  walk.go({ ...position, phase: 'enter' })
  enter(walk)
}

/** A result is given with its label, if that is worse than the label of the place it was read from. */
function succeeded(walk: Walk, id: Ref, result: Json): void {
  const { value, label } = unlabelled(result)
  touch(walk, label)
  settled(walk, id, packOk(value), value)
}

function settled(walk: Walk, id: Ref, kept: Json, value: Json = kept): void {
  const { position, x } = walk
  const { for: waiting, asked = 0 } = position
  const part = waiting?.is === 'effect' ? waiting.ids.indexOf(id) : -1
  if (waiting?.is !== 'effect' || part < 0) return
  keepAnswer(x, asked, kept, part)
  count(walk, value)
  const others = x.flights().some((flight) => flight.id !== id && waiting.ids.includes(flight.id))
  if (!others) answered(walk)
}

/** What an effect used is counted wherever it says so: a model, a tool that asks one. */
function count(walk: Walk, value: Json): void {
  const used = spentOn(value)
  if (used !== undefined) walk.purse.spend(used)
}

/**
 * An effect begins that waited for others, or begins again after a crash: the lost try is counted. One that the budget does not
 * cover now begins only after a question.
 */
function interrupted(walk: Walk, id: Ref, lost: Json | undefined): void {
  const { for: waiting } = walk.position
  const open = waiting?.is === 'effect' ? walk.x.flights().filter((flight) => waiting.ids.includes(flight.id)) : []
  if (isObject(lost)) {
    const { input, output, usd } = lost
    walk.purse.spend({ tokens: amount(input) + amount(output), cost: amount(usd), calls: 1 })
  }
  // What is under way beside it brings its result first.
  const isHeldBack = isObject(lost) ? open.some((flight) => flight.id === id) : open.length > 0 && open.every(({ later }) => later)
  if (waiting?.is !== 'effect' || !isHeldBack || !holdsAsk(walk)) return
  walk.go({ ...walk.position, missing: open.map((flight) => waiting.ids.indexOf(flight.id)) })
  walk.x.drop(...open.map((flight) => flight.id))
}

/** Somebody has answered what Reflex itself asked. */
function released(walk: Walk, id: Ref, answer: Json): void {
  const { for: waiting } = walk.position
  if (waiting?.is !== 'wait' || waiting.id !== id) return
  const onward = release(walk, answer)
  if (onward === 'enter') return enter(walk)
  if (onward === 'ask') return askAgain(walk)
  if (!holds(walk, 'rest')) reenter(walk)
}

/** The handler has what it asked for, and goes on. */
function answered(walk: Walk): void {
  const { asked = 0, for: _for, ...position } = walk.position
  walk.go({ ...position, asked: asked + 1 })
  attempt(walk)
}

function met(walk: Walk, id: Ref, value: Json): void {
  const { position } = walk
  if (position.for?.is !== 'wait' || position.for.id !== id) return
  keepAnswer(walk.x, position.asked ?? 0, value)
  answered(walk)
}

function rang(walk: Walk, id: Ref): void {
  const { position } = walk
  if (position.phase === 'rest') {
    if (!holds(walk, 'rest')) reenter(walk)
    return
  }
  if (position.limit === id) return outlasts(walk, id) ? undefined : timedOut(walk)
  if (position.for?.is === 'wait' && position.for.id === id) return met(walk, id, LATE_ANSWER)
  if (walk.x.waits().some((open) => open.id === id && open.name === 'branch') && !outlasts(walk, id))
    return stop(walk, 'fail', 'branch timeout')
}

function returned(walk: Walk, how: FrameEnding, value: Json): void {
  const { position } = walk
  const isPipeline = position.for?.is === 'call' && position.for.pipeline === true
  countReturned(walk, isPipeline, value)
  if (position.ending !== undefined && position.phase !== 'close') return beginClosing(walk, position.ending)
  if (position.for?.is !== 'call') return
  if (position.late === true) return attempted(walk, failure('timeout'))
  keepReturned(walk, isPipeline, value)
  keepAnswer(walk.x, position.asked ?? 0, { returned: how, value })
  if (!isPipeline) return askOutside(walk)
  answered(walk)
}

/** Asks what a program of another kind has read, and used of the operator's budget: only those that follow the whole run know. */
function askOutside(walk: Walk): void {
  walk.go({ ...walk.position, phase: 'charter', onward: 'wait' })
  walk.x.request(...charterRequest(walk.typed, { returned: true }))
}

function learned(walk: Walk, value: Json): void {
  const { onward: _onward, ...position } = walk.position
  walk.go({ ...position, phase: 'wait' })
  const { before, outside } = value as unknown as Charter
  touch(walk, unpackLabel(outside))
  if (before !== undefined) walk.purse.learn(before)
  answered(walk)
}

/** What a called program and all below it used, also if it failed. Only a pipeline can say that a budget was raised. */
function countReturned(walk: Walk, isPipeline: boolean, value: Json): void {
  const { spent, data } = isObject(value) ? value : {}
  const said = readSpent(spent ?? (isObject(data) ? data['spent'] : undefined))
  const { tokens, cost, calls } = said
  if (tokens + cost + calls > 0 || (isPipeline && Object.keys(said).length > 3))
    walk.purse.spend(isPipeline ? said : { tokens, cost, calls })
}

function branchEnded(walk: Walk, strand: Ref): void {
  const { position, x } = walk
  if (position.ending !== undefined && position.phase !== 'close') {
    if ((x.frame.strands?.size ?? 0) === 0) beginClosing(walk, position.ending)
    return
  }
  const ask = position.for?.is === 'fork' ? askedNow(walk) : undefined
  if (ask === undefined || !('fork' in ask) || !forkEnded(walk, ask, strand)) return
  if (walk.position.late === true) return attempted(walk, failure('timeout'))
  answered(walk)
}

/** Milliseconds after which a timer was not merely late: nobody was there when it was due. */
const ABSENT = 1_000

/**
 * Whether work goes on although its time is over. What nobody knows to have happened waits for a person as long as that
 * takes: to fail it would be to try it again unasked. Time in which no process carried the run is not the node's.
 */
function outlasts(walk: Walk, id: Ref): boolean {
  const { position, x } = walk
  const { limit, ...rest } = position
  const timer = x.waits().find((open) => open.id === id)
  const isAbsent = timer?.due !== undefined && x.now - timer.due > ABSENT
  if (isDoubted(x.frame)) {
    if (limit === id) walk.go(rest)
    return true
  }
  if (!isAbsent) return false
  const anew = x.timer(timer.due - timer.since, timer.name)
  if (limit === id) walk.go({ ...rest, limit: anew })
  return true
}

/** Whether a person is asked for what became of an effect, of the frame or of anything that it runs. */
function isDoubted({ flights, callee, strands }: Frame): boolean {
  if (flights.some(({ doubted }) => doubted)) return true
  return (callee !== undefined && isDoubted(callee)) || [...(strands?.values() ?? [])].some(isDoubted)
}

/** The node has had its time: what it waits for is given up. */
function timedOut(walk: Walk): void {
  const { position, x } = walk
  walk.note('stage_timeout', { node_id: position.node })
  if (position.for?.is === 'call') {
    x.unwind()
    return walk.go({ ...position, late: true })
  }
  if (position.for?.is === 'fork' && stopFork(walk)) return walk.go({ ...walk.position, late: true })
  attempted(walk, failure('timeout', tellLate(walk)))
}

/**
 * Gives up what a node waits for. A node that keeps its answers continues with them in its next attempt: it asks a model again;
 * a tool under way is not called again, and its answer says so.
 */
function tellLate(walk: Walk): Partial<Outcome> {
  const { position, x } = walk
  const { for: waiting, asked = 0, keeps } = position
  const open = x.flights().filter(({ id }) => waiting?.is === 'effect' && waiting.ids.includes(id))
  giveUp(walk)
  if (keeps !== true || waiting?.is !== 'effect') return {}
  if (open.some(({ port }) => port === 'model')) return { resume: 'next' }
  for (const { id } of open) keepAnswer(x, asked, packError(OUT_OF_TIME), waiting.ids.indexOf(id))
  walk.go({ ...position, asked: asked + 1 })
  return { resume: 'next' }
}

const OUT_OF_TIME: JsonObject = {
  code: 'R2201',
  verdict: 'fail',
  message: 'the time limit of the node passed before the result came: the call may have taken effect, in full or in part',
}

/** Drops every effect and wait of the frame, but the timer of its branch. */
function giveUp({ x }: Walk): void {
  const waits = x.waits().filter(({ name }) => name !== 'branch')
  const refs = [...x.flights().map(({ id }) => id), ...waits.map(({ id }) => id)]
  if (refs.length > 0) x.drop(...refs)
}

/** Gives everything up and ends; strands and a called program first. */
function stop(walk: Walk, status: 'fail' | 'cancelled', reason: string): void {
  const { x, position } = walk
  const ending = { status, reason }
  giveUp(walk)
  const strands = [...(x.frame.strands?.keys() ?? [])]
  if (strands.length > 0) x.kill(...strands)
  else if (x.frame.callee !== undefined) x.unwind()
  else return beginClosing(walk, ending)
  walk.go({ ...position, ending })
}

function messageOf(fault: Json): string {
  return isObject(fault) && typeof fault['message'] === 'string' ? fault['message'] : 'the run has no charter'
}

/** What a settled effect says that it used. */
function spentOn(value: Json): Spent | undefined {
  const used = usedBy(value)
  if (used === undefined) return undefined
  return { tokens: amount(used['input']) + amount(used['output']), cost: amount(used['usd']), calls: 1 }
}
