import { statSync } from 'node:fs'
import { digest, isList, isObject, type Json, type JsonObject, type Store } from '../kernel/index.ts'
import { combine, DERIVED, isTrusted, type Label, packLabel, TRUSTED, unpackLabel, UNTRUSTED } from './label.ts'

const LEDGER = 'labels'
/** The number of entries read at once. */
const PAGE = 1_000
/** The length below which equal texts prove nothing: many files contain `{}` or `ok`. */
const SHORTEST_TEXT = 16
/** The time in milliseconds after which an unfinished command counts as dead: later changes are not its own. */
const LONGEST_COMMAND = 3_600_000
/** The length of a file name below which it occurs in many words. */
const SHORTEST_NAME = 3

/**
 * The label of a written place: `path` for a file, `agent` for the memory of an agent in a host's service, only `run` for
 * everything that a command of that run wrote.
 */
export interface WrittenEntry {
  readonly path?: string
  readonly agent?: string
  readonly run?: string
  /** The hash of the text, if the whole text is known. */
  readonly hash?: string
  /** True if none of the previous content is left. */
  readonly whole?: true
  /** True if the label covers everything that the run's programs without labels may have read. */
  readonly seen?: true
  /** True if the path is the folder of a run, to which Reflex writes outputs of models and tools. */
  readonly logs?: true
  /** Files that a command of the run has left, each with the hash of its text, or an empty text if that is unknown. */
  readonly files?: readonly (readonly [path: string, hash: string])[]
  readonly label: Label
}

/** A command that may be writing; its files are not labelled yet. */
interface OpenCommand {
  readonly folders: readonly string[]
  readonly label: Label
  /** The start in milliseconds since the epoch. */
  readonly since: number
}

/** The label of a text or a path, and the run that wrote it, if known. */
export interface Provenance {
  readonly label: Label
  readonly run?: string
}

/** The characters that a formatter adds and removes: blanks, line ends, the byte order mark, commas and semicolons. */
const FORMATTING = /[\s\ufeff,;]+/g

/**
 * Returns the hash that identifies a text in any place and format: reformatting, or other line ends by git, does not make a
 * text a person's own. The hash of a short text is valid only at its own place; without a place it has none. A few characters
 * can be a module that imports another one.
 */
export function hashOf(text: string): string | undefined
export function hashOf(text: string, place: string): string
export function hashOf(text: string, place?: string): string | undefined {
  const plain = text.replace(FORMATTING, '')
  if (isLong(text, plain)) return `${plain.length} ${digest(plain)}`
  return place === undefined ? undefined : `${plain.length} ${digest(`${place}\n${plain}`)}`
}

function isLong(text: string, plain: string): boolean {
  return text.length >= SHORTEST_TEXT && plain.length >= SHORTEST_TEXT / 2
}

/**
 * The labels of content that was written outside a board: by path, by content, by agent and by run. They are in a ledger of the
 * store, shared by all runs and processes; without a store they last as long as the process. A file keeps its label when a
 * person edits it, replaces it, or deletes and creates it again: only a run that writes the whole file lowers it.
 */
export class WrittenLabels {
  readonly #store: Pick<Store, 'append' | 'ledger'> | undefined
  readonly #labels = new Map<string, Label>()
  /** The last writing run, by path and by hash. */
  readonly #writers = new Map<string, string>()
  /** Paths that a run has started to write, whose text is not known yet. */
  readonly #unfinished = new Set<string>()
  /** The source run of each fork. */
  readonly #sources = new Map<string, string>()
  /** Run folders in places where programs and tools find them. */
  readonly #logs = new Set<string>()
  /** Unfinished commands by key. Those of a process that died stay until they are repeated. */
  readonly #openCommands = new Map<string, OpenCommand>()
  /** The forks in the ledger. */
  readonly #forks = new Set<string>()
  /** The lengths of known texts: a text of another length need not be hashed. */
  readonly #lengths = new Set<number>()
  #seen = 0

  constructor(store: Pick<Store, 'append' | 'ledger'> | undefined) {
    this.#store = store
  }

