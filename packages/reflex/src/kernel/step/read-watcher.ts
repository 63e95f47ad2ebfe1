import { Decider, type Definitions } from './decide.ts'
import { type Frame, scopeChain } from '../state/frame.ts'
import type { Json } from '../journal/json.ts'
import type { Rec, Ref } from '../journal/record.ts'
import { type Entry, Scope } from '../state/scope.ts'
import type { State } from '../state/state.ts'

/** An entry of a board, and the frame to which the board belongs. */
export interface FrameEntry extends Entry {
  readonly frame: Ref
}

/**
 * Decides records again, like a replay, and returns the board entries that each step read: records do not contain them. Each
 * state needs its own watcher, because its scopes are watched from then on.
 */
export class ReadWatcher {
  readonly #state: State
  readonly #decider: Decider
  readonly #watched = new WeakSet<Scope>()
  #found: Map<string, FrameEntry> | undefined

  constructor(state: State, definitions: Definitions) {
    this.#state = state
    this.#decider = new Decider(state, definitions)
  }

  /** Returns the entries that the step of the next record reads, each once. Does not change the state. */
  readsOf(record: Rec): readonly FrameEntry[] {
    const frame = this.#state.frames.get(record.frame)
    if (frame === undefined || record.more?.start !== undefined) return []
    for (const [owner, scope] of scopesOf(frame)) this.#watch(owner, scope)
    const input = record.input?.[0] === 'ret' || record.input?.[0] === 'end' ? this.#state.queue.peek()?.input : record.input
    const found = new Map<string, FrameEntry>()
    this.#found = found
    try {
      this.#decider.decide(frame, input, record.elapsed)
    } finally {
      this.#found = undefined
    }
    return [...found.values()]
  }

  #watch(owner: Frame, scope: Scope): void {
    if (this.#watched.has(scope)) return
    this.#watched.add(scope)
    scope.find = (key, bound) => {
      const place = Scope.prototype.find.call(scope, key, bound)
      if (place >= 0 && this.#found !== undefined) {
        const entry = scope.entryAt(place)
        this.#found.set(`${String(owner.id)} ${key} ${entry.record}`, { ...entry, frame: owner.id })
      }
      return place
    }
  }
}

/** Returns the entry of a key that a frame can read, and its owner. */
export function findEntry(frame: Frame, key: string): FrameEntry | undefined {
  const owners = new Map<Scope, Frame>([...scopesOf(frame)].map(([owner, scope]) => [scope, owner]))
  for (const { scope, bound } of scopeChain(frame)) {
    const place = scope.find(key, bound)
    const value: Json | undefined = place < 0 ? undefined : scope.valueAt(place)
    if (value !== undefined) return { ...scope.entryAt(place), frame: owners.get(scope)?.id ?? frame.id }
  }
  return undefined
}

function* scopesOf(from: Frame): Generator<readonly [Frame, Scope]> {
  for (let frame: Frame | undefined = from; frame !== undefined; frame = frame.outer) {
    yield [frame, frame.scope]
    for (const { scope } of frame.subs?.values() ?? []) yield [frame, scope]
  }
}
