import { type Fault, isFault, type JsonObject, systemHost } from '../../../kernel/index.ts'
import { loadError, namedError } from '../board/errors.ts'
import { TypedBlackboard } from '../board/typed-blackboard.ts'
import { faults } from '../model/faults.ts'
import type { ReloadPolicy, TreeSource } from '../model/source.ts'
import { SaveWatch } from '../reload/save-watch.ts'
import type { BehaviorTree } from './behavior-tree.ts'
import { eagerReferences } from './eager-references.ts'
import { TreeBuilder } from './tree-builder.ts'
import { nodeFiles, type TreeFiles } from './tree-files.ts'
import { nameFault, TreeFolder } from './tree-folder.ts'
import type { TreeHost } from './tree-host.ts'
import { TreeLoader } from './tree-loader.ts'
import { checkedPolicy, type ReadFile, type RegisteredTree, TreeReloads } from './tree-reloads.ts'

/** The host of the trees of a registry, and how it finds and replaces them. */
export interface RegistryOptions extends TreeHost {
  /** `let_finish_then_swap` by default. */
  readonly defaultReloadPolicy?: ReloadPolicy
  /** Default: one for Lua, JSON and XML, with the types of nodes of the host. */
  readonly loader?: TreeLoader
  readonly files?: TreeFiles
}

/** A file that could not be loaded. */
export interface RefusedFile {
  readonly path: string
  readonly error: Fault
}

/** The trees of a folder, loaded from its files (seed tree 2.5). Names lead to files of this folder only. */
export class TreeRegistry {
  readonly #options: RegistryOptions
  readonly #folder: TreeFolder
  readonly #loader: TreeLoader
  readonly #globals: TypedBlackboard
  readonly #trees = new Map<string, RegisteredTree>()
  readonly #reloads: TreeReloads
  readonly #watch: SaveWatch
  #work: Promise<void> = Promise.resolve()

  /** Loads nothing yet, and watches nothing. Throws `R1201` for a folder that does not exist, and `R1217` for an unknown policy. */
  constructor(treeDir: string, options: RegistryOptions = {}) {
    const { files = nodeFiles, nodes = [], clock = systemHost } = options
    this.#options = options
    this.#loader = options.loader ?? new TreeLoader({ files, nodes })
    this.#globals = options.globals ?? new TypedBlackboard(undefined, 'global')
    // The trees of a registry have scopes of one family, so one watch finds handlers whose order matters (UB-09).
    options.events?.watch(this.#globals)
    const { endings } = this.#loader
    this.#folder = new TreeFolder(treeDir, files, endings)
    this.#reloads = new TreeReloads({
      clock,
      policy: checkedPolicy(options.defaultReloadPolicy ?? 'let_finish_then_swap'),
      find: (name) => this.#trees.get(name),
      all: () => [...this.#trees.values()],
      read: async ({ path }) => this.#buildAll(await this.#readWithReferences(path)),
      register: (trees) => this.#register(trees),
      shown: (path) => this.#folder.shown(path),
      emit: (type, name, payload) => this.#emit(type, name, payload),
    })
    const onSaved = (path: string): void => this.#enqueue(() => this.#changed(path))
    this.#watch = new SaveWatch({ folder: this.#folder.path, watcher: files, host: clock, endings, onSaved })
  }

  /**
   * Loads a file, and the files of this folder to which it refers at once. Rejects with everything that is wrong with one of them, and registers
   * nothing then: `TreeLoadError` and its subclasses, as `SubtreeNotFoundError` (R1204); R1262 for a file outside of the folder.
   */
  async load(path: string): Promise<BehaviorTree> {
    try {
      const trees = this.#buildAll(await this.#readWithReferences(path))
      this.#register(trees)
      return trees[0].tree
    } catch (thrown) {
      throw this.#refused(thrown)
    }
  }

