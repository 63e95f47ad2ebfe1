/** What is to be done to a folder on the disk. */
export interface FolderChange {
  readonly path: string
  /** The file as a whole; with `append`, what is added to its end; absent, it goes. */
  readonly text: string | undefined
  readonly append?: true
  /** It was written before, from the same image: the file on the disk has another text. */
  readonly again?: true
}

/** The files of a folder as they are to be, and what of that is not on the disk yet. Paths go from the folder. */
export class FolderImage {
  readonly #files = new Map<string, string>()
  readonly #changed = new Set<string>()
  readonly #written = new Set<string>()
  readonly #lines: string[] = []
  #begun = false

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
      this.put(`${to}/${name}`, text)
      this.#files.delete(`${from}/${name}`)
      this.#changed.add(`${from}/${name}`)
    }
  }

  /** Adds a line to the events. */
  line(text: string): void {
    this.#lines.push(text)
  }

  /** What has changed since this was last asked. The first time the events are there as a whole. */
  changes(events: string): FolderChange[] {
    const changes = [...this.#changed].map((path): FolderChange => {
      const again = this.#written.has(path)
      this.#written.add(path)
      return again ? { path, text: this.#files.get(path), again } : { path, text: this.#files.get(path) }
    })
    this.#changed.clear()
    if (this.#lines.length > 0) {
      const text = this.#lines.splice(0).join('')
      changes.push(this.#begun ? { path: events, text, append: true } : { path: events, text })
      this.#begun = true
    }
    return changes
  }
}
