import { encodeRecord } from '../journal/codec.ts'
import { hidesContents, sameHash, withoutHashes } from '../journal/contents.ts'
import { concealedRecord } from '../step/concealed-record.ts'
import { Decider, type Definitions } from '../step/decide.ts'
import { equalJson, type Json } from '../journal/json.ts'
import type { Kind } from '../step/kind.ts'
import { namedAs, RunPrograms } from '../step/run-programs.ts'
import { type Program, programHash } from '../step/program.ts'
import type { Programs } from '../step/programs.ts'
import type { Input, Pin, Rec } from '../journal/record.ts'
import { applyChecked, withRecordFault, invalidRecord } from '../state/apply-checked.ts'
import { State } from '../state/state.ts'

/** A record that a replay decides differently. */
export interface Difference {
  readonly record: number
  readonly recorded: Rec
  readonly decided: Rec
}

/**
 * Decides all records of a journal again without performing anything. Returns the state at the end, or the first record that
 * differs (architecture, invariant 5). The programs that the run has pinned must be known by hash, as they are after the run
 * was read. `state`: the state before the first of the records, which the replay changes; by default that before the first record of a run.
 */
export function replay(
  records: readonly Rec[],
  programs: Programs,
  state?: State,
): { readonly state: State; readonly difference?: Difference } {
  const replayer = new Replayer(programs, undefined, state)
  for (const record of records) {
    const difference = replayer.decide(record)
    if (difference !== undefined) return { state: replayer.state, difference }
    replayer.apply(record)
  }
  return { state: replayer.state }
}

/**
 * A replay record by record, for journals that should not be kept in memory. It applies the recorded records, so each record is
 * decided in the state of its run.
 */
export class Replayer {
  readonly state: State
  /** The programs of the decisions. */
  readonly definitions: Definitions
  readonly #recorded: RecordedPrograms
  readonly #decider: Decider

  /** `replacement` returns programs that replace pinned programs, by `kind:id`. `state`: the state before the first record. */
  constructor(programs: Programs, replacement?: (name: string) => Program | undefined, state: State = new State()) {
    this.state = state
    this.#recorded = new RecordedPrograms(programs, this.state, replacement)
    this.definitions = this.#recorded
    this.#decider = new Decider(this.state, this.#recorded)
  }

  /**
   * Decides the next record again. Returns undefined if it is equal. Changes nothing. Throws `R5003` for a record that cannot
   * follow the records before it.
   */
  decide(record: Rec): Difference | undefined {
    if (record.more?.start !== undefined && this.state.n === 0) return undefined
    const { state } = this
    const frame = state.frames.get(record.frame)
    if (frame === undefined || record.more?.start !== undefined) {
      const why = frame === undefined ? `there is no frame ${record.frame}` : 'it begins the run again'
      throw invalidRecord(state, state.n + 1, why)
    }
    this.#recorded.recorded = record
    const hides = hidesContents(state)
    const made = withRecordFault(state, () =>
      this.#decider.decide(frame, inputOf(state, record), record.elapsed, hides ? record : undefined),
    )
    const decided = hides ? concealedRecord(made, state, this.#recorded, sameHash) : made
    if (hides ? equalDecisions(record, decided) : equalRecords(record, decided)) return undefined
    // The kind has derived it from a position that the recorded one is not.
    frame.cache = undefined
    return { record: state.n + 1, recorded: record, decided }
  }

  /** Applies a recorded record. Throws `R5003` for a record that cannot follow the records before it. */
  apply(record: Rec): void {
    const { state } = this
    applyChecked(state, record)
    // Dropped effects matter only to the process that performs them.
    state.droppedEffects.length = 0
  }
}

/** An input from the fold is complete in its queue; a stored record has only its beginning. */
function inputOf(state: State, record: Rec): Input | undefined {
  const type = record.input?.[0]
  return type === 'ret' || type === 'end' ? state.queue.peek()?.input : record.input
}

function equalRecords(a: Rec, b: Rec): boolean {
  const [one, other] = [encodeRecord(a).text, encodeRecord(b).text]
  return one === other || equalJson(JSON.parse(one), JSON.parse(other))
}

/** Compares records without their hashes: those of texts that a step makes differ, because it has made them of hashes. */
function equalDecisions(one: Rec, other: Rec): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  return a.size === b.size && [...a].every(([part, value]) => equalJson(withoutHashes(value), withoutHashes(b.get(part) ?? null)))
}

