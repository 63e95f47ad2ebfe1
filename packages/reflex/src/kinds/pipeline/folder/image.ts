/** What is to be done to a folder on the disk. */
export interface FolderChange {
  readonly path: string
  /** The file as a whole; with `append`, what is added to its end; absent, it goes. */
  readonly text: string | undefined
  readonly append?: true
  /** The file of this path becomes the file, as far as it is still there. */
  readonly from?: string
  /** It was written before, from the same image: the file on the disk has another text. */
  readonly again?: true
}

/** The files of a folder as they are to be, and what of that is not on the disk yet. Paths go from the folder. */
export class FolderImage {
  readonly #files = new Map<string, string>()
  readonly #changed = new Set<string>()
  readonly #written = new Set<string>()
  /** Where files on the disk belong now, and where they are. */
  readonly #moved = new Map<string, string>()
  readonly #lines: string[] = []
  #hasEvents = false

  put(path: string, text: string): void {
    if (this.#files.get(path) === text) return
    this.#files.set(path, text)
    this.#changed.add(path)
  }

  get(path: string): string | undefined {
    return this.#files.get(path)
  }

  /** Moves what lies directly in a folder: the files of an earlier visit make room for those of the next. */
  move(names: readonly string[], from: string, to: string): void {
    for (const name of names) {
      const text = this.#files.get(`${from}/${name}`)
      if (text === undefined) continue
      this.#files.delete(`${from}/${name}`)
      this.#moveFile(`${from}/${name}`, `${to}/${name}`, text)
    }
  }

  #moveFile(from: string, to: string, text: string): void {
    if (!this.#written.has(from) || this.#changed.has(from) || this.#written.has(to)) {
      this.put(to, text)
      this.#changed.add(from)
      return
    }
    this.#files.set(to, text)
    this.#written.add(to)
    this.#moved.set(to, from)
  }

  /** Adds a line to the events. */
  line(text: string): void {
    this.#lines.push(text)
  }

  /** Returns what has changed since the last call, moves first. The first time the events are there as a whole. */
  changes(events: string): FolderChange[] {
    const moved = [...this.#moved].map(([path, from]): FolderChange => ({ path, from, text: this.#files.get(path) }))
    this.#moved.clear()
    const changed = [...this.#changed].map((path): FolderChange => {
      const again = this.#written.has(path)
      this.#written.add(path)
      return again ? { path, text: this.#files.get(path), again } : { path, text: this.#files.get(path) }
    })
    this.#changed.clear()
    const changes = [...moved, ...changed]
    if (this.#lines.length > 0) {
      const text = this.#lines.splice(0).join('')
      changes.push(this.#hasEvents ? { path: events, text, append: true } : { path: events, text })
      this.#hasEvents = true
    }
    return changes
  }
}
