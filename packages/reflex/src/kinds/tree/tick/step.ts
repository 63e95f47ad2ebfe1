import {
  type Fault,
  type FaultData,
  type Input,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Ref,
  type StepContext,
} from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { LaidNode } from '../compile/layout.ts'
import { OPEN, type Outcome, RUNNING, type Settled, SUCCESS } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { setAlarm, watch, watchTime } from './alarm.ts'
import { failureTrace, forgetFailures, keepFailures } from './failures.ts'
import { stateOf } from './frame-state.ts'
import { appendGlobals, hasOpenGlobals, mirrorGlobals, requestGlobals } from './globals.ts'
import { checkedValue } from './node-board.ts'
import { Ticking } from './ticking.ts'
import { ACTIVE, COMPLETED, FAILED, FRESH, HAS_FAILED, IDLE, type TreeState, YIELDED } from './tree-state.ts'
import { walk } from './walk.ts'

export type TreeStep = StepContext<CompiledTree>

/** The ticks of one event unless a tree says otherwise. */
const DEFAULT_BUDGET = 1000
const EVENT_TOPIC = 'event'
const EVENT_KEY = '_event'
const QUEUE_KEY = '_in'

/** What a run of a tree is told when it begins, besides values of its blackboard. */
export interface TreeArgs extends JsonObject {
  /** True: it stays open for events after its root has answered, and a message `close` ends it. */
  readonly _stays?: boolean
}

/** One step of a tree. A tick is a record; a tick on which nothing changes is none. */
export function stepTree(x: TreeStep, input: Input | undefined): void {
  if (x.position === undefined) return begin(x)
  const state = stateOf(x)
  switch (input?.[0]) {
    case undefined:
      return next(x, state)
    case 'message':
      return message(x, state, x.waits().find(({ id }) => id === input[1])?.name, input[2])
    case 'ok':
      if (isLedger(x, input[1])) return ledgerAnswered(x, state, input[2])
      return settled(x, state, input[1], { ok: true, value: input[2] })
    case 'err':
      if (isLedger(x, input[1])) return ledgerFailed(x, state, input[2])
      return settled(x, state, input[1], { ok: false, fault: input[2] as never })
    case 'answer':
      return settled(x, state, input[1], { ok: true, value: input[2] })
    case 'end':
      return strandEnded(x, state, input)
    case 'part':
      return part(x, state, input[1], input[2])
    case 'timer':
      return timer(x, state, input[1])
    case 'cancel':
      return cancel(x, state, input[1])
    default:
  }
}

function isLedger(x: TreeStep, ref: Ref): boolean {
  return x.pendingEffects().some(({ id, port }) => id === ref && port === 'ledger')
}

/** The first step: the values that the tree begins with, its waits, and the keys that all trees share. */
function begin(x: TreeStep): void {
  const { defaults, source } = x.def
  const state = stateOf(x)
  const given = isObject(x.args) ? x.args : {}
  for (const [key, value] of Object.entries({ ...defaults, ...given }))
    if (!key.startsWith('_')) x.set(key, checkedValue({ tree: x.def, path: x.def.id }, key, value))
  if (given._stays === true || x.def.readsEvents) x.wait('message', EVENT_TOPIC, { stays: true })
  if (given._stays === true) x.wait('message', 'close')
  if (source.tick_every !== undefined) x.wait('timer', 'tick', { every: source.tick_every })
  if (given._event !== undefined) x.setInternal(EVENT_KEY, given._event)
  x.go(state.position())
  execute(x, state, given._event)
}

/** Begins an execution: at once, or after the keys that trees share were read. */
function execute(x: TreeStep, state: TreeState, cause: Json | undefined, maySkip = false): void {
  if (!x.def.readsGlobals) {
    startExecution(x, state)
    return tick(x, state, cause, { maySkip })
  }
  state.status = IDLE
  requestGlobals(x)
  save(x, state)
}

