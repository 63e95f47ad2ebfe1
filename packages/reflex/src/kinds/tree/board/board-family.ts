import type { TreeEvent } from './tree-error.ts'

/** The default limit of a blackboard and its child scopes, in bytes: 100 MB. */
export const DEFAULT_LIMIT = 104_857_600
/** The part of the limit from which on the size is an event. */
const WARNING_PART = 0.8

/** The keys that were read and written. */
export interface Access {
  readonly reads: ReadonlySet<string>
  readonly writes: ReadonlySet<string>
}

interface AccessFrame {
  readonly reads: Set<string>
  readonly writes: Set<string>
}

/** What a root scope and all scopes below it share: one count of bytes, the frames of the nodes that are being ticked, and the events. */
export class BoardFamily {
  readonly limit: number
  readonly #emit: ((event: TreeEvent) => void) | undefined
  readonly #frames: AccessFrame[] = []
  #bytes = 0

  constructor(limit: number, emit: ((event: TreeEvent) => void) | undefined) {
    this.limit = limit
    this.#emit = emit
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts a change of the size, and reports when it reaches 80 % of the limit. */
  count(difference: number): void {
    const threshold = this.limit * WARNING_PART
    const wasBelow = this.#bytes < threshold
    this.#bytes += difference
    if (!wasBelow || this.#bytes < threshold) return
    const percentage = Math.round((this.#bytes / this.limit) * 1000) / 10
    this.emit({
      type: 'blackboard.size.warning',
      severity: 'warning',
      payload: { current_size_mb: toMb(this.#bytes), limit_mb: toMb(this.limit), percentage },
    })
  }

  /** Reports an event. A listener that throws does not change the outcome of a read or a write. */
  emit(event: TreeEvent | undefined): void {
    if (event === undefined) return
    try {
      this.#emit?.(event)
    } catch {
      // The event bus of a tree reports the errors of its handlers itself.
    }
  }

  /** Begins the access of a node. Its reads and writes do not count as those of the node around it. */
  openFrame(): void {
    this.#frames.push({ reads: new Set(), writes: new Set() })
  }

  /** Ends the access of a node and returns it. */
  closeFrame(): Access {
    const frame = this.#frames.pop()
    if (frame === undefined) throw new TypeError('no node is being ticked: openFrame comes before closeFrame')
    return frame
  }

  /** Records an access of the node that is being ticked. */
  track(access: keyof Access, key: string): void {
    this.#frames.at(-1)?.[access].add(key)
  }
}

/** Returns bytes as megabytes, for people. */
export function toMb(bytes: number): number {
  return Math.round((bytes / 1_048_576) * 1000) / 1000
}
