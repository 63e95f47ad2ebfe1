import { equalJson, type Fault, isFault, type JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { errorCode } from '../board/error-table.ts'
import { namedError } from '../board/errors.ts'
import { faults } from '../model/faults.ts'
import type { ReloadPolicy, TreeSource } from '../model/source.ts'
import type { BehaviorTree } from './behavior-tree.ts'
import { eagerReferences } from './eager-references.ts'
import { keepValues } from './keep-values.ts'
import type { TreeClock } from './memory-run.ts'

/** The longest wait for operations that ignore their cancellation, in milliseconds. */
const SETTLE_MS = 5000
const POLICIES: readonly ReloadPolicy[] = ['let_finish_then_swap', 'cancel_and_restart']

/** A file that was read. */
export interface ReadFile {
  readonly source: TreeSource
  readonly path: string
}

/** A tree of a registry, and its file. */
export interface RegisteredTree extends ReadFile {
  readonly tree: BehaviorTree
}

/** What reloads need of their registry. */
export interface ReloadWorld {
  readonly clock: TreeClock
  readonly policy: ReloadPolicy
  find(name: string): RegisteredTree | undefined
  all(): readonly RegisteredTree[]
  /** Reads and builds the tree of a file again, and trees to which it refers and which are new. */
  read(tree: RegisteredTree): Promise<readonly [RegisteredTree, ...RegisteredTree[]]>
  register(trees: readonly RegisteredTree[]): void
  shown(path: string): string
  emit(type: string, name: string, payload: JsonObject): void
}

/** Replaces trees by newer versions: when their execution has ended, or after it was cancelled, and never during a tick (UB-08). */
export class TreeReloads {
  readonly #world: ReloadWorld
  /** Reloads that wait for the end of an execution, by name: the newest policy counts, and the file is read at the swap. */
  readonly #queued = new Map<string, ReloadPolicy>()

  constructor(world: ReloadWorld) {
    this.#world = world
  }

  get queueDepth(): number {
    return this.#queued.size
  }
  isQueued(name: string): boolean {
    return this.#queued.has(name)
  }
  forget(name: string): void {
    this.#queued.delete(name)
  }

  async reload(name: string, policy: ReloadPolicy = this.#world.policy): Promise<void> {
    checkedPolicy(policy)
    const registered = this.#world.find(name)
    if (registered === undefined) throw namedError(faults.make('R1231', `there is no tree ${name}`, { rule: 'E3001' }))
    const { tree, path } = registered
    if (!tree.isActive && !tree.isTicking) return this.#swap(registered, policy)
    if (policy === 'cancel_and_restart' && !tree.isTicking) return this.#restart(registered)
    this.#queued.set(name, policy)
    tree.reloadPending = true
    this.#world.emit('tree.reload.queued', name, { source_path: this.#world.shown(path), policy })
  }

  /** Does the reload of a tree whose execution has ended. */
  async applyQueued(name: string): Promise<void> {
    const policy = this.#queued.get(name)
    const registered = this.#world.find(name)
    if (policy === undefined || registered === undefined || registered.tree.isActive) return
    this.#queued.delete(name)
    registered.tree.reloadPending = false
    await this.#swap(registered, policy)
  }

  /** Cancels the execution, waits for its operations, swaps, and starts again with the event that the old one handled. */
  async #restart(registered: RegisteredTree): Promise<void> {
    const { tree } = registered
    const context = tree.lastContext
    tree.cancel('reload')
    await this.#within(tree.operationsEnded(), SETTLE_MS)
    await this.#swap(registered, 'cancel_and_restart')
    this.#world.find(tree.id)?.tree.tick(context)
  }

  #within(done: Promise<void>, ms: number): Promise<void> {
    const { clock } = this.#world
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      void done.then(() => {
        cancel()
        resolve()
      })
    })
  }

  async #swap(registered: RegisteredTree, policy: ReloadPolicy): Promise<void> {
    const { tree } = registered
    const trees = await this.#read(registered, policy)
    // An execution that began while the file was read ends first.
    if (tree.isActive) return this.reload(tree.id, policy)
    const [{ tree: built, source, path }] = trees
    const dropped = keepValues(tree.blackboard, built.blackboard)
    const { added, removed, changed } = built.changesSince(tree)
    this.#world.register(trees)
    this.#world.emit('tree.reloaded', tree.id, {
      source_path: this.#world.shown(path),
      policy,
      changes_detected: !equalJson(registered.source, source),
      added,
      removed,
      changed,
      ...(dropped.length === 0 ? {} : { dropped_keys: dropped }),
    })
    for (const other of this.#world.all())
      if (eagerReferences(other.source).includes(tree.id)) await this.reload(other.tree.id, this.#world.policy)
  }

  async #read(registered: RegisteredTree, policy: ReloadPolicy): Promise<readonly [RegisteredTree, ...RegisteredTree[]]> {
    const { id } = registered.tree
    try {
      const trees = await this.#world.read(registered)
      const [{ source }] = trees
      if (source.id !== id) throw faults.make('R1202', `the file now has the tree ${source.id}`, { rule: 'E4002' })
      return trees
    } catch (thrown) {
      if (isFault(thrown)) throw this.#failed(registered, policy, thrown)
      throw thrown
    }
  }

  #failed({ tree, path }: RegisteredTree, policy: ReloadPolicy, fault: Fault): Fault {
    const { code, file, line, message } = fault
    this.#world.emit('tree.reload.failed', tree.id, {
      source_path: this.#world.shown(path),
      policy,
      error_code: errorCode(fault) ?? code,
      error_message: message,
      ...(line === undefined ? {} : { line_number: line }),
    })
    return namedError(faults.make('R1235', `${tree.id} was not reloaded: ${message}`, { rule: 'E3005', file, line, cause: fault }))
  }
}

/** Returns a policy. Throws `R1217` for one that does not exist, such as `immediate`. */
export function checkedPolicy(policy: ReloadPolicy): ReloadPolicy {
  if (POLICIES.includes(policy)) return policy
  throw faults.make('R1217', `there is no reload policy ${quote(policy)}`, { fix: `write ${POLICIES.join(' or ')}` })
}
