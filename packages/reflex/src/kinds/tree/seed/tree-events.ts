import { isList, isObject, type JsonObject, type Rec } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'
import type { EventBus } from './event-bus.ts'

/** The events of one tree: those of a tick are published when it is over. */
export class TreeEvents {
  readonly #tree: string
  readonly #bus: EventBus | undefined
  #held: (readonly [type: string, payload: JsonObject])[] = []

  constructor(tree: string, bus: EventBus | undefined) {
    this.#tree = tree
    this.#bus = bus
  }

  /** The number of events of the last tick. */
  get count(): number {
    return this.#held.length
  }

  /** Holds the events of all trees until the returned function is called. */
  begin(): () => void {
    this.#held = []
    return this.#bus?.hold() ?? (() => undefined)
  }

  hold(type: string, payload: JsonObject): void {
    this.#held.push([type, payload])
  }

  /** Holds the events that a record of the tree notes. */
  take({ more }: Rec): void {
    const note = more?.note
    if (!isObject(note) || !isList(note.events)) return
    for (const event of note.events) if (isList(event)) this.hold(textOf(event[0]), isObject(event[1]) ? event[1] : {})
  }

  publish(): void {
    for (const [type, payload] of this.#held) this.emit(type, payload)
  }

  emit(type: string, payload: JsonObject): void {
    this.#bus?.emit(type, { tree_id: this.#tree, ...payload }, { source: this.#tree })
  }

  /** Returns what the last event of a type in the last tick says. */
  last(type: string): JsonObject | undefined {
    return this.#held.findLast(([known]) => known === type)?.[1]
  }
}
