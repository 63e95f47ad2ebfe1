/** A change of a folder on the disk. */
export interface FolderChange {
  readonly path: string
  /** The whole text of the file; with `append`, the text added to its end; undefined to remove the file. */
  readonly text: string | undefined
  readonly append?: true
  /** The path from which the file is moved, if it still exists there. */
  readonly from?: string
  /** True if this image wrote the file before: the file on the disk has another text. */
  readonly again?: true
}

/** The intended files of a folder, and the changes that are not on the disk yet. Paths are relative to the folder. */
export class FolderImage {
  readonly #files = new Map<string, string>()
  readonly #changed = new Set<string>()
  readonly #written = new Set<string>()
  /** The old paths of moved files, by their new paths. */
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

  /** Moves files that lie directly in a folder: the files of an earlier visit make room for those of the next. */
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

  /** Returns the changes since the last call, moves first. The first call writes the file of events as a whole. */
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
