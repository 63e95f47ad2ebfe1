import type { Access } from '../board/board-family.ts'

/** A handler has read a key that an earlier handler of the same event has written, so their order matters. */
export interface HandlerConflict {
  readonly [key: string]: string
  readonly key: string
  readonly writer: string
  readonly reader: string
}

/** Finds handlers whose order matters. Each pair is reported once for each type of event and key. */
export class HandlerConflicts {
  readonly #reported = new Set<string>()

  /** Begins the delivery of an event. The returned function takes what a handler has read and written, and returns the conflicts. */
  begin(eventType: string): (handler: string, accesses: readonly Access[]) => readonly HandlerConflict[] {
    const writers = new Map<string, string>()
    return (reader, accesses) => {
      const conflicts = accesses.flatMap(({ reads }) =>
        [...reads].flatMap((key): HandlerConflict[] => {
          const writer = writers.get(key)
          return writer === undefined || this.#isKnown(JSON.stringify([eventType, key, writer, reader])) ? [] : [{ key, writer, reader }]
        }),
      )
      for (const { writes } of accesses) for (const key of writes) writers.set(key, reader)
      return conflicts
    }
  }

  #isKnown(conflict: string): boolean {
    if (this.#reported.has(conflict)) return true
    this.#reported.add(conflict)
    return false
  }
}
