import type { Frame, Json, JsonObject, PendingEffect, Program, Rec } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { TreeStatus } from '../model/run-status.ts'
import { type FailureEntry, failureTrace } from '../tick/failures.ts'
import type { FunctionRegistry } from '../tick/function-port.ts'
import type { TreeState } from '../tick/tree-state.ts'
import { RESUME_TOPIC, TOKEN_KEY } from '../tick/yielding.ts'
import { advance, finishTick, sendMessage } from './advance.ts'
import type { BoardLink } from './board-link.ts'
import { performEffect } from './memory-effects.ts'
import { type FindTree, programOf } from './memory-programs.ts'
import { MemoryRun, type TreeClock } from './memory-run.ts'
import { Operations } from './operations.ts'
import type { TreeEvents } from './tree-events.ts'
import type { TreeHost } from './tree-host.ts'

const TREE_STATUSES: readonly TreeStatus[] = ['IDLE', 'RUNNING', 'YIELDED', 'COMPLETED', 'FAILED']

/** What the run of a tree in memory is made of. */
export interface EngineParts {
  readonly def: CompiledTree
  readonly find: FindTree
  readonly functions: FunctionRegistry
  readonly host: TreeHost
  readonly clock: TreeClock
  readonly link: BoardLink
  readonly events: TreeEvents
}

/** The run of a tree in memory, with what it needs around it: its blackboard, its events, and its operations. */
export class TreeEngine {
  readonly operations = new Operations()
  readonly #parts: EngineParts
  readonly #program: Program<CompiledTree>
  #run: MemoryRun | undefined

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#program = programOf(parts.def)
  }

  /** The state of the tree after its last tick; undefined before the first. */
  get state(): TreeState | undefined {
    return this.#run?.tree
  }
  get status(): TreeStatus {
    return TREE_STATUSES[this.state?.status ?? 0] ?? 'IDLE'
  }
  get failures(): readonly FailureEntry[] {
    const reader = this.#run?.root.reader()
    return failureTrace((key) => reader?.get(key)).entries
  }
  get token(): Json | undefined {
    return this.#run?.root.reader().get(TOKEN_KEY)
  }
  get nextDue(): number | undefined {
    return this.#run?.nextDue
  }
  /** True if an operation has ended, and no tick has taken its end. */
  get hasArrivals(): boolean {
    return this.#run?.hasArrivals === true
  }
  /** True if the last tick has asked for another one. */
  get asksAgain(): boolean {
    return this.#run?.isNext(this.#run.root) === true
  }

  /** Ticks the tree, and performs what follows at once. `isActive`: it has an execution. */
  tick(event: Json | undefined, isActive: boolean): void {
    const { link, clock } = this.#parts
    if (!isActive) link.beginExecution()
    this.#run ??= this.#begin()
    link.push(this.#run, !isActive)
    advance(this.#run, event, isActive, clock.now())
    finishTick(this.#run)
  }

  resume(token: string): void {
    if (this.#run === undefined) return
    sendMessage(this.#run, RESUME_TOPIC, token)
    finishTick(this.#run)
  }

  command(command: JsonObject): void {
    if (this.#run === undefined) return
    this.#run.give(['host', command])
    finishTick(this.#run)
  }

  /** Forgets the run. The next tick begins another one. */
  reset(): void {
    this.#run = undefined
    this.#parts.link.clear()
  }

  /** Begins a run. Its first tick comes with the first step of the queue. */
  #begin(): MemoryRun {
    const { clock, find, host, link } = this.#parts
    link.forget()
    const world = {
      clock,
      find,
      perform: (effect: PendingEffect, run: MemoryRun) => this.#perform(effect, run),
      onRecord: (record: Rec, frame: Frame) => {
        if (frame.id !== 0) return
        link.pull(record, () => failureTrace((key) => frame.reader().get(key)).entries)
        this.#parts.events.take(record)
      },
    }
    const { substitute } = host
    return new MemoryRun(world, this.#program, {
      _stays: true,
      ...(substitute === undefined ? {} : { _substitute: substitute }),
    })
  }

  #perform(effect: PendingEffect, run: MemoryRun): void {
    const { clock, functions, link } = this.#parts
    const { services = {}, writeGlobals } = this.#parts.host
    const world = {
      clock,
      functions,
      services,
      writeGlobals: (entries: readonly (readonly [string, Json])[]) => {
        link.share(entries)
        writeGlobals?.(entries)
      },
      onStarted: (operation: Promise<void>) => this.operations.start(operation),
      onSettled: () => this.operations.wake(),
    }
    performEffect(world, effect, run)
  }
}
