import { isFault, type Json } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { adoptBoard } from './adopt-board.ts'
import { carryOver } from './carry-over.ts'
import { debugState, keepDebugState } from './debug-state.ts'
import { execute, hasEnded } from './executions.ts'
import { stopExecution } from './one-tick.ts'
import { hasQueue } from './queue.ts'
import { keepReload, NEXT, pendingReload, type PendingReload, type ReloadRequest } from './reload-request.ts'
import { save } from './save.ts'
import { Ticking, type TreeEvent } from './ticking.ts'
import { CLOSE_TOPIC, EVENT_TOPIC } from './topics.ts'
import { treeDifference } from './tree-difference.ts'
import { TreeState } from './tree-state.ts'
import { argsOf, standInsOf, type TreeStep } from './tree-step.ts'

/** The timer for programs that a cancelled execution has called. */
export const RELOAD_TIMER = 'reload'
/** The longest time that they may take to end. */
const LONGEST_WAIT_MS = 5_000
const RESTART_KEY = '_restart'

/** Replaces the tree of a run by a registered version: at once if it rests, otherwise at the end of its execution or after cancelling it. */
export function reload(x: TreeStep, state: TreeState, request: ReloadRequest): void {
  try {
    layOut(x, x.pinProgram(`${nameOf(x)}${NEXT}`, request.hash), finder(x, request, NEXT))
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return save(x, state, [['tree.reload.failed', { error_code: 'E3005', code: thrown.code, error_message: thrown.message }]])
  }
  if (hasEnded(state) && pendingReload(x)?.until === undefined) return swap(x, state, request)
  const waits = pendingReload(x)
  const events: TreeEvent[] = [['tree.reload.queued', { policy: request.policy, hash: request.hash, replaced: waits !== undefined }]]
  if (request.policy === 'let_finish_then_swap' || waits?.until !== undefined) {
    keepReload(x, { ...request, ...(waits?.until === undefined ? {} : { restarts: true, until: waits.until }) })
    return save(x, state, events)
  }
  const until = x.now + LONGEST_WAIT_MS
  if (hasStrands(x)) x.wait('timer', RELOAD_TIMER, { due: until })
  keepReload(x, { ...request, restarts: true, until })
  const ticking = Ticking.begin(x, state)
  ticking.events.push(...events)
  stopExecution(x, state, ticking, 'reload')
}

/** Throws the fault of a version that refers to a tree which is missing, or to itself. */
function layOut(x: TreeStep, def: CompiledTree, find: (name: string) => CompiledTree | undefined): Layout {
  return new Layout(def, find, { standIns: standInsOf(x) })
}

/** The name of the program of a frame, as `tree:id`. */
function nameOf(x: TreeStep): string {
  return `tree:${x.def.id}`
}

function hasStrands({ frame }: TreeStep): boolean {
  return [...(frame.strandResults?.values() ?? [])].some(({ status }) => status === 'running')
}

/** Pins the trees to which a version refers, and finds them. A name that is not in the request means what it has meant so far. */
function finder(x: TreeStep, { trees }: ReloadRequest, suffix = ''): (name: string) => CompiledTree | undefined {
  const pinned = new Map(Object.entries(trees).map(([name, hash]) => [name, x.pinProgram(`${name}${suffix}`, hash)]))
  return (name) => pinned.get(`tree:${name}`) ?? (x.definition(`tree:${name}`) as CompiledTree | undefined)
}

/** A called program of a cancelled execution has ended: the version that waits may be next. */
export function strandsEnded(x: TreeStep, state: TreeState): void {
  if (hasEnded(state) && pendingReload(x)?.until !== undefined) x.again()
}

/** Continues with the version that waits, or begins the execution that was cancelled for it. Returns false if there is nothing to do. */
export function swapPending(x: TreeStep, state: TreeState): boolean {
  if (x.get(RESTART_KEY) === true) {
    x.delete(RESTART_KEY)
    execute(x, state)
    return true
  }
  const waits = pendingReload(x)
  if (waits === undefined) return false
  if (hasStrands(x) && waits.until !== undefined && x.now < waits.until) save(x, state)
  else swap(x, state, waits)
  return true
}

/** Makes one record of the swap: the program, the whole position, the keys that the new tree does not know, and what has changed. */
function swap(x: TreeStep, state: TreeState, request: PendingReload): void {
  const before = x.def
  const find = finder(x, request)
  const def = x.becomeProgram(nameOf(x), request.hash)
  const next = new TreeState(layOut(x, def, find))
  const difference = treeDifference(state.layout, next.layout)
  carryOver(state, next, difference.same)
  x.go(next.position())
  const dropped = adoptBoard(x, before, def)
  adoptWaits(x, before, def)
  carryBreakpoints(x, next, difference.same)
  keepReload(x, undefined)
  if (request.restarts === true) x.setInternal(RESTART_KEY, true)
  if (request.restarts === true || hasQueue(x)) x.again()
  const { added, removed, changed } = difference
  x.note({
    events: [
      ...dropped.map((key): Json => ['tree.reload.dropped', { tree_id: def.id, key, severity: 'warning' }]),
      [
        'tree.reloaded',
        {
          tree_id: def.id,
          policy: request.policy,
          changes_detected: added.length + removed.length + changed.length > 0,
          ...(request.file === undefined ? {} : { source_path: request.file }),
        },
      ],
    ],
    reload: { added, removed, changed },
  })
}

/** The topics and the clock of a tree follow its definition. */
function adoptWaits(x: TreeStep, before: CompiledTree, def: CompiledTree): void {
  const { stays } = argsOf(x)
  const every = def.source.tick_every
  const waits = x.waits()
  for (const { id, name } of waits) {
    const isOld = (name === 'tick' && every !== before.source.tick_every) || name === RELOAD_TIMER || name === 'resume' || name === 'alarm'
    if (isOld) x.drop(id)
  }
  const has = (topic: string): boolean => waits.some(({ name }) => name === topic)
  if (every !== undefined && every !== before.source.tick_every) x.wait('timer', 'tick', { every })
  if ((stays || every !== undefined || def.readsEvents) && !has(EVENT_TOPIC)) x.wait('message', EVENT_TOPIC, { stays: true })
  if ((stays || every !== undefined) && !has(CLOSE_TOPIC)) x.wait('message', CLOSE_TOPIC)
}

/** Breakpoints and forced answers stay at nodes that are in both versions. */
function carryBreakpoints(x: TreeStep, next: TreeState, same: ReadonlyMap<string, string>): void {
  const set = debugState((key) => x.get(key))
  if (set === undefined) return
  const kept = <Value>(all: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(
      Object.entries(all).flatMap(([path, value]) => {
        const to = same.get(path)
        return to === undefined ? [] : [[to, value]]
      }),
    )
  keepDebugState(x, next, { ...set, breaks: kept(set.breaks), forced: kept(set.forced) })
}