/** The shared keys are there: an execution begins. Or they are written: a tree that waited for it ends. */
function ledgerAnswered(x: TreeStep, state: TreeState, result: Json): void {
  if (state.status !== IDLE) {
    if (state.status === COMPLETED || state.status === FAILED) end(x, state)
    return save(x, state)
  }
  mirrorGlobals(x, result)
  startExecution(x, state)
  tick(x, state, x.get(EVENT_KEY))
}

/** Without the shared keys an execution cannot begin; a write that was refused is an event. */
function ledgerFailed(x: TreeStep, state: TreeState, fault: Json): void {
  if (state.status === IDLE) return x.fail(fault as unknown as FaultData)
  if (state.status === COMPLETED || state.status === FAILED) end(x, state)
  save(x, state, [['tree.global.failed', { error_message: isObject(fault) ? (fault.message ?? null) : null }]])
}

function startExecution(x: TreeStep, state: TreeState): void {
  state.status = ACTIVE
  state.execution = { number: state.execution.number + 1, start: x.now, ticks: 0, spent: 0 }
  for (const { index } of state.layout.nodes) state.setState(index, FRESH, x.now)
}

/** The tree goes on by itself: its last tick asked for another one, or an event waits. */
function next(x: TreeStep, state: TreeState): void {
  const queue = queueOf(x)
  if (queue.length > 0 && state.open === undefined) {
    x.setInternal(QUEUE_KEY, queue.slice(1))
    return event(x, state, queue[0] ?? null)
  }
  if (state.status === ACTIVE) tick(x, state, undefined)
  else save(x, state)
}

function queueOf(x: TreeStep): readonly Json[] {
  const queue = x.get(QUEUE_KEY)
  return Array.isArray(queue) ? queue : []
}

function message(x: TreeStep, state: TreeState, topic: string | undefined, body: Json): void {
  if (topic === 'close') return close(x, state)
  if (topic === 'resume') return resume(x, state, body)
  // A tick that waits for a leaf is finished first.
  if (state.open !== undefined || state.status === IDLE) {
    x.setInternal(QUEUE_KEY, [...queueOf(x), body])
    return save(x, state)
  }
  event(x, state, body)
}

function event(x: TreeStep, state: TreeState, body: Json): void {
  x.setInternal(EVENT_KEY, body)
  dropResume(x, state)
  state.execution.spent = 0
  if (state.status === COMPLETED || state.status === FAILED) return execute(x, state, body)
  state.status = ACTIVE
  tick(x, state, body)
}

/** A person or program that was told the token resumes a tree that has yielded. Another token changes nothing. */
function resume(x: TreeStep, state: TreeState, token: Json): void {
  if (state.status !== YIELDED || x.get('_resume_token') !== token) {
    x.wait('message', 'resume')
    return save(x, state, [['tree.resume.refused', { reason: 'the token is not that of the last yield' }]])
  }
  x.delete('_resume_token')
  state.status = ACTIVE
  state.execution.spent = 0
  tick(x, state, undefined)
}

function dropResume(x: TreeStep, state: TreeState): void {
  if (state.status !== YIELDED) return
  x.delete('_resume_token')
  for (const { id, name } of x.waits()) if (name === 'resume') x.drop(id)
}

function close(x: TreeStep, state: TreeState): void {
  x.setInternal('_closing', true)
  if (state.status !== ACTIVE) end(x, state)
  save(x, state)
}

function settled(x: TreeStep, state: TreeState, ref: Ref, result: Settled): void {
  const node = state.nodeOf(ref)
  if (node === undefined) return save(x, state)
  const isOpen = state.open?.ref === ref
  if (state.status === YIELDED) {
    dropResume(x, state)
    state.status = ACTIVE
  }
  state.execution.spent = 0
  if (state.open !== undefined && !isOpen) {
    // The tick waits for another leaf: this result is kept until its node is ticked.
    const tick = new Ticking(x, state, undefined)
    tick.settle(node, result)
    tick.storeSettled()
    return save(x, state)
  }
  tick(x, state, isOpen ? x.get(EVENT_KEY) : undefined, { prepare: (ticking) => ticking.settle(node, result) })
}

