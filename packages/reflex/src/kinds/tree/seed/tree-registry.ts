import { digest, type Fault, isFault, type JsonObject, systemHost } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { TypedBlackboard } from '../board/typed-blackboard.ts'
import { loadError, namedError } from '../board/errors.ts'
import { errorCode } from '../board/error-table.ts'
import { faults } from '../model/faults.ts'
import type { ReloadPolicy, TreeSource } from '../model/source.ts'
import type { BehaviorTree } from './behavior-tree.ts'
import { keepValues } from './keep-values.ts'
import { treeChanges } from './tree-changes.ts'
import { TreeBuilder } from './tree-builder.ts'
import { nodeFiles, type TreeFiles } from './tree-files.ts'
import type { TreeHost } from './tree-host.ts'
import { TreeLoader } from './tree-loader.ts'
import { eagerRefs, nameFault } from './tree-validator.ts'

/** A change of a file is handled so many milliseconds after the last one. */
const DEBOUNCE_MS = 500
/** The longest wait for operations that ignore their cancellation, in milliseconds. */
const SETTLE_MS = 5000
const POLICIES: readonly ReloadPolicy[] = ['let_finish_then_swap', 'cancel_and_restart']

export interface RegistryOptions extends TreeHost {
  readonly defaultReloadPolicy?: ReloadPolicy
  readonly loader?: TreeLoader
  readonly files?: TreeFiles
}

interface Entry {
  readonly tree: BehaviorTree
  readonly source: TreeSource
  readonly path: string
}

/** A file that could not be loaded. */
export interface RefusedFile {
  readonly path: string
  readonly error: Fault
}

/** The trees of a folder, loaded from its files (seed tree 2.5). Names lead to files of this folder only. */
export class TreeRegistry {
  readonly #folder: string
  readonly #options: RegistryOptions
  readonly #files: TreeFiles
  readonly #loader: TreeLoader
  readonly #policy: ReloadPolicy
  readonly #clock: NonNullable<TreeHost['clock']>
  readonly #globals: TypedBlackboard
  readonly #entries = new Map<string, Entry>()
  /** Reloads that wait for the end of an execution, by name: the newest policy counts, and the file is read at the swap. */
  readonly #queued = new Map<string, ReloadPolicy>()
  readonly #timers = new Map<string, () => void>()
  #stopWatching: (() => void) | undefined
  #work: Promise<void> = Promise.resolve()

  /** Throws `R1201` for a folder that does not exist, and `R1217` for an unknown policy. */
  constructor(treeDir: string, options: RegistryOptions = {}) {
    this.#options = options
    this.#files = options.files ?? nodeFiles
    this.#loader = options.loader ?? new TreeLoader({ files: this.#files })
    this.#policy = checkedPolicy(options.defaultReloadPolicy ?? 'let_finish_then_swap')
    this.#clock = options.clock ?? systemHost
    this.#globals = options.globals ?? new TypedBlackboard(undefined, 'global')
    const folder = this.#files.realPath(treeDir)
    if (folder === undefined) throw loadError([faults.make('R1201', `${quote(treeDir)} is no folder`, { rule: 'E4001' })])
    this.#folder = folder
  }

