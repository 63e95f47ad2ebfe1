import { systemHost } from '../../../kernel/index.ts'
import type { BehaviorTree } from './behavior-tree.ts'
import type { TreeClock } from './memory-run.ts'

/**
 * Ticks trees when a time is due: a timeout, a pause, or the limit of a node that makes no progress (reference tree 4.6). So a tree that nobody
 * ticks is judged, too. The judgement itself is a part of the tick.
 */
export class TreeWatchdog {
  readonly #clock: TreeClock
  readonly #onDue: (tree: BehaviorTree) => void
  readonly #alarms = new Map<BehaviorTree, { readonly due: number; readonly cancel: () => void }>()

  /** `onDue`: what happens with a tree whose time has come. Default: it is ticked. */
  constructor(clock: TreeClock = systemHost, onDue: (tree: BehaviorTree) => void = (tree) => void tree.tick()) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Sets the alarm of a tree to its next time. Call it after each tick. */
  watch(tree: BehaviorTree): void {
    const due = tree.isActive ? tree.nextDue : undefined
    const known = this.#alarms.get(tree)
    if (known?.due === due) return
    this.forget(tree)
    if (due === undefined) return
    const ring = (): void => {
      this.#alarms.delete(tree)
      this.#onDue(tree)
      this.watch(tree)
    }
    this.#alarms.set(tree, { due, cancel: this.#clock.at(due, ring) })
  }

  /** Cancels the alarm of a tree. */
  forget(tree: BehaviorTree): void {
    this.#alarms.get(tree)?.cancel()
    this.#alarms.delete(tree)
  }

  /** Cancels all alarms. */
  stop(): void {
    for (const { cancel } of this.#alarms.values()) cancel()
    this.#alarms.clear()
  }
}
