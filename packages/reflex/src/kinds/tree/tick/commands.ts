import { type Fault, isFault, isObject, type Json } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { DEBUG_TOPIC, type DebugState, debugState, endPause, isPaused, keepDebugState } from './debug-state.ts'
import { findNode } from './find-node.ts'
import { execute, hasEnded } from './executions.ts'
import { interrupt } from './interruption.ts'
import { oneTick, stopExecution } from './one-tick.ts'
import { readCommand, type TreeCommand } from './read-command.ts'
import { reload } from './reloading.ts'
import { save } from './save.ts'
import { type TreeEvent, Ticking } from './ticking.ts'
import { ACTIVE, IDLE } from './states.ts'
import type { TreeState } from './tree-state.ts'
import { argsOf, type TreeStep } from './tree-step.ts'
import { dropToken } from './yielding.ts'

const NOTHING: DebugState = { breaks: {}, forced: {}, stops: false }

/** Obeys a command of the host, or of a message. One that cannot be obeyed changes nothing, and its event says why. */
export function command(x: TreeStep, state: TreeState, given: Json): void {
  if (isObject(given) && given.do === 'halt') return haltNow(x, state, given.node)
  const read = readCommand(given)
  if (isFault(read)) return refuse(x, state, read)
  switch (read.do) {
    case 'reload':
      return reload(x, state, read.reload)
    case 'refused':
      return save(x, state, [['tree.reload.failed', { error_code: 'E3005', ...read.facts }]])
    case 'cancel':
      return cancelCommand(x, state, read.reason)
    case 'interrupt':
      return interruptNow(x, state, read)
    case 'pause':
      return pause(x, state)
    case 'step':
      return step(x, state)
    case 'resume':
      return resume(x, state)
    case 'tick':
      return tickNow(x, state)
    case 'clear':
      return change(x, state, { ...set(x), breaks: {} }, [['tree.debug.cleared', { count: Object.keys(set(x).breaks).length }]])
    default:
      return ofNode(x, state, read)
  }
}

/** Halts a node by its path, as `reset` of a tree in memory does. A tick that waits for a leaf is not taken apart. */
function haltNow(x: TreeStep, state: TreeState, path: Json | undefined): void {
  if (state.open !== undefined) return save(x, state)
  const ticking = Ticking.begin(x, state)
  const node = state.layout.nodes.find((one) => one.path === path)
  if (node !== undefined) ticking.halt(node)
  save(x, state, ticking.events)
}

/** Interrupts what is RUNNING. A tick that waits for a leaf, or before a node, is finished first. */
function interruptNow(x: TreeStep, state: TreeState, { node, reason }: Extract<TreeCommand, { do: 'interrupt' }>): void {
  const found = node === undefined ? undefined : findNode(state.layout.nodes, node)
  if (isFault(found)) return refuse(x, state, found)
  const prepare = (ticking: Ticking): void => interrupt(ticking, { reason, node: found?.path })
  if (state.open === undefined && !hasEnded(state) && state.status !== IDLE) {
    dropToken(x, state)
    return oneTick(x, state, { prepare })
  }
  const ticking = Ticking.begin(x, state)
  prepare(ticking)
  save(x, state, ticking.events)
}

function refuse(x: TreeStep, state: TreeState, { code, message, fix }: Fault): void {
  save(x, state, [['tree.debug.refused', { code, message, ...(fix === undefined ? {} : { fix }) }]])
}

function set(x: TreeStep): DebugState {
  return debugState((key) => x.get(key)) ?? NOTHING
}

/** Sets breakpoints and steps that a run was started with. */
export function beginDebugging(x: TreeStep, state: TreeState, commands: readonly Json[]): TreeEvent[] {
  return commands.flatMap((given): TreeEvent[] => {
    const read = readCommand(given)
    if (isFault(read)) return [['tree.debug.refused', { code: read.code, message: read.message }]]
    if (read.do === 'step' || read.do === 'pause') keepDebugState(x, state, { ...set(x), stops: true })
    const node = 'node' in read ? findNode(state.layout.nodes, read.node) : undefined
    if (isFault(node)) return [['tree.debug.refused', { code: node.code, message: node.message }]]
    if (node !== undefined && 'node' in read && read.do !== 'interrupt') keepDebugState(x, state, changed(x, set(x), node, read))
    return []
  })
}