function strandEnded(x: TreeStep, state: TreeState, [, ref, status, value = null]: Input & readonly ['end', ...unknown[]]): void {
  if (state.nodeOf(ref) === undefined) {
    x.drop(ref)
    return save(x, state)
  }
  const strand = x.strandResult(ref)
  const result: Settled = status === 'done' ? { ok: true, value, strand } : { ok: false, fault: faultOf(status, value) }
  settled(x, state, ref, result)
  x.drop(ref)
}

function faultOf(status: string, value: Json): Fault {
  if (status === 'failed' && isObject(value)) return value as unknown as Fault
  return faults.make('R1252', 'the called program was cancelled', { rule: 'E6002' })
}

function part(x: TreeStep, state: TreeState, ref: Ref, delta: Json): void {
  const node = state.nodeOf(ref)
  if (node === undefined) return save(x, state)
  if (state.open?.ref === ref) {
    // The leaf takes longer than a tick: the tick goes on with RUNNING.
    return tick(x, state, x.get(EVENT_KEY), { prepare: (ticking) => ticking.leaveOpen(node), running: node })
  }
  const ticking = new Ticking(x, state, undefined)
  state.setProgress(node.index, x.now)
  const wantsTick = node.manifest.behaviour.part?.(ticking, node, delta) === true
  if (wantsTick && state.status === ACTIVE && state.open === undefined && x.def.readsStreams) return tick(x, state, undefined)
  save(x, state)
}

function timer(x: TreeStep, state: TreeState, ref: Ref): void {
  const isAlarm = state.alarm?.ref === ref
  if (isAlarm) state.alarm = undefined
  if (state.open !== undefined || state.status === IDLE) return save(x, state)
  if (state.status === ACTIVE || state.status === YIELDED) return tick(x, state, undefined, { maySkip: !isAlarm })
  // A tree that ticks by the clock begins again after its root has answered.
  if (isAlarm) save(x, state)
  else execute(x, state, undefined, true)
}

interface TickOptions {
  readonly prepare?: (ticking: Ticking) => void
  /** The leaf at which the last tick stopped, and which is RUNNING now. */
  readonly running?: LaidNode
  /** True for a tick of the clock: if it leaves everything as it was, it is no record. */
  readonly maySkip?: boolean
}

/** Ticks the tree and records what has changed. */
function tick(x: TreeStep, state: TreeState, cause: Json | undefined, { prepare, running: leaf, maySkip = false }: TickOptions = {}): void {
  const ticking = new Ticking(x, state, cause)
  const before = { ...state.execution }
  const isContinued = state.open !== undefined
  prepare?.(ticking)
  if (!isContinued) {
    state.execution.ticks++
    state.execution.spent++
    watch(ticking)
  }
  const limit = x.def.source.max_execution_ms
  if (limit !== undefined && x.now >= state.execution.start + limit) return stopExecution(x, state, ticking, 'timeout')
  const outcome = walk(ticking, state.layout.root, leaf)
  ticking.storeSettled()
  if (outcome !== OPEN) answered(x, state, ticking, outcome)
  if (maySkip && x.isEmpty && isIdle(x, state, ticking)) {
    state.execution = before
    return x.skip()
  }
  finish(x, state, ticking)
}

function isIdle(x: TreeStep, state: TreeState, ticking: Ticking): boolean {
  return ticking.events.length === 0 && ticking.failures.length === 0 && isList(x.position) && state.isUnchanged(x.position)
}

function answered(x: TreeStep, state: TreeState, ticking: Ticking, outcome: Outcome): void {
  if (outcome === RUNNING) return running(x, state, ticking)
  state.status = outcome === SUCCESS ? COMPLETED : FAILED
  ticking.wakeTime = undefined
  setAlarm(x, state, undefined)
}

