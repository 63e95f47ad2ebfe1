import { statSync } from 'node:fs'
import { digest, isList, isObject, type Json, type JsonObject, type Store } from '../kernel/index.ts'
import { combine, DERIVED, isTrusted, type Label, packLabel, TRUSTED, unpackLabel, UNTRUSTED } from './label.ts'

const LEDGER = 'labels'
/** Entries that are read at once. */
const PAGE = 1_000
/** Length below which equal texts prove nothing: many files hold `{}` and `ok`. */
const SHORTEST_TEXT = 16
/** Milliseconds after which a command that has not ended is dead, with its process: later changes are others'. */
const LONGEST_COMMAND = 3_600_000
/** Length of a file name below which it occurs in many words. */
const SHORTEST_NAME = 3

/**
 * The label of one place that was written: `path` for a file, `agent` for the memory of an agent at a host's service, `run`
 * alone for everything that a command of that run wrote.
 */
export interface WrittenEntry {
  readonly path?: string
  readonly agent?: string
  readonly run?: string
  /** The hash of the text, where the whole text is known. */
  readonly hash?: string
  /** True if nothing is left of the earlier content. */
  readonly whole?: true
  /** True if the label is that of everything that the programs of the run that keep no labels may have read. */
  readonly seen?: true
  /** True if the path is the folder of a run, in which Reflex itself writes what models and tools said. */
  readonly logs?: true
  /** Files that a command of the run has left, each with the hash of its text, or an empty text where that is unknown. */
  readonly files?: readonly (readonly [path: string, hash: string])[]
  readonly label: Label
}

/** A command that may be writing: its files are not labelled yet. */
interface OpenCommand {
  readonly folders: readonly string[]
  readonly label: Label
  /** Milliseconds since the epoch, when it began. */
  readonly since: number
}

/** The label of a text or a path, and the run that wrote it, where that is known. */
export interface Provenance {
  readonly label: Label
  readonly run?: string
}

/** The letters that a formatter adds and removes: blanks, ends of lines, the mark of a byte order, commas and semicolons. */
const FORMATTING = /[\s\ufeff,;]+/g

/**
 * Returns the hash by which a text is recognised in any place and any form: a formatter, or git with other ends of lines, makes no
 * text of a person's. That of a short one holds at its own place alone, and without a place it has none. A few letters are a module
 * that imports another one.
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
 * Labels of content that was written outside of a board: by path, by content, by agent and by run. A ledger of the store, so that every run and
 * every process knows them; without a store they last as long as the process. A file keeps its label when a person edits
 * it, moves another file there, or deletes it and makes it again: only a run that writes all of it lowers it.
 */
export class WrittenLabels {
  readonly #store: Pick<Store, 'append' | 'ledger'> | undefined
  readonly #labels = new Map<string, Label>()
  /** The run that wrote last, by path and by hash. */
  readonly #writers = new Map<string, string>()
  /** Paths that a run has begun to write, whose text is not known yet. */
  readonly #unfinished = new Set<string>()
  /** The runs from which runs were forked. */
  readonly #sources = new Map<string, string>()
  /** Folders of runs that lie where programs and tools find them. */
  readonly #logs = new Set<string>()
  /** Commands that have begun and not ended, by their keys; those of a process that died stay until they are repeated. */
  readonly #openCommands = new Map<string, OpenCommand>()
  /** Forks that the ledger has. */
  readonly #forks = new Set<string>()
  /** Lengths of the texts that are known: a text of another length need not be hashed. */
  readonly #lengths = new Set<number>()
  #seen = 0

  constructor(store: Pick<Store, 'append' | 'ledger'> | undefined) {
    this.#store = store
  }

  /** Reads what other processes have written. */
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

  /** Remembers what was written: once for each key, also if it is repeated after a crash. */
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
   * Remembers that a command has begun that may write anywhere in some folders. Returns the time of its first beginning, before a
   * crash; undefined where this is the first.
   */
  async begin(key: string, { folders, label, since }: OpenCommand): Promise<number | undefined> {
    const before = this.#openCommands.get(key)?.since
    if (before === undefined) await this.#append({ begun: key, folders, label: packLabel(label), since }, `${key} begun`)
    return before
  }

  /** Remembers that a command has ended and its files are labelled. */
  async end(key: string): Promise<void> {
    await this.#append({ ended: key }, `${key} ended`)
  }

  /** The worst label of the commands that may have changed a file since they began. */
  #openCommandLabel(place: string): Label {
    const open = [...this.#openCommands.values()].filter(({ folders }) => folders.some((folder) => place.startsWith(`${folder}/`)))
    if (open.length === 0) return TRUSTED
    const changed = changedAt(place)
    return combine(...open.flatMap(({ label, since }) => (changed >= since && changed < since + LONGEST_COMMAND ? [label] : [])))
  }

  /** Remembers that a run was forked: what its source has written and read counts for it, too. */
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

  /** The worst label of all files below a folder. */
  ofFolder(folder: string): Label {
    const prefix = `path ${folder === '' ? '' : `${folder}/`}`
    const hasLogs = [...this.#logs].some((logs) => `path ${logs}`.startsWith(prefix))
    const found = [...this.#labels].flatMap(([place, label]) => (place.startsWith(prefix) ? [label] : []))
    return combine(...found, hasLogs ? DERIVED : TRUSTED)
  }

  /** The worst label of the files whose names a text has. */
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

  /** The worst label of what the commands of a run, or of the runs it was forked from, may have written anywhere. */
  ofCommands(run: string): Label {
    return this.#ofRuns('commands', run)
  }

  /** The worst label of what the commands of any run may have written. */
  ofAnyCommand(): Label {
    return combine(...[...this.#labels].flatMap(([place, label]) => (place.startsWith('commands ') ? [label] : [])))
  }

  /** The worst label of everything that a run has written. */
  ofRun(run: string): Label {
    return combine(this.ofCommands(run), this.#ofRuns('files', run))
  }

  /** The worst label of what programs of a run that keep no labels have read, from a model, a file or the net. */
  ofReads(run: string): Label {
    return this.#ofRuns('seen', run)
  }

  /**
   * The provenance of a program by its text, wherever it stands now, and by its path where the text that a run left there is
   * unknown. A text that a person has changed since is the person's. Without `logs` a file in a folder of logs is the runtime's own,
   * unless a tool has written it.
   */
  ofProgram(path: string, text: string, { logs = true }: { readonly logs?: boolean } = {}): Provenance {
    const places = [
      // Most stores have no labels, and the hash of a large text takes time.
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

/** Milliseconds since the epoch when a file was changed last, its name included; no time for one that is not there. */
function changedAt(place: string): number {
  try {
    return statSync(pathOf(place)).ctimeMs
  } catch {
    return Number.NEGATIVE_INFINITY
  }
}

/** The path of a place in the ledger. */
export function pathOf(place: string): string {
  return `/${place.split('/').map(decodeURIComponent).join('/')}`
}

function nameOf(place: string): string {
  const name = place.slice(place.lastIndexOf('/') + 1)
  return decodeURIComponent(name)
}

/** The texts in the result of a tool by which the content that it read may be recognised. */
export function textsIn(result: Json): readonly string[] {
  if (typeof result === 'string') return [result]
  return isObject(result) ? Object.values(result).filter((value) => typeof value === 'string') : []
}
