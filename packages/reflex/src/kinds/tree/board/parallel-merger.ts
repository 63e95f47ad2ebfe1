import type { Fault, Json } from '../../../kernel/index.ts'
import { checkArguments, type Form } from '../../../text/index.ts'
import { unregisteredKey } from './board-faults.ts'
import type { BoardScope, KeyRule } from './board-scope.ts'
import { setInternal } from './internal-writes.ts'
import { type MergeConflict, mergeWrites } from './merge.ts'
import { mergeStrategyType, MergeStrategyType } from './merge-strategy.ts'
import type { ScopeValues } from './scope-values.ts'
import { faultEvent } from './tree-error.ts'
import { scopeOf, TypedBlackboard } from './typed-blackboard.ts'

/** The result of merging the scopes of parallel children. */
export interface MergeResult {
  /** The keys that were written. */
  readonly mergedKeys: readonly string[]
  /** A sentence for each conflict under the strategy `fail`. */
  readonly conflicts: readonly string[]
  /** True if a key under `fail` had several writers. The parallel node fails then, whatever its policy says (UB-05). */
  readonly hasConflicts: boolean
  /** The reasons why keys were not written: `R1271`, `R1272`, and refusals of the parent. */
  readonly errors: readonly Fault[]
}

/** The values that children have written to one place of the parent: its own scope, or the global one. */
interface Merging {
  readonly children: readonly { readonly scope: BoardScope; readonly values: ScopeValues | undefined }[]
  /** The scope whose schemas hold. */
  readonly owner: BoardScope
  readonly target: ScopeValues
}

/** Merges the scopes of parallel children into their parent, with a strategy for each key (seed tree 2.7). */
export class ParallelMerger {
  readonly #default: MergeStrategyType
  readonly #keys = new Map<string, MergeStrategyType>()

  /** Throws `R1202` for an unknown strategy. */
  constructor(defaultStrategy: string = MergeStrategyType.COLLECT) {
    this.#default = mergeStrategyType(defaultStrategy)
  }

  /** Sets the strategy of a key. Throws `R1202` for an unknown one. */
  configure(key: string, strategy: string): void {
    this.#keys.set(key, mergeStrategyType(strategy))
  }

  /**
   * Merges what the children have written, in their order. Their values move: the child scopes are empty afterwards. Keys that cannot be merged
   * are not written and stand in `errors`; conflicts stand in `_parallel_conflicts` as well. Throws `R1090` if a child has another parent.
   */
  merge(parent: TypedBlackboard, children: readonly TypedBlackboard[]): MergeResult {
    checkArguments('merge', { children: [children, childrenOf(parent)] })
    const scope = scopeOf(parent)
    const inner = children.map(scopeOf)
    const plans = [
      this.#plan({ children: inner.map((child) => ({ scope: child, values: child.values })), owner: scope, target: scope.values }),
      this.#plan({ children: inner.map((child) => ({ scope: child, values: child.staged })), owner: scope.root, target: scope.globals }),
    ]
    // The room of the children is the room of what they wrote.
    for (const child of inner) child.clear()
    const mergedKeys: string[] = []
    const errors = plans.flatMap((plan) => plan.faults)
    for (const { writes, target } of plans) {
      for (const { key, value, rule } of writes) {
        const fault = scope.store(key, value, rule, target)
        if (fault === undefined) mergedKeys.push(key)
        else errors.push(fault)
      }
    }
    const conflicts = plans.flatMap((plan) => plan.conflicts)
    if (conflicts.length > 0) setInternal(scope, '_parallel_conflicts', conflicts)
    for (const fault of errors) scope.family.emit(faultEvent(fault, { scope_name: scope.name }))
    return { mergedKeys, conflicts: conflicts.map(conflictText), hasConflicts: conflicts.length > 0, errors }
  }

  #plan({ children, owner, target }: Merging) {
    const written = children.map(({ scope, values }, index) => ({
      index,
      id: scope.name,
      writes: values?.entries() ?? new Map<string, Json>(),
    }))
    const accepted: { readonly key: string; readonly value: Json; readonly rule: KeyRule }[] = []
    const merged = mergeWrites(written, { default: this.#default, keys: Object.fromEntries(this.#keys) }, (key, value) => {
      const rule = owner.rule(key)
      if (rule === undefined) return unregisteredKey(key, owner.registered())
      // A schema that changes values must not change one twice.
      const isChecked = children.some(({ scope, values }) => values?.get(key) === value && scope.rule(key)?.schema.equals(rule.schema))
      const checked = isChecked ? { value } : owner.check(key, rule, value)
      if (checked.fault === undefined) accepted.push({ key, value: checked.value, rule })
      return checked.fault
    })
    return { conflicts: merged.conflicts, faults: merged.faults, writes: accepted, target }
  }
}

function childrenOf(parent: TypedBlackboard): Form {
  const what = 'child scopes of the parent'
  const scope = scopeOf(parent)
  return {
    what,
    mismatch: (value) => {
      const children = Array.isArray(value) ? (value as unknown[]) : [value]
      const at = children.findIndex((child) => !(child instanceof TypedBlackboard) || scopeOf(child).parent !== scope)
      return at < 0
        ? undefined
        : { path: `[${at}]`, why: 'is not a child scope of the parent', fix: 'give scopes that parent.createChildScope made' }
    },
  }
}

function conflictText({ key, writers }: MergeConflict): string {
  return `Conflict on key '${key}': ${writers.length} writers (${writers.join(', ')})`
}
