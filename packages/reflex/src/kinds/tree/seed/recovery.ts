import type { Json } from '../../../kernel/index.ts'
import { setInternal } from '../board/internal-writes.ts'
import { scopeOf } from '../board/typed-blackboard.ts'
import { CONTEXT_KEY, FAILURE_WINDOW_MS, MOST_FAILURES } from '../tick/recovery.ts'
import type { BehaviorTree } from './behavior-tree.ts'
import type { EventBus } from './event-bus.ts'
import type { TreeClock } from './memory-run.ts'
import type { TickResult } from './tick-result.ts'

/** What a recovery is made with. */
export interface RecoveryOptions {
  /** Finds the tree that `recovery_tree` names. */
  readonly find: (name: string) => BehaviorTree | undefined
  /** Counts the minute of the failures. */
  readonly clock: TreeClock
  /** Where `tree.fallback` is published. Absent: nowhere. */
  readonly events?: EventBus | undefined
}

/** Runs the recovery tree of a tree that fails again and again (reference tree 4.11). A recovery tree has none itself. */
export class Recovery {
  readonly #options: RecoveryOptions
  readonly #failures = new Map<string, number[]>()
  #isRecovering = false

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** Counts a failure. After the third in a minute the recovery tree is ticked; if there is none or it fails, the event `tree.fallback` follows. */
  failed(tree: BehaviorTree, { failure_trace = [] }: TickResult): void {
    const { clock, find, events } = this.#options
    const now = clock.now()
    const recent = [...(this.#failures.get(tree.id) ?? []), now].filter((time) => time > now - FAILURE_WINDOW_MS)
    this.#failures.set(tree.id, recent)
    if (recent.length < MOST_FAILURES || this.#isRecovering) return
    this.#failures.delete(tree.id)
    const name = tree.source.recovery_tree
    const recovery = name === undefined ? undefined : find(name)
    const context: Json = { tree_id: tree.id, failure_trace: [...failure_trace], snapshot: tree.blackboard.snapshot() }
    if (recovery !== undefined && recovery !== tree && this.#recover(recovery, context)) return
    events?.emit(
      'tree.fallback',
      { tree_id: tree.id, failures: recent.length, ...(name === undefined ? {} : { recovery_tree: name }) },
      { severity: 'critical' },
    )
  }

  #recover(recovery: BehaviorTree, context: Json): boolean {
    this.#isRecovering = true
    try {
      setInternal(scopeOf(recovery.blackboard), CONTEXT_KEY, context)
      let result = recovery.tick()
      while (recovery.wantsTick) result = recovery.tick()
      return result.status !== 'FAILURE'
    } finally {
      this.#isRecovering = false
    }
  }
}
