import type { LaidNode } from '../compile/layout.ts'
import { RUNNING, SUCCESS } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import type { RunStatus } from '../model/run-status.ts'
import type { Ticking } from '../tick/ticking.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED } from '../tick/states.ts'
import type { TreeState } from '../tick/tree-state.ts'
import { walkBelow } from '../tick/walk.ts'
import type { Seat } from './behavior-node.ts'
import { nodeBlackboard } from './node-board-view.ts'
import type { TickContext } from './tick-context.ts'
import type { Visits } from './visits.ts'

/** The tree around its nodes. */
export interface SeatedTree {
  readonly id: string
  /** Returns the state between two ticks; undefined before the first. */
  state(): TreeState | undefined
  /** Returns the context of the last tick. */
  context(): TickContext
  tick(ctx: TickContext): RunStatus
  reset(): void
  /** Halts a node between two ticks. */
  halt(path: string): void
}

/** The places of the nodes of a tree: what a node knows of itself, and how it ticks its children. */
export class NodeSeats {
  readonly #tree: SeatedTree
  readonly #visits: Visits
  /** The tick in which a node of the host runs. */
  #ticking: Ticking | undefined

  constructor(tree: SeatedTree, visits: Visits) {
    this.#tree = tree
    this.#visits = visits
  }

  /** The state of the tree, during a tick too. */
  get state(): TreeState | undefined {
    return this.#ticking?.state ?? this.#tree.state()
  }

  status(index: number): RunStatus {
    const state = this.state?.state({ index }) ?? FRESH
    return state === IS_RUNNING ? 'RUNNING' : state === SUCCEEDED ? 'SUCCESS' : state === HAS_FAILED ? 'FAILURE' : 'FRESH'
  }

  seatOf(laid: LaidNode): Seat {
    const { index } = laid
    return {
      status: () => this.status(index),
      runningSince: () => (this.status(index) === 'RUNNING' ? this.state?.since(index) : undefined),
      tickCount: () => this.#visits.count(index),
      lastTickDurationMs: () => this.#visits.duration(index),
      path: () => laid.path,
      tick: (ctx) => this.#tick(laid, ctx),
      reset: () => this.#reset(laid),
    }
  }

  /** A node ticks its child; or somebody ticks the root, which ticks the tree. */
  #tick(laid: LaidNode, ctx: TickContext): RunStatus {
    if (this.#ticking !== undefined) {
      const outcome = walkBelow(this.#ticking, this.#ticking.state.layout.nodes[laid.index] ?? laid)
      return outcome === RUNNING ? 'RUNNING' : outcome === SUCCESS ? 'SUCCESS' : this.status(laid.index)
    }
    if (laid.parent !== undefined) throw faults.make('R1239', `${laid.path} is ticked by ${laid.parent.path}`, { fix: 'tick the tree' })
    return this.#tree.tick(ctx)
  }

  #reset(laid: LaidNode): void {
    if (this.#ticking !== undefined) this.#ticking.halt(this.#ticking.state.layout.nodes[laid.index] ?? laid)
    else if (laid.parent === undefined) this.#tree.reset()
    else this.#tree.halt(laid.path)
  }

  /** Runs a node of the host with its context: its blackboard, and the path to it. */
  withContext<T>(tick: Ticking, node: LaidNode, run: (ctx: TickContext) => T): T {
    const outer = this.#ticking
    this.#ticking = tick
    const ctx = this.#tree.context().with({
      blackboard: nodeBlackboard(tick.board(node), (key) => tick.declares(node, key)),
      tickCount: tick.count,
      executionId: `${this.#tree.id}@${tick.state.execution.number}`,
      ...(tick.event === undefined ? {} : { event: tick.event }),
    })
    for (const path of pathsTo(node)) ctx.pushPath(path)
    try {
      return run(ctx)
    } finally {
      this.#ticking = outer
    }
  }
}

function pathsTo({ parent, path }: LaidNode): string[] {
  return parent === undefined ? [path] : [...pathsTo(parent), path]
}