  /**
   * Loads all files of the folder: first reads all, then builds all, so their order does not matter. Returns those that are refused; a tree that
   * refers to one of them is refused as well.
   */
  async loadAll(): Promise<readonly RefusedFile[]> {
    const refused: RefusedFile[] = []
    const files = new Map<string, ReadFile>()
    for (const path of this.#folder.list()) {
      try {
        const file = await this.#read(path)
        files.set(file.source.id, file)
      } catch (thrown) {
        refused.push({ path, error: this.#refused(thrown) })
      }
    }
    for (let isWhole = false; !isWhole; ) {
      const { built, wrong } = this.#tryAll(files)
      isWhole = wrong.length === 0
      if (isWhole) this.#register(built)
      for (const { file, thrown } of wrong) {
        files.delete(file.source.id)
        refused.push({ path: file.path, error: this.#refused(thrown) })
      }
    }
    return refused
  }

  #tryAll(files: ReadonlyMap<string, ReadFile>) {
    const built: RegisteredTree[] = []
    const wrong: { readonly file: ReadFile; readonly thrown: unknown }[] = []
    for (const file of files.values()) {
      try {
        built.push(this.#build(file, files))
      } catch (thrown) {
        wrong.push({ file, thrown })
      }
    }
    return { built, wrong }
  }

  async #read(path: string): Promise<ReadFile> {
    const real = this.#folder.inside(path)
    return { source: await this.#loader.load(real, this.#folder.shown(real)), path: real }
  }

  /** Reads a file, and those of its references that are not registered yet. */
  async #readWithReferences(path: string): Promise<readonly [ReadFile, ...ReadFile[]]> {
    const first = await this.#read(path)
    const files = new Map([[first.source.id, first]])
    for (const { source } of files.values()) {
      for (const name of eagerReferences(source)) {
        // A name is checked before anything looks for a file of it.
        const isKnown = files.has(name) || this.#trees.has(name) || nameFault(name) !== undefined
        const file = isKnown ? undefined : this.#folder.fileOf(name)
        const read = file === undefined ? undefined : await this.#read(file)
        if (read?.source.id === name) files.set(name, read)
      }
    }
    return [first, ...[...files.values()].slice(1)]
  }

  #buildAll(files: readonly [ReadFile, ...ReadFile[]]): readonly [RegisteredTree, ...RegisteredTree[]] {
    const known = new Map(files.map((file) => [file.source.id, file]))
    const [first, ...others] = files
    return [this.#build(first, known), ...others.map((file) => this.#build(file, known))]
  }

  /** `files`: what is read and not registered yet. Once it is registered, references find what the registry has then. */
  #build({ source, path }: ReadFile, files: ReadonlyMap<string, ReadFile>): RegisteredTree {
    let isBuilt = false
    const known = {
      definition: (name: string) => (isBuilt ? undefined : files.get(name)?.source) ?? this.definition(name),
      listTrees: () => [...new Set([...this.listTrees(), ...files.keys()])].filter((name) => name !== source.id).toSorted(),
    }
    const tree = new TreeBuilder(known, { ...this.#options, globals: this.#globals }).build(source)
    isBuilt = true
    return { tree, source, path }
  }

  #register(trees: readonly RegisteredTree[]): void {
    for (const registered of trees) {
      const { tree, path } = registered
      this.#trees.set(tree.id, registered)
      tree.onStatusChange(({ isActive, id }) => {
        if (!isActive && this.#reloads.isQueued(id)) this.#enqueue(() => this.#reloads.applyQueued(id))
      })
      const payload = { name: tree.name, source_path: this.#folder.shown(path), node_count: tree.nodeCount, max_depth: tree.maxDepth }
      this.#emit('tree.loaded', tree.id, payload)
    }
  }

  /** Returns a tree; undefined for an unknown one. Throws `R1262` for a name that could lead out of the folder. Touches no file. */
  get(name: string): BehaviorTree | undefined {
    const wrong = nameFault(name)
    if (wrong?.code === 'R1262') throw this.#refused(wrong)
    return this.#trees.get(name)?.tree
  }
  /** Returns a tree as data; undefined for an unknown name. */
  definition(name: string): TreeSource | undefined {
    return this.#trees.get(name)?.source
  }
  /** Returns the names of all registered trees, in the order in which they were loaded. */
  listTrees(): readonly string[] {
    return [...this.#trees.keys()]
  }
  /** The number of reloads that wait for the end of executions. One for each tree at most. */
  get queueDepth(): number {
    return this.#reloads.queueDepth
  }

  /** Removes a tree. Throws `TreeInUseError` (R1237) for one that is RUNNING or YIELDED. Does nothing for an unknown name. */
  unload(name: string): void {
    const registered = this.#trees.get(name)
    if (registered === undefined) return
    if (registered.tree.isActive)
      throw namedError(faults.make('R1237', `${name} is ${registered.tree.status}`, { fix: 'cancel it, or let it finish' }))
    this.#trees.delete(name)
    this.#reloads.forget(name)
    this.#emit('tree.unloaded', name, { reason: 'unloaded' })
  }

  /**
   * Reloads a tree from its file: when its execution has ended, or after it was cancelled. Resolves when the reload is done or queued. Rejects
   * with `TreeNotFoundError` (R1231) for an unknown tree, `R1217` for another policy, and `R1235` for a file with errors, whose old tree continues.
   */
  async reload(name: string, policy?: ReloadPolicy): Promise<void> {
    await this.#reloads.reload(name, policy)
  }

  /** Watches the folder: a change reloads its tree 500 ms after the last one, a new file is loaded. Does nothing if it watches already. */
  startWatching(): void {
    this.#watch.start()
  }
  /** Ends the watch; changes that wait for their time are forgotten. */
  stopWatching(): void {
    this.#watch.stop()
  }

  /** Handles a change of a file 500 ms after the last change of it. */
  onFileChanged(path: string): void {
    this.#watch.changed(path)
  }

  async #changed(path: string): Promise<void> {
    const real = this.#folder.realPath(path)
    const known = [...this.#trees.values()].find((registered) => registered.path === path || registered.path === real)
    if (known !== undefined) await this.reload(known.tree.id)
    else if (real !== undefined) await this.load(path)
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
    return 'errors' in thrown ? thrown : loadError([thrown])
  }

  #emit(type: string, tree_id: string, payload: JsonObject): void {
    this.#options.events?.emit(type, { tree_id, ...payload }, { source: 'registry' })
  }
}
