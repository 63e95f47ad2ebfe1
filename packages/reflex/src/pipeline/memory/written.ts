import { digest } from '../../kernel/digest.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Store } from '../../kernel/store.ts'
import { combine, isTrusted, type Label, packLabel, TRUSTED, unpackLabel } from '../middleware/label.ts'

const LEDGER = 'labels'
/** Entries that are read at once. */
const PAGE = 1_000
/** Characters below which equal texts say nothing: `{}` and `ok` stand in many files. */
const SHORTEST = 16
/** Characters of a file name below which it stands in many words. */
const SHORTEST_NAME = 3

/**
 * What is known of one place that was written: `path` for a file, `agent` for the memory of one at a host's service, `run`
 * alone for whatever a command of that run wrote.
 */
export interface Written {
  readonly path?: string
  readonly agent?: string
  readonly run?: string
  /** The hash of the text, where all of it is known. */
  readonly hash?: string
  /** Nothing of what was there before is left. */
  readonly whole?: true
  readonly label: Label
}

/** The hash by which a text is known again wherever it lies; nothing for one that is too short to be known by. */
export function hashOf(text: string): string | undefined {
  return text.length < SHORTEST ? undefined : `${text.length} ${digest(text)}`
}

/**
 * Labels of what was written outside of a board: by path, by content, by agent and by run. A ledger of the store, so that every run and
 * every process knows them; without a store they last as long as the process. A file keeps its label when somebody edits
 * it by hand, moves another file there, or deletes it and makes it again: only a run that writes all of it lowers it.
 */
export class WrittenLabels {
  readonly #store: Pick<Store, 'append' | 'ledger'> | undefined
  readonly #labels = new Map<string, Label>()
  /** Lengths of the texts that are known: a text of another length need not be hashed. */
  readonly #lengths = new Set<number>()
  #seen = 0

  constructor(store: Pick<Store, 'append' | 'ledger'> | undefined) {
    this.#store = store
  }

  /** Takes in what other processes have written. */
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

  /** Remembers what was written. Under the same key once, however often it is repeated after a crash. */
  async keep({ path, agent, run, hash, whole, label }: Written, key: string): Promise<void> {
    const entry: JsonObject = {
      ...(path === undefined ? {} : { path }),
      ...(agent === undefined ? {} : { agent }),
      ...(run === undefined ? {} : { run }),
      ...(hash === undefined ? {} : { hash }),
      ...(whole === undefined ? {} : { whole }),
      label: packLabel(label),
    }
    if (this.#store === undefined) return this.#fold(entry)
    await this.#store.append(LEDGER, key, entry, 0)
    await this.refresh()
  }

  ofPath(path: string): Label {
    return this.#of(`path ${path}`)
  }

  /** What all files below a folder are worth together. */
  below(folder: string): Label {
    const prefix = `path ${folder === '' ? '' : `${folder}/`}`
    return combine(...[...this.#labels].flatMap(([place, label]) => (place.startsWith(prefix) ? [label] : [])))
  }

  /** What the files are worth together whose names a text has. */
  named(text: string): Label {
    const isNamed = (name: string): boolean => name.length >= SHORTEST_NAME && text.includes(name)
    const found = [...this.#labels].filter(([place]) => place.startsWith('path ') && isNamed(nameOf(place)))
    return combine(...found.map(([, label]) => label))
  }

  ofText(text: string): Label {
    const hash = this.#lengths.has(text.length) ? hashOf(text) : undefined
    return hash === undefined ? TRUSTED : this.#of(`hash ${hash}`)
  }

  ofAgent(agent: string): Label {
    return this.#of(`agent ${agent}`)
  }

  /** What the commands of a run may have written anywhere. */
  byCommands(run: string): Label {
    return this.#of(`commands ${run}`)
  }

  /** What a run has written in any way. */
  byRun(run: string): Label {
    return combine(this.byCommands(run), this.#of(`files ${run}`))
  }

  #of(place: string): Label {
    return this.#labels.get(place) ?? TRUSTED
  }

  #fold({ path, agent, run, hash, whole, label: packed }: JsonObject): void {
    const label = unpackLabel(packed)
    if (typeof path === 'string') this.#put(`path ${path}`, label, whole === true)
    if (typeof agent === 'string') this.#put(`agent ${agent}`, label)
    if (typeof run === 'string') this.#put(`${typeof path === 'string' ? 'files' : 'commands'} ${run}`, label)
    if (typeof hash !== 'string') return
    this.#put(`hash ${hash}`, label)
    this.#lengths.add(Number.parseInt(hash, 10))
  }

  #put(place: string, label: Label, whole = false): void {
    const now = whole ? label : combine(this.#of(place), label)
    if (isTrusted(now)) this.#labels.delete(place)
    else this.#labels.set(place, now)
  }
}

function nameOf(place: string): string {
  const name = place.slice(place.lastIndexOf('/') + 1)
  return decodeURIComponent(name)
}

/** The texts in the result of a tool by which what it read may be known again. */
export function textsIn(result: Json): readonly string[] {
  if (typeof result === 'string') return [result]
  return isObject(result) ? Object.values(result).filter((value) => typeof value === 'string') : []
}
