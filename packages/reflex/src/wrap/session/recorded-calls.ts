import { isObject, type Json, type JsonObject, type State } from '../../kernel/index.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import { faults } from './faults.ts'

/** The calls that the record of a resumed turn has, and that its code has not made again yet. */
export class RecordedCalls {
  readonly #unused: Set<string>
  readonly #inFlight: ReadonlySet<string>
  #isNoted = false

  constructor(unused: Iterable<string> = [], inFlight: ReadonlySet<string> = new Set()) {
    this.#unused = new Set(unused)
    this.#inFlight = inFlight
  }

  /** Reads them from a run; a new one has none. */
  static of(state: State): RecordedCalls {
    // A new run has no frame yet.
    if (state.n === 0) return new RecordedCalls()
    const { root } = state
    const prefix = TURN_KEYS.result('')
    const settled = Object.keys(root.reader().snapshot()).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
    const { requests, flights } = isObject(root.position) ? root.position : {}
    const inFlight = new Set(
      [...Object.keys(objectOf(requests)), ...Object.values(objectOf(flights)).map(String)].filter((id) => id !== ''),
    )
    return new RecordedCalls([...settled, ...inFlight], inFlight)
  }

  isInFlight(id: string): boolean {
    return this.#inFlight.has(id)
  }

  /** Notes that the code has made a recorded call again. */
  use(id: string): void {
    this.#unused.delete(id)
  }

  /**
   * Checks a call of a tool. Throws `R2154` for a new one that changes something while a recorded call of the same tool is unused: the code
   * does the same thing in another way.
   */
  check(id: string, { changes, given }: { readonly changes: boolean; readonly given: Json }): void {
    if (!changes || this.#unused.has(id)) return
    const tool = id.slice(0, id.lastIndexOf('/', id.lastIndexOf('/') - 1) + 1)
    const other = [...this.#unused].find((one) => one.startsWith(tool))
    if (other === undefined) return
    throw faults.make('R2154', `the code calls ${tool.slice(5, -1)} as ${id}; the record has ${other}`, {
      data: { now: given, recorded: other },
    })
  }

  /** Returns what to note of a call that is new while recorded ones are unused; once for a turn. */
  divergence(id: string): JsonObject | undefined {
    if (this.#isNoted || this.#unused.size === 0) return undefined
    this.#isNoted = true
    return { call: id, unused: [...this.#unused].slice(0, 20) }
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
