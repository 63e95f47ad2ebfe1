import {
  Decider,
  FORMAT,
  type Frame,
  type Host,
  type Input,
  type Json,
  type JsonObject,
  type PendingEffect,
  pinOf,
  type Program,
  type Rec,
  type Ref,
  shrinkState,
  State,
} from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { stateAfter } from '../tick/frame-state.ts'
import type { TreeState } from '../tick/tree-state.ts'
import { type FindTree, MemoryPrograms } from './memory-programs.ts'

/** The clock of trees in memory: a `Host`, or the part of one. */
export type TreeClock = Pick<Host, 'now' | 'at' | 'entropy'>

/** After so many records, values that nothing can read any more are dropped. */
const SHRINK_AFTER = 1000

/** What a run in memory needs around it. */
export interface MemoryWorld {
  readonly clock: TreeClock
  readonly find: FindTree
  /** Performs an effect. Its end comes through `settle`, at once or later. */
  perform(effect: PendingEffect, run: MemoryRun): void
  /** Is told of each record after it was applied. */
  onRecord(record: Rec, frame: Frame): void
}

/**
 * A run of a tree in memory: the loop of the kernel over its state and its decider, without a journal. Everything happens in the call that
 * gives an input, so a tick is synchronous.
 */
export class MemoryRun {
  readonly state = new State()
  readonly #world: MemoryWorld
  readonly #decider: Decider
  readonly #arrivals: { readonly frame: Frame; readonly ref: Ref; readonly input: Input }[] = []
  #shrunk = 0

  constructor(world: MemoryWorld, program: Program<CompiledTree>, args: JsonObject) {
    this.#world = world
    const definitions = new MemoryPrograms(program, world.find)
    this.#decider = new Decider(this.state, definitions)
    const start = {
      v: FORMAT,
      run: 'memory',
      trace: 'memory',
      seed: world.clock.entropy(),
      at: world.clock.now(),
      pins: [pinOf(program)],
      args,
    }
    this.state.apply(recordOf(['kernel', 'start'], { more: { start } }))
  }

  get root(): Frame {
    return this.state.root
  }

  /** The state of the tree after the last record. */
  get tree(): TreeState | undefined {
    return stateAfter(this.state.root)
  }

  /** Takes the end of an effect. It is given with the next `takeArrivals`. */
  settle({ frame, id }: PendingEffect, input: Input): void {
    this.#arrivals.push({ frame, ref: id, input })
  }

  /** True if an effect has ended and its end was not given yet. */
  get hasArrivals(): boolean {
    return this.#arrivals.some(({ frame, ref }) => isPending(frame, ref))
  }

  /** Gives the ends of effects that have arrived so far, in their order. Returns their number. Those of dropped effects are ignored. */
  takeArrivals(): number {
    let count = 0
    for (const { frame, ref, input } of this.#arrivals.splice(0)) {
      if (!isPending(frame, ref)) continue
      this.give(input, frame)
      count++
    }
    return count
  }

  /** Gives an input to a frame. */
  give(input: Input, frame: Frame = this.state.root): void {
    this.#record(frame, input)
  }

  /** Takes the next input of the queue: a frame that continues, a strand that begins or ends. Returns false if there is none. */
  next(): boolean {
    const next = this.state.queue.peek()
    if (next === undefined) return false
    this.#record(next.frame, next.input)
    return true
  }

  /** True if the next of the queue is a frame. */
  isNext(frame: Frame): boolean {
    return this.state.queue.peek()?.frame === frame
  }

  /** Writes values of the host to the blackboard of the tree, as a record of their own. */
  write(writes: readonly Json[], tombstones: readonly string[]): void {
    if (writes.length === 0 && tombstones.length === 0) return
    this.#apply(recordOf(['host', { do: 'write' }], { writes, ...(tombstones.length === 0 ? {} : { more: { tombstones } }) }), this.root)
  }

  #record(frame: Frame, input: Input | undefined): void {
    const elapsed = Math.max(0, this.#world.clock.now() - this.state.time)
    const record = this.#decider.decide(frame, input, elapsed)
    if (!this.#decider.isSkipped) this.#apply(record, frame)
  }

  #apply(record: Rec, frame: Frame): void {
    const { state } = this
    state.apply(record)
    for (const { activeCall } of state.droppedEffects.splice(0)) activeCall?.abort(true)
    this.#world.onRecord(record, frame)
    const { pendingEffects, gone } = frame
    const started = gone ? [] : pendingEffects.slice(pendingEffects.length - (record.requests?.length ?? 0))
    for (const effect of started) this.#world.perform(effect, this)
    if (state.n - this.#shrunk < SHRINK_AFTER) return
    this.#shrunk = state.n
    shrinkState(state, () => false)
  }

  /** Returns the open timers that are due. */
  dueTimers(now: number): readonly Ref[] {
    return [...this.state.waits.values()].flatMap(({ id, type, due }) => (type === 'timer' && due !== undefined && due <= now ? [id] : []))
  }

  /** Returns the time of the next timer. */
  get nextDue(): number | undefined {
    let least: number | undefined
    for (const { type, due } of this.state.waits.values()) if (type === 'timer' && due !== undefined && !(due > (least ?? due))) least = due
    return least
  }

  /** Returns the ref of an open wait of the tree for messages of a topic. */
  topic(name: string): Ref | undefined {
    return this.root.waits?.find((wait) => wait.type === 'message' && wait.name === name)?.id
  }
}

function isPending(frame: Frame, ref: Ref): boolean {
  return !frame.gone && frame.pendingEffects.some(({ id }) => id === ref)
}

function recordOf(input: Input, parts: Partial<Rec>): Rec {
  return { frame: 0, elapsed: 0, input, writes: undefined, position: undefined, requests: undefined, more: undefined, ...parts }
}