function ofNode(x: TreeStep, state: TreeState, read: Extract<TreeCommand, { node: string }>): void {
  const node = findNode(state.layout.nodes, read.node)
  if (isFault(node)) return refuse(x, state, node)
  change(x, state, changed(x, set(x), node, read))
}

function changed(x: TreeStep, before: DebugState, { path }: LaidNode, read: Extract<TreeCommand, { node: string }>): DebugState {
  const found = before.breaks[path]
  switch (read.do) {
    case 'break': {
      const { condition: _, ...kept } = found ?? { hit_count: 0, created_at: x.now }
      return withBreak(before, path, { ...kept, enabled: true, ...(read.when === undefined ? {} : { condition: read.when }) })
    }
    case 'unbreak':
      return { ...before, breaks: without(before.breaks, path) }
    case 'enable':
    case 'disable':
      return found === undefined ? before : withBreak(before, path, { ...found, enabled: read.do === 'enable' })
    case 'force':
      return { ...before, forced: { ...before.forced, [path]: read.as } }
    default:
      if (before.forced[path] === 'running') return { ...before, forced: { ...before.forced, [path]: 'again' } }
      return { ...before, forced: without(before.forced, path) }
  }
}

function withBreak(before: DebugState, path: string, breakpoint: object): DebugState {
  return { ...before, breaks: { ...before.breaks, [path]: breakpoint as DebugState['breaks'][string] } }
}

function without<Value>(all: Readonly<Record<string, Value>>, path: string): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== path))
}

function change(x: TreeStep, state: TreeState, next: DebugState, events: readonly TreeEvent[] = []): void {
  keepDebugState(x, state, next)
  closeTopic(x, state, next)
  save(x, state, events)
}

/** A run that does not stay for messages would wait for one for ever. */
function closeTopic(x: TreeStep, state: TreeState, { breaks, forced, stops }: DebugState): void {
  const isSet = stops || Object.keys(breaks).length > 0 || Object.keys(forced).length > 0
  if (isSet || isPaused(state) || argsOf(x).stays) return
  for (const { id, name } of x.waits()) if (name === DEBUG_TOPIC) x.drop(id)
}

/** Stops the walk before the next node: that of the tick which a leaf holds up, else the root. */
function pause(x: TreeStep, state: TreeState): void {
  if (isPaused(state)) return save(x, state)
  keepDebugState(x, state, { ...set(x), stops: true })
  if (state.open === undefined && state.status === ACTIVE) return oneTick(x, state)
  save(x, state)
}

/** Ticks the node before which the walk has stopped, and stops before the next one. */
function step(x: TreeStep, state: TreeState): void {
  if (!isPaused(state)) return pause(x, state)
  keepDebugState(x, state, { ...set(x), stops: true })
  goOn(x, state)
}

function resume(x: TreeStep, state: TreeState): void {
  const next = { ...set(x), stops: false }
  if (!isPaused(state)) return change(x, state, next)
  keepDebugState(x, state, next)
  goOn(x, state)
  closeTopic(x, state, set(x))
}

/** The time of the tree begins to pass again, and the walk goes on. */
function goOn(x: TreeStep, state: TreeState): void {
  endPause(x, state)
  oneTick(x, state)
}

/** A tick without an event. */
function tickNow(x: TreeStep, state: TreeState): void {
  if (isPaused(state)) return resume(x, state)
  if (state.open !== undefined || state.status === IDLE) return save(x, state)
  dropToken(x, state)
  if (hasEnded(state)) execute(x, state)
  else oneTick(x, state)
}

function cancelCommand(x: TreeStep, state: TreeState, reason = 'user_request'): void {
  if (hasEnded(state) || state.status === IDLE) return save(x, state)
  stopExecution(x, state, Ticking.begin(x, state), reason)
}
