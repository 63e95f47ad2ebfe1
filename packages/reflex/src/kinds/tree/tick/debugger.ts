import type { ExpressionCode } from '../compile/code.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { Next, Tick } from '../manifest/behaviour.ts'
import { breakCondition } from './break-condition.ts'
import { type Breakpoint, type DebugState, debugState, keepDebugState } from './debug-state.ts'
import { BREAK, FORCED, PAUSED_AT } from './debug-words.ts'
import { IS_RUNNING } from './states.ts'
import type { TreeState } from './tree-state.ts'
import type { TreeStep } from './tree-step.ts'

/** What a debugger needs of a tick. */
interface DebuggedTick extends Pick<Tick, 'now' | 'count' | 'halt' | 'fail' | 'emit'> {
  readonly state: TreeState
  readonly wakeTime: number | undefined
  readonly wantsAgain: boolean
  holds(node: LaidNode, code: ExpressionCode): boolean
}

/** Stops the walk before nodes, and answers in the place of nodes. There is none in a tick of a tree that nobody debugs. */
export class Debugger {
  readonly #x: TreeStep
  readonly #tick: DebuggedTick
  #state: DebugState

  constructor(x: TreeStep, tick: DebuggedTick, state: DebugState) {
    this.#x = x
    this.#tick = tick
    this.#state = state
  }

  /** Returns the debugger of a tick; undefined if nothing is set. */
  static of(x: TreeStep, tick: DebuggedTick): Debugger | undefined {
    const state = debugState((key) => x.get(key))
    return state === undefined ? undefined : new Debugger(x, tick, state)
  }

  /** Returns BREAK if the walk stops before a node, or the answer that the node is forced to give. `passes`: it has stopped there before. */
  before(node: LaidNode, passes: boolean): Next | undefined {
    if (!passes && this.#stopsAt(node)) return BREAK
    const word = this.#state.forced[node.path]
    if (word === undefined) return undefined
    if (word === 'again') return this.#beginAgain(node)
    if (this.#tick.state.state(node) === IS_RUNNING && word !== 'running') this.#tick.halt(node)
    return word === 'failure' ? this.#tick.fail(node, `${node.path} was forced to fail`) : FORCED[word]
  }

  #beginAgain(node: LaidNode): undefined {
    this.#tick.halt(node)
    const { [node.path]: _, ...forced } = this.#state.forced
    this.#state = { ...this.#state, forced }
    keepDebugState(this.#x, this.#tick.state, this.#state)
  }

  #stopsAt(node: LaidNode): boolean {
    const found = this.#state.breaks[node.path]
    const isHit = found !== undefined && found.enabled && this.#holds(node, found)
    if (!isHit && !this.#state.stops) return false
    const { state, now, wakeTime: wake, wantsAgain } = this.#tick
    state.open = { index: node.index, ref: PAUSED_AT, wake, wantsAgain }
    state.pausedAt = this.#x.now
    const hit = isHit ? { ...found, hit_count: found.hit_count + 1, last_hit_at: this.#x.now } : undefined
    const breaks = hit === undefined ? this.#state.breaks : { ...this.#state.breaks, [node.path]: hit }
    this.#state = { ...this.#state, breaks, stops: false }
    keepDebugState(this.#x, state, this.#state)
    this.#tick.emit('tree.debug.paused', {
      node_id: node.id,
      node_path: node.path,
      tick_number: this.#tick.count,
      tree_time: now,
      ...(hit === undefined ? {} : { hit_count: hit.hit_count }),
    })
    return true
  }

  #holds(node: LaidNode, { condition }: Breakpoint): boolean {
    if (condition === undefined) return true
    const code = breakCondition(condition)
    return typeof code !== 'string' && this.#tick.holds(node, code)
  }
}