  /** Loads a file, and the files of this folder to which it refers. Rejects with everything that is wrong; nothing is registered then. */
  async load(path: string): Promise<BehaviorTree> {
    const parsed = new Map<string, ParsedTree>()
    try {
      const first = await this.#parse(path)
      parsed.set(first.source.id, first)
      await this.#parseRefs(first.source, parsed)
      const built = this.#build(first, parsed)
      for (const [name, one] of parsed)
        if (name !== first.source.id && !this.#entries.has(name)) this.#register(one, this.#build(one, parsed))
      this.#register(first, built)
      return built
    } catch (thrown) {
      throw this.#refused(thrown)
    }
  }

  /** Loads all files of the folder: first reads all, then builds all, so their order does not matter. Returns those that are refused. */
  async loadAll(): Promise<readonly RefusedFile[]> {
    const refused: RefusedFile[] = []
    const parsed = new Map<string, ParsedTree>()
    for (const path of this.#files.list(this.#folder).filter((file) => this.#isTree(file))) {
      try {
        const one = await this.#parse(path)
        parsed.set(one.source.id, one)
      } catch (thrown) {
        refused.push({ path, error: this.#refused(thrown) })
      }
    }
    for (const one of parsed.values()) {
      try {
        this.#register(one, this.#build(one, parsed))
      } catch (thrown) {
        refused.push({ path: one.path, error: this.#refused(thrown) })
      }
    }
    return refused
  }

  #isTree(path: string): boolean {
    return this.#loader.endings.some((ending) => path.endsWith(ending))
  }

  async #parse(path: string): Promise<ParsedTree> {
    const real = this.#inside(path)
    const source = await this.#loader.load(real, real.slice(this.#folder.length + 1))
    return { source, path: real }
  }

  /** Returns the real path of a file of this folder. Throws `R1262` for one outside, `R1201` for one that is missing. */
  #inside(path: string): string {
    const given = path.startsWith('/') ? path : `${this.#folder}/${path}`
    if (path.split(/[/\\]/).includes('..')) throw outside(path)
    if (!this.#isTree(given))
      throw faults.make('R1201', `${quote(path)} has no ending of a tree: ${this.#loader.endings.join(', ')}`, { rule: 'E4001' })
    if (!isBelow(given, this.#folder)) throw outside(path)
    const real = this.#files.realPath(given)
    if (real === undefined) throw faults.make('R1201', `${quote(path)} does not exist`, { rule: 'E4001', file: path })
    if (!isBelow(real, this.#folder)) throw outside(path)
    return real
  }

  async #parseRefs(source: TreeSource, parsed: Map<string, ParsedTree>): Promise<void> {
    for (const name of eagerRefs(source)) {
      // A name is checked before anything looks for a file of it.
      if (nameFault(name) !== undefined || parsed.has(name) || this.#entries.has(name) || source.trees?.[name] !== undefined) continue
      const path = this.#fileOf(name)
      if (path === undefined) continue
      const one = await this.#parse(path)
      if (one.source.id !== name) continue
      parsed.set(name, one)
      await this.#parseRefs(one.source, parsed)
    }
  }

  #fileOf(name: string): string | undefined {
    return this.#loader.endings.map((ending) => `${this.#folder}/${name}${ending}`).find((path) => this.#files.realPath(path) !== undefined)
  }

  #build({ source }: ParsedTree, parsed: ReadonlyMap<string, ParsedTree>): BehaviorTree {
    const known = {
      definition: (name: string) => parsed.get(name)?.source ?? this.definition(name),
      listTrees: () => [...new Set([...this.listTrees(), ...parsed.keys()])].filter((name) => name !== source.id).toSorted(),
    }
    return new TreeBuilder(known, { ...this.#options, globals: this.#globals }).build(source)
  }

  #register({ source, path }: ParsedTree, tree: BehaviorTree): void {
    this.#entries.set(source.id, { tree, source, path })
    tree.onStatusChange((changed) => {
      if (!changed.isActive && this.#queued.has(changed.id)) this.#enqueue(() => this.#applyQueued(changed.id))
    })
    this.#emit('tree.loaded', tree.id, {
      name: tree.name,
      source_path: this.#shown(path),
      node_count: tree.nodeCount,
      max_depth: tree.maxDepth,
    })
  }

  #shown(path: string): string {
    return path.slice(this.#folder.length + 1)
  }

  /** Returns a tree; undefined for an unknown one. Throws `R1262` for a name that could lead out of the folder. Touches no file. */
  get(name: string): BehaviorTree | undefined {
    const wrong = nameFault(name)
    if (wrong?.code === 'R1262') throw this.#refused(wrong)
    return this.#entries.get(name)?.tree
  }
  definition(name: string): TreeSource | undefined {
    return this.#entries.get(name)?.source
  }
  listTrees(): readonly string[] {
    return [...this.#entries.keys()]
  }
  /** The number of reloads that wait for the end of executions. One for each tree at most. */
  get queueDepth(): number {
    return this.#queued.size
  }

  /** Removes a tree. Throws `R1237` for one that is RUNNING or YIELDED; an unknown one is none. */
  unload(name: string): void {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    if (entry.tree.isActive)
      throw namedError(faults.make('R1237', `${name} is ${entry.tree.status}`, { fix: 'cancel it, or let it finish' }))
    this.#entries.delete(name)
    this.#queued.delete(name)
    this.#emit('tree.unloaded', name, { reason: 'unloaded' })
  }

  /**
   * Reloads a tree from its file: when its execution has ended, or after it was cancelled. Resolves when the reload is done or queued. Rejects
   * with `R1231` for an unknown tree, `R1217` for another policy, and `R1235` for a file with errors, whose old tree continues.
   */
  async reload(name: string, policy: ReloadPolicy = this.#policy): Promise<void> {
    checkedPolicy(policy)
    const entry = this.#entries.get(name)
    if (entry === undefined) throw namedError(faults.make('R1231', `there is no tree ${name}`, { rule: 'E3001' }))
    if (!entry.tree.isActive && !entry.tree.isTicking) return this.#swap(entry, policy)
    if (policy === 'cancel_and_restart' && !entry.tree.isTicking) return this.#restart(entry)
    this.#queued.set(name, policy)
    entry.tree.reloadPending = true
    this.#emit('tree.reload.queued', name, { source_path: this.#shown(entry.path), policy })
  }

  async #applyQueued(name: string): Promise<void> {
    const policy = this.#queued.get(name)
    const entry = this.#entries.get(name)
    if (policy === undefined || entry === undefined || entry.tree.isActive) return
    this.#queued.delete(name)
    entry.tree.reloadPending = false
    await this.#swap(entry, policy)
  }

  /** Cancels the execution, waits for its operations, swaps, and starts again with the event that the old one handled. */
  async #restart(entry: Entry): Promise<void> {
    const { tree } = entry
    const event = tree.lastContext
    tree.cancel('reload')
    await this.#within(tree.operationsEnded(), SETTLE_MS)
    await this.#swap(entry, 'cancel_and_restart')
    this.get(tree.id)?.tick(event)
  }

  #within(done: Promise<void>, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.at(this.#clock.now() + ms, resolve)
      void done.then(() => {
        cancel()
        resolve()
      })
    })
  }

  async #swap(entry: Entry, policy: ReloadPolicy): Promise<void> {
    const { tree, source, path } = entry
    try {
      const parsed = new Map<string, ParsedTree>()
      const one = await this.#parse(path)
      if (one.source.id !== tree.id) throw faults.make('R1202', `the file now has the tree ${one.source.id}`, { rule: 'E4002' })
      parsed.set(tree.id, one)
      await this.#parseRefs(one.source, parsed)
      const built = this.#build(one, parsed)
      // An execution that began while the file was read ends first.
      if (tree.isActive) return await this.reload(tree.id, policy)
      const dropped = keepValues(tree.blackboard, built.blackboard)
      this.#register(one, built)
      const changes_detected = digest(JSON.stringify(source)) !== digest(JSON.stringify(one.source))
      const changes = { ...treeChanges(source, one.source), ...(dropped.length === 0 ? {} : { dropped_keys: dropped }) }
      this.#emit('tree.reloaded', tree.id, { source_path: this.#shown(path), policy, changes_detected, ...changes })
      for (const other of this.#entries.values())
        if (eagerRefs(other.source).includes(tree.id)) await this.reload(other.tree.id, this.#policy)
    } catch (thrown) {
      throw this.#reloadFailed(entry, policy, thrown)
    }
  }

  #reloadFailed({ tree, path }: Entry, policy: ReloadPolicy, thrown: unknown): Fault {
    if (!isFault(thrown)) throw thrown
    if (thrown.code === 'R1235') return thrown
    const { line, message } = thrown
    const lines = line === undefined ? {} : { line_number: line }
    this.#emit('tree.reload.failed', tree.id, {
      source_path: this.#shown(path),
      policy,
      error_code: errorCode(thrown) ?? thrown.code,
      error_message: message,
      ...lines,
    })
    return namedError(
      faults.make('R1235', `${tree.id} was not reloaded: ${message}`, { rule: 'E3005', file: thrown.file, line, cause: thrown }),
    )
  }

  /** Watches the folder: a change reloads its tree 500 ms after the last one, a new file is loaded. */
  startWatching(): void {
    this.#stopWatching ??= this.#files.watch(this.#folder, (path) => this.onFileChanged(path))
  }
  stopWatching(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  /** Handles a change of a file 500 ms after the last change of it. */
  onFileChanged(path: string): void {
    if (!this.#isTree(path)) return
    this.#timers.get(path)?.()
    const handle = (): void => {
      this.#timers.delete(path)
      this.#enqueue(() => this.#changed(path))
    }
    this.#timers.set(path, this.#clock.at(this.#clock.now() + DEBOUNCE_MS, handle))
  }

  async #changed(path: string): Promise<void> {
    const known = [...this.#entries.values()].find((entry) => entry.path === path || entry.path === this.#files.realPath(path))
    if (known !== undefined) await this.reload(known.tree.id)
    else if (this.#files.realPath(path) !== undefined) await this.load(path)
  }

  /** Does work one after another. What fails has said so as an event. */
  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((thrown: unknown) => {
      if (!isFault(thrown)) throw thrown
    })
  }

  /** Resolves when the reloads that were caused so far are done. */
  async idle(): Promise<void> {
    for (let work; work !== this.#work; ) {
      work = this.#work
      await work
    }
  }

  /** Returns a refusal as an error of the seed, and publishes it if it is an attack. */
  #refused(thrown: unknown): Fault {
    if (!isFault(thrown)) throw thrown
    const all = 'errors' in thrown ? (thrown.errors as readonly Fault[]) : [thrown]
    for (const { code, message, data = {} } of all)
      if (code === 'R1262')
        this.#options.events?.emit('security.path.traversal', { error_message: message, ...data }, { source: 'registry' })
    return 'errors' in thrown ? thrown : namedError(thrown)
  }

  #emit(type: string, tree_id: string, payload: JsonObject): void {
    this.#options.events?.emit(type, { tree_id, ...payload }, { source: 'registry' })
  }
}

/** A file that was read. */
interface ParsedTree {
  readonly source: TreeSource
  readonly path: string
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

function outside(path: string): Fault {
  return faults.make('R1262', `${quote(path)} is outside of the folder of trees`, { rule: 'E7002', data: { attempted_path: path } })
}

function checkedPolicy(policy: ReloadPolicy): ReloadPolicy {
  if (POLICIES.includes(policy)) return policy
  throw faults.make('R1217', `there is no reload policy ${quote(policy)}`, { fix: `write ${POLICIES.join(' or ')}` })
}