/** A part of a record that a replay decides differently; undefined if a side does not have it. */
export interface DifferingPart {
  /** `input`, `writes`, `position`, `requests`, or the name of a rarer output, such as `call`. */
  readonly part: string
  readonly recorded: Json | undefined
  readonly decided: Json | undefined
}

/** The most informative parts come first. */
const PART_ORDER = ['input', 'return', 'call', 'become', 'position', 'patch', 'writes', 'root', 'wait', 'requests']

/** Returns the parts in which two records differ: the most informative first, notes last. */
export function differingParts({ recorded, decided }: Pick<Difference, 'recorded' | 'decided'>): DifferingPart[] {
  const [one, other] = [partsOf(recorded), partsOf(decided)]
  const differing = [...new Set([...one.keys(), ...other.keys()])].flatMap((part): DifferingPart[] => {
    const [a, b] = [one.get(part), other.get(part)]
    return a !== undefined && b !== undefined && equalJson(a, b) ? [] : [{ part, recorded: a, decided: b }]
  })
  const rank = ({ part }: DifferingPart): number => {
    const place = PART_ORDER.indexOf(part)
    return part === 'note' ? PART_ORDER.length + 1 : place < 0 ? PART_ORDER.length : place
  }
  return differing.sort((a, b) => rank(a) - rank(b))
}

function partsOf({ input, writes, position, requests, more, step }: Rec): Map<string, Json> {
  // The value of a return or an end is in the record that returned.
  const storedInput = input?.[0] === 'ret' || input?.[0] === 'end' ? input.slice(0, 3) : input
  const parts = Object.entries({ input: storedInput, writes, position, requests, ...more, step }).filter(([, value]) => value !== undefined)
  return new Map(JSON.parse(JSON.stringify(parts)) as [string, Json][])
}

/** Programs that the run learned later are those that the record names, regardless of the registry. */
class RecordedPrograms implements Definitions {
  readonly #programs: Programs
  readonly #state: State
  readonly #pinned: RunPrograms
  readonly #replacement: ((name: string) => Program | undefined) | undefined
  readonly #byPin: Program[] = []
  recorded: Rec | undefined

  constructor(programs: Programs, state: State, replacement: ((name: string) => Program | undefined) | undefined) {
    this.#programs = programs
    this.#state = state
    this.#pinned = new RunPrograms(programs, state)
    this.#replacement = replacement
  }

  program(pin: number): Program {
    return (this.#byPin[pin] ??= this.#replacement?.(this.#state.pins[pin]?.[0] ?? '') ?? this.#exact(pin))
  }

  /** A replay with other functions than those of the run would prove nothing. */
  #exact(pin: number): Program {
    const known = this.#state.pins[pin]
    if (known !== undefined) this.#programs.exact(known)
    return this.#pinned.program(pin)
  }

  kind(name: string): Kind {
    return this.#programs.kind(name)
  }

  find(name: string): Program | undefined {
    const pin = this.recorded?.more?.pin?.find(([pinned]) => pinned === name)
    const replaced = this.#replacement?.(name)
    if (pin === undefined) return replaced === undefined || this.#calledBefore(name) ? undefined : replaced
    // A replacement gets the pin of the program that it replaces: a different pin is not a difference.
    if (replaced !== undefined) return { ...replaced, rev: pin[2], hash: pin[3] }
    return this.#ofPin(pin, name)
  }

  withHash(hash: string): Program | undefined {
    const pin = this.recorded?.more?.pin?.find((one) => one[3] === hash) ?? this.#state.pins.findLast((one) => one[3] === hash)
    return pin === undefined ? undefined : this.#ofPin(pin, pin[0])
  }

  /** A pin of an older journal does not state functions, and a record that is decided again does not either. */
  #ofPin(pin: Pin, name: string): Program | undefined {
    const program = this.#programs.exact(pin)
    return program === undefined ? undefined : { ...namedAs(name, program), functions: pin[4] }
  }

  /** A recorded program that calls this name did not find it in the run: it must not find it in the replay either. */
  #calledBefore(name: string): boolean {
    return this.#state.pins.some((_, pin) => {
      const { kind, def } = this.#pinned.program(pin)
      return this.kind(kind).calls?.(def).includes(name) === true
    })
  }

  compile(kind: string, id: string, source: Json): Program {
    const wanted = programHash(kind, source)
    const pin = this.recorded?.more?.pin?.find(([, , , hash]) => hash === wanted)
    const recorded = pin === undefined ? undefined : this.#ofPin(pin, pin[0])
    if (recorded !== undefined) return recorded
    return this.#pinned.compile(kind, id, source)
  }
}