function running(x: TreeStep, state: TreeState, ticking: Ticking): void {
  const budget = x.def.source.tick_budget ?? DEFAULT_BUDGET
  if (ticking.wantsAgain && state.execution.spent >= budget) {
    state.status = YIELDED
    const token = x.uuid()
    x.setInternal('_resume_token', token)
    x.wait('message', 'resume')
    ticking.emit('tree.budget.yield', { tick_count: state.execution.spent, tick_budget: budget, resume_token: token })
  } else if (ticking.wantsAgain) x.again()
  const { max_execution_ms } = x.def.source
  const times = [
    ticking.wakeTime,
    watchTime(ticking),
    max_execution_ms === undefined ? undefined : state.execution.start + max_execution_ms,
  ]
  const known = times.filter((time) => time !== undefined)
  setAlarm(x, state, known.length === 0 ? undefined : Math.min(...known))
}

function finish(x: TreeStep, state: TreeState, ticking: Ticking): void {
  appendGlobals(x, ticking.globals)
  if (state.execution.ticks === 1) forgetFailures(x)
  keepFailures(x, ticking.failures, (node) => {
    for (let at = node.parent; at !== undefined; at = at.parent) if (state.state(at) !== HAS_FAILED) return true
    return false
  })
  const hasEnded = state.status === COMPLETED || state.status === FAILED
  if (hasEnded) end(x, state)
  if (state.open === undefined && queueOf(x).length > 0) x.again()
  save(x, state, ticking.events)
}

/** A tree whose root has answered ends its run, unless it stays for events or shared keys are still being written. */
function end(x: TreeStep, state: TreeState): void {
  const stays = (isObject(x.args) && x.args._stays === true && x.get('_closing') !== true) || x.def.source.tick_every !== undefined
  const isClosing = x.get('_closing') === true
  if ((stays && !isClosing) || hasOpenGlobals(x) || queueOf(x).length > 0) return
  if (state.status === FAILED) return x.fail(failureOf(x))
  x.done(resultOf(x, state))
}

function resultOf(x: TreeStep, state: TreeState): Json {
  const { outputs, source } = x.def
  const values = (outputs ?? Object.keys(source.board ?? {})).flatMap((key) => {
    const value = x.get(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { status: state.status === COMPLETED ? 'SUCCESS' : 'IDLE', ...Object.fromEntries(values) }
}

function failureOf(x: TreeStep): Fault {
  const reason = x.get('_failure_reason')
  const { entries, total } = failureTrace((key) => x.get(key))
  return faults.make('R1240', `${x.def.id} failed: ${String(reason ?? 'its root returned FAILURE')}`, {
    path: x.def.id,
    data: { failure_trace: entries, total_errors: total },
  })
}

function stopExecution(x: TreeStep, state: TreeState, ticking: Ticking, reason: string): void {
  ticking.halt(state.layout.root)
  ticking.fail(state.layout.root, faults.make('R1236', `the execution was cancelled: ${reason}`, { rule: 'E6002' }))
  state.setState(state.layout.root.index, HAS_FAILED, x.now)
  state.status = FAILED
  setAlarm(x, state, undefined)
  ticking.failures.push({ node: state.layout.root, reason: `cancelled:${reason}` })
  ticking.emit('tree.cancelled', { reason })
  finish(x, state, ticking)
}

function cancel(x: TreeStep, state: TreeState, reason: string): void {
  const ticking = new Ticking(x, state, undefined)
  ticking.halt(state.layout.root)
  state.status = FAILED
  ticking.emit('tree.cancelled', { reason })
  save(x, state, ticking.events)
  x.cancelled({ status: 'CANCELLED' })
}

/** Records the changes of the position, and the events as a note. */
function save(x: TreeStep, state: TreeState, events: Ticking['events'] | readonly (readonly [string, JsonObject])[] = []): void {
  if (events.length > 0) x.note({ events: events.map(([type, payload]) => [type, { tree_id: x.def.id, ...payload }]) })
  if (!Array.isArray(x.position)) return
  state.records++
  const items = state.changes(x.position as readonly Json[])
  x.patchItems(0, state.records, ...items)
}