  /** Reads new entries of other processes. */
  async refresh(): Promise<void> {
    if (this.#store === undefined) return
    for (;;) {
      const entries = await this.#store.ledger(LEDGER, this.#seen, PAGE)
      for (const { seq, value } of entries) {
        if (seq <= this.#seen) continue
        this.#seen = seq
        if (isObject(value)) this.#fold(value)
      }
      if (entries.length < PAGE) return
    }
  }

  /** Stores an entry, once per key, also if it is repeated after a crash. */
  async add({ path, agent, run, hash, whole, seen, logs, files, label }: WrittenEntry, key: string): Promise<void> {
    await this.#append(
      {
        ...(path === undefined ? {} : { path }),
        ...(agent === undefined ? {} : { agent }),
        ...(run === undefined ? {} : { run }),
        ...(hash === undefined ? {} : { hash }),
        ...(whole === undefined ? {} : { whole }),
        ...(seen === undefined ? {} : { seen }),
        ...(logs === undefined ? {} : { logs }),
        ...(files === undefined ? {} : { files }),
        label: packLabel(label),
      },
      key,
    )
  }

  /**
   * Stores that a command has started that may write anywhere in some folders. Returns the time of its first start before a
   * crash; undefined for the first start.
   */
  async begin(key: string, { folders, label, since }: OpenCommand): Promise<number | undefined> {
    const before = this.#openCommands.get(key)?.since
    if (before === undefined) await this.#append({ begun: key, folders, label: packLabel(label), since }, `${key} begun`)
    return before
  }

  /** Stores that a command has ended and its files are labelled. */
  async end(key: string): Promise<void> {
    await this.#append({ ended: key }, `${key} ended`)
  }

  /** Returns the worst label of the commands that may have changed a file since they started. */
  #openCommandLabel(place: string): Label {
    const open = [...this.#openCommands.values()].filter(({ folders }) => folders.some((folder) => place.startsWith(`${folder}/`)))
    if (open.length === 0) return TRUSTED
    const changed = changedAt(place)
    return combine(...open.flatMap(({ label, since }) => (changed >= since && changed < since + LONGEST_COMMAND ? [label] : [])))
  }

  /** Stores that a run was forked: everything that its source has written and read counts for the fork too. */
  async fork(run: string, source: string): Promise<void> {
    if (!this.#forks.has(run)) await this.#append({ run, source }, `fork ${run}`)
  }

  async #append(entry: JsonObject, key: string): Promise<void> {
    if (this.#store === undefined) return this.#fold(entry)
    await this.#store.append(LEDGER, key, entry, 0)
    await this.refresh()
  }

  ofPath(path: string): Label {
    const inLogs = [...this.#logs].some((folder) => path.startsWith(`${folder}/`))
    return combine(this.#labelAt(`path ${path}`), inLogs ? UNTRUSTED : TRUSTED, this.#openCommandLabel(path))
  }

  /** Returns the worst label of all files below a folder. */
  ofFolder(folder: string): Label {
    const prefix = `path ${folder === '' ? '' : `${folder}/`}`
    const hasLogs = [...this.#logs].some((logs) => `path ${logs}`.startsWith(prefix))
    const found = [...this.#labels].flatMap(([place, label]) => (place.startsWith(prefix) ? [label] : []))
    return combine(...found, hasLogs ? DERIVED : TRUSTED)
  }

  /** Returns the worst label of the files whose names occur in a text. */
  ofMentioned(text: string): Label {
    const isNamed = (name: string): boolean => name.length >= SHORTEST_NAME && text.includes(name)
    const found = [...this.#labels].filter(([place]) => place.startsWith('path ') && isNamed(nameOf(place)))
    return combine(...found.map(([, label]) => label))
  }

  ofText(text: string): Label {
    const hash = this.#lengths.has(text.replace(FORMATTING, '').length) ? hashOf(text) : undefined
    return hash === undefined ? TRUSTED : this.#labelAt(`hash ${hash}`)
  }

  ofAgent(agent: string): Label {
    return this.#labelAt(`agent ${agent}`)
  }

  /** Returns the worst label of everything that the commands of a run, or of its fork sources, may have written. */
  ofCommands(run: string): Label {
    return this.#ofRuns('commands', run)
  }

  /** Returns the worst label of everything that the commands of any run may have written. */
  ofAnyCommand(): Label {
    return combine(...[...this.#labels].flatMap(([place, label]) => (place.startsWith('commands ') ? [label] : [])))
  }

  /** Returns the worst label of everything that a run has written. */
  ofRun(run: string): Label {
    return combine(this.ofCommands(run), this.#ofRuns('files', run))
  }

  /** Returns the worst label of everything that the run's programs without labels have read, from a model, a file or the network. */
  ofReads(run: string): Label {
    return this.#ofRuns('seen', run)
  }

  /**
   * Returns the provenance of a program by its text, in any place, and by its path if the text that a run left there is
   * unknown. A text that a person has changed belongs to the person. Without `logs`, a file in a folder of logs belongs to the
   * runtime, unless a tool has written it.
   */
  ofProgram(path: string, text: string, { logs = true }: { readonly logs?: boolean } = {}): Provenance {
    const places = [
      // Most stores have no labels, and hashing a large text takes time.
      ...(this.#labels.size === 0 ? [] : [`hash ${hashOf(text, path)}`]),
      ...[...this.#unfinished].filter((open) => path === open || path.startsWith(`${open}/`)).map((open) => `path ${open}`),
    ]
    const run = places.map((place) => this.#writers.get(place)).find((writer) => writer !== undefined)
    const inLogs = logs && [...this.#logs].some((folder) => path.startsWith(`${folder}/`))
    return {
      label: combine(...places.map((place) => this.#labelAt(place)), inLogs ? DERIVED : TRUSTED, this.#openCommandLabel(path)),
      ...(run === undefined ? {} : { run }),
    }
  }

  #ofRuns(what: 'commands' | 'files' | 'seen', run: string): Label {
    const all = new Set<string>()
    for (let at: string | undefined = run; at !== undefined && !all.has(at); at = this.#sources.get(at)) all.add(at)
    return combine(...[...all].map((one) => this.#labelAt(`${what} ${one}`)))
  }

  #labelAt(place: string): Label {
    return this.#labels.get(place) ?? TRUSTED
  }

  #fold(entry: JsonObject): void {
    const { path, agent, run, source, hash, label: packed } = entry
    if (typeof run === 'string' && typeof source === 'string') {
      this.#forks.add(run)
      this.#sources.set(run, source)
      return
    }
    if (typeof path === 'string' && entry['logs'] === true) {
      this.#logs.add(path)
      return
    }
    if (typeof entry['ended'] === 'string') {
      this.#openCommands.delete(entry['ended'])
      return
    }
    const label = unpackLabel(packed)
    if (typeof entry['begun'] === 'string') {
      const folders = isList(entry['folders']) ? entry['folders'].map(String) : []
      this.#openCommands.set(entry['begun'], { folders, label, since: Number(entry['since']) })
      return
    }
    if (isList(entry['files'])) return this.#foldFiles(entry['files'], label, run)
    if (typeof path === 'string') this.#foldPath(path, entry, label)
    if (typeof agent === 'string') this.#put(`agent ${agent}`, label)
    if (typeof run === 'string')
      this.#put(`${entry['seen'] === true ? 'seen' : typeof path === 'string' ? 'files' : 'commands'} ${run}`, label)
    if (typeof hash === 'string') this.#foldHash(hash, label, run)
  }

  #foldFiles(files: readonly Json[], label: Label, run: Json | undefined): void {
    for (const file of files) {
      const [path, hash] = isList(file) ? file : []
      if (typeof path !== 'string') continue
      this.#foldPath(path, { run: run ?? null, hash: hash ?? '' }, label)
      if (typeof hash === 'string' && hash !== '') this.#foldHash(hash, label, run)
    }
  }

  #foldHash(hash: string, label: Label, run: Json | undefined): void {
    this.#put(`hash ${hash}`, label)
    if (typeof run === 'string') this.#writers.set(`hash ${hash}`, run)
    this.#lengths.add(Number.parseInt(hash, 10))
  }

  #foldPath(path: string, { run, hash, whole }: JsonObject, label: Label): void {
    this.#put(`path ${path}`, label, whole === true)
    if (typeof run === 'string') this.#writers.set(`path ${path}`, run)
    if (typeof hash === 'string' || whole === true) this.#unfinished.delete(path)
    else this.#unfinished.add(path)
  }

  #put(place: string, label: Label, whole = false): void {
    const now = whole ? label : combine(this.#labelAt(place), label)
    if (isTrusted(now)) this.#labels.delete(place)
    else this.#labels.set(place, now)
  }
}

/** Returns the last change of a file in milliseconds since the epoch, including renames; negative infinity for a missing file. */
function changedAt(place: string): number {
  try {
    return statSync(pathOf(place)).ctimeMs
  } catch {
    return Number.NEGATIVE_INFINITY
  }
}

/** Returns the path of a place in the ledger. */
export function pathOf(place: string): string {
  return `/${place.split('/').map(decodeURIComponent).join('/')}`
}

function nameOf(place: string): string {
  const name = place.slice(place.lastIndexOf('/') + 1)
  return decodeURIComponent(name)
}

/** Returns the texts in the result of a tool that may identify the content that it read. */
export function textsIn(result: Json): readonly string[] {
  if (typeof result === 'string') return [result]
  return isObject(result) ? Object.values(result).filter((value) => typeof value === 'string') : []
}
