import { isObject, type Json } from '../../../kernel/index.ts'
import type { TreeStep } from './tree-step.ts'
import { type DebugWord, PAUSED_AT } from './debug-words.ts'
import type { TreeState } from './tree-state.ts'

/** The topic of messages that debug a tree, for processes that do not own its run. */
export const DEBUG_TOPIC = 'debug'
/** The key of what a person has set to debug a tree. A tree that nobody debugs does not have it. */
export const DEBUG_KEY = '_debug'

/** A place before which the walk stops. */
export interface Breakpoint {
  readonly enabled: boolean
  /** It stops only where this is true. */
  readonly condition?: string
  readonly hit_count: number
  /** Milliseconds since the epoch. */
  readonly created_at: number
  readonly last_hit_at?: number
}

/** What a person has set to debug a tree, by the paths of nodes. */
export interface DebugState {
  readonly breaks: Readonly<Record<string, Breakpoint>>
  /** The answers of nodes. `again`: a person kept the node RUNNING, and it begins again with its next tick. */
  readonly forced: Readonly<Record<string, DebugWord | 'again'>>
  /** True: the walk stops before the next node. */
  readonly stops: boolean
}

export function debugState(get: (key: string) => Json | undefined): DebugState | undefined {
  const value = get(DEBUG_KEY)
  if (!isObject(value)) return undefined
  const { breaks = {}, forced = {}, stops = false } = value as Partial<DebugState>
  return { breaks, forced, stops }
}

/** Writes what is set. With nothing set and the walk not stopped, no trace of it is left. */
export function keepDebugState(x: TreeStep, state: TreeState, { breaks, forced, stops }: DebugState): void {
  const isSet = stops || Object.keys(breaks).length > 0 || Object.keys(forced).length > 0
  const value = {
    ...(Object.keys(breaks).length === 0 ? {} : { breaks }),
    ...(Object.keys(forced).length === 0 ? {} : { forced }),
    ...(stops ? { stops } : {}),
  }
  if (isSet) x.setInternal(DEBUG_KEY, value)
  else if (x.get(DEBUG_KEY) !== undefined) x.delete(DEBUG_KEY)
  if (isSet || isPaused(state)) openTopic(x, state)
}

/** A tree that is debugged waits for commands of other processes, too. */
export function openTopic(x: TreeStep, state: TreeState): void {
  if (state.topicRecord === x.record || x.waits().some(({ name }) => name === DEBUG_TOPIC)) return
  state.topicRecord = x.record
  x.wait('message', DEBUG_TOPIC, { stays: true })
}

/** The time for which the tree has stood still does not count in it. */
export function endPause(x: TreeStep, state: TreeState): void {
  if (state.pausedAt === undefined) return
  state.stopped += x.now - state.pausedAt
  state.pausedAt = undefined
}

/** True if the walk has stopped before a node. */
export function isPaused({ open }: TreeState): boolean {
  return open?.ref === PAUSED_AT
}

/** Goes on at the node before which the walk has stopped. Returns false if it has not stopped so. */
export function leavePause(state: TreeState): boolean {
  if (!isPaused(state)) return false
  state.open = undefined
  return true
}
