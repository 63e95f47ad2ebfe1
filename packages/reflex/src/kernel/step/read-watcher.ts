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
 * Decides records again, as a replay does, and tells which entries of boards each step read: what a step depends on stands in
 * no record. Each state needs one of its own, for its scopes are watched from then on.
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

  /** The entries that the step of the next record reads, each once. The state stays as it is. */
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

/** A value that can be read where a frame stands, and whose it is. */
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
