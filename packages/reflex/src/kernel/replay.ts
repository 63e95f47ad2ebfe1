import { encodeRecord } from './codec.ts'
import { Decider, type Definitions } from './decide.ts'
import { equalJson, type Json } from './json.ts'
import type { Kind } from './kind.ts'
import { namedAs, RunPrograms } from './pinned.ts'
import { type Program, programHash } from './program.ts'
import type { Programs } from './programs.ts'
import type { Input, Rec } from './record.ts'
import { State } from './state.ts'

/** The first record that a replay decides differently. */
export interface Difference {
  readonly record: number
  readonly recorded: Rec
  readonly decided: Rec
}

/**
 * Makes every decision of a journal again without performing anything. Answers with the state at the end, or
 * with the first record that differs (architecture, invariant 5). The programs that the run has pinned must be
 * known by their hashes, as they are once the run has been read.
 */
export function replay(records: readonly Rec[], programs: Programs): { readonly state: State; readonly difference?: Difference } {
  const state = new State()
  const recorded = new RecordedPrograms(programs, state)
  const decider = new Decider(state, recorded)
  for (const record of records) {
    if (record.more?.start === undefined) {
      recorded.next = record
      const decided = decider.decide(state.frame(record.frame), inputOf(state, record), record.elapsed)
      if (!equalRecords(record, decided)) return { state, difference: { record: state.n + 1, recorded: record, decided } }
    }
    state.apply(record)
  }
  return { state }
}

/** What the fold made itself stands in its queue, whole; a stored record has only the head of it. */
function inputOf(state: State, record: Rec): Input | undefined {
  const type = record.input?.[0]
  return type === 'ret' || type === 'end' ? state.queue.peek()?.input : record.input
}

function equalRecords(a: Rec, b: Rec): boolean {
  return equalJson(JSON.parse(encodeRecord(a).text), JSON.parse(encodeRecord(b).text))
}

/** Programs learnt late are those that the record names, whatever is registered by now. */
class RecordedPrograms implements Definitions {
  readonly #programs: Programs
  readonly #pinned: RunPrograms
  next: Rec | undefined

  constructor(programs: Programs, state: State) {
    this.#programs = programs
    this.#pinned = new RunPrograms(programs, state)
  }

  program(pin: number): Program {
    return this.#pinned.program(pin)
  }

  kind(name: string): Kind {
    return this.#programs.kind(name)
  }

  find(name: string): Program | undefined {
    const pin = this.next?.more?.pin?.find(([pinned]) => pinned === name)
    const program = pin === undefined ? undefined : this.#programs.byHash(pin[3])
    return program === undefined ? undefined : namedAs(name, program)
  }

  compile(kind: string, id: string, source: Json): Program {
    const wanted = programHash(kind, source)
    const recorded = this.next?.more?.pin?.some(([, , , hash]) => hash === wanted) ? this.#programs.byHash(wanted) : undefined
    if (recorded !== undefined) return recorded
    return this.#pinned.compile(kind, id, source)
  }
}
