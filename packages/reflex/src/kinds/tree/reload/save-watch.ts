import type { Host } from '../../../kernel/index.ts'

/** Notices changes of files. */
export interface FileWatcher {
  /** Calls back with the path of each changed file below a folder until the returned function is called. */
  watch(folder: string, onChange: (file: string) => void): () => void
}

export interface SaveWatchOptions {
  readonly folder: string
  readonly watcher: FileWatcher
  readonly host: Pick<Host, 'now' | 'at'>
  /** The endings of the files that count, such as `.lua`. */
  readonly endings: readonly string[]
  /** Called with each file once it has not changed for a while. */
  readonly onSaved: (file: string) => void
}

/** The time after the last change of a file in which it does not change again: editors write a file in several steps. */
export const QUIET_MS = 500

/** Watches a folder for saved programs. Several changes of a file within half a second are one. */
export class SaveWatch {
  readonly #options: SaveWatchOptions
  readonly #timers = new Map<string, () => void>()
  #stop: (() => void) | undefined

  constructor(options: SaveWatchOptions) {
    this.#options = options
  }

  /** Begins to watch; does nothing if it watches already. */
  start(): void {
    const { watcher, folder } = this.#options
    this.#stop ??= watcher.watch(folder, (file) => this.changed(file))
  }

  /** Notes a change of a file, as the watcher does. Files with another ending do not count. */
  changed(file: string): void {
    if (this.#options.endings.some((ending) => file.endsWith(ending))) this.#restart(file)
  }

  /** Ends the watch; a change that is still waiting for its time is forgotten. Does nothing if it does not watch. */
  stop(): void {
    this.#stop?.()
    this.#stop = undefined
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  #restart(file: string): void {
    const { host, onSaved } = this.#options
    this.#timers.get(file)?.()
    const cancel = host.at(host.now() + QUIET_MS, () => {
      this.#timers.delete(file)
      onSaved(file)
    })
    this.#timers.set(file, cancel)
  }
}
