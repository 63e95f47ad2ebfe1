import { pinsOf } from './export.ts'
import { type LineOf, time } from './format.ts'
import {
  dumpState,
  faults as kernelFaults,
  type Json,
  loadState,
  type Pin,
  type Programs,
  type Rec,
  RunPrograms,
  type RunRow,
  State,
  summary,
} from '../../kernel/index.ts'

/** Characters of records after which a state keeps only what can still be read, as a snapshot does. */
const COMPACT_SIZE = 4_000_000

/**
 * The run of an archive as far as it has been read: where it stands, and its programs. Values on its boards are left out: how
 * a run stands does not depend on them, and they may be larger than memory.
 */
export class ArchiveFold {
  readonly #kinds: Programs
  readonly #header: LineOf<'archive'>
  readonly #sources = new Map<string, { readonly kind: string; readonly source: Json }>()
  readonly #unusedPrograms = new Set<string>()
  #state = new State()
  #definitions: RunPrograms
  #sinceCompacted = 0

  /** `kinds` is changed: programs of the archive become known to it by their hashes. */
  constructor(kinds: Programs, header: LineOf<'archive'>) {
    this.#kinds = kinds
    this.#header = header
    this.#definitions = new RunPrograms(kinds, this.#state)
  }

  get state(): State {
    return this.#state
  }

  /** What lists show of it: nobody has told it to go on here, so what was under way where it comes from is not under way now. */
  summary(): ReturnType<typeof summary> {
    return summary(this.#state, this.#definitions, statusOf(this.#state))
  }

  /** Takes a program that the next record must use. */
  addProgram(hash: string, kind: string, source: Json): void {
    this.#sources.set(hash, { kind, source })
    this.#unusedPrograms.add(hash)
  }

  hasProgram(hash: string): boolean {
    return this.#sources.has(hash)
  }

  /** The first program that a record uses and nobody has added. */
  missingProgram(record: Rec): Pin | undefined {
    return pinsOf(record).find(([, kind, , hash]) => this.#sources.get(hash)?.kind !== kind)
  }

  /**
   * Takes the next record, of so many characters. Answers with what is wrong with it, as far as that is for this archive to
   * know; throws what a record breaks that somebody else wrote, and `R5004` for a kind that is older here.
   */
  add(record: Rec, size: number): 'another run' | 'a start' | 'a stray program' | undefined {
    const { start } = record.more ?? {}
    if ((start === undefined) === (this.#state.n === 0)) return 'a start'
    const { run, trace, program } = this.#header
    if (start !== undefined && (start.run !== run || start.trace !== trace || JSON.stringify(start.pins[0]) !== JSON.stringify(program)))
      return 'another run'
    for (const pin of pinsOf(record)) this.#restoreProgram(pin)
    if (this.#unusedPrograms.size > 0) return 'a stray program'
    this.#state.apply(withoutValues(record))
    this.#state.droppedEffects.length = 0
    if (usedPins(record).some((pin) => pin >= this.#state.pins.length)) throw new TypeError('it uses a program that no record has pinned')
    if (!time.safeParse(this.#state.time).success) throw new TypeError('there is no such time')
    this.#compact(size)
    return undefined
  }

  #restoreProgram(pin: Pin): void {
    const [name, kind, rev, hash] = pin
    const found = this.#sources.get(hash)
    if (found === undefined) return
    if (this.#kinds.kind(kind).rev < rev)
      throw kernelFaults.make('R5004', `${name} needs revision ${rev} of ${kind}`, { run: this.#header.run })
    this.#unusedPrograms.delete(hash)
    if (this.#kinds.byHash(hash) === undefined) this.#kinds.restore(pin, found.source)
  }

  #compact(size: number): void {
    this.#sinceCompacted += size
    if (this.#sinceCompacted < COMPACT_SIZE) return
    this.#sinceCompacted = 0
    const hasHistory = (pin: number): boolean => this.#definitions.kind(this.#definitions.program(pin).kind).board?.history === true
    this.#state = loadState(dumpState(this.#state, hasHistory))
    this.#definitions = new RunPrograms(this.#kinds, this.#state)
  }
}

/** The pins that the frames of a record have from then on, by their numbers. */
function usedPins({ more: { call, spawn = [], become } = {} }: Rec): readonly number[] {
  return [call?.pin, become, ...spawn.map(({ pin }) => pin)].filter((pin) => pin !== undefined)
}

function statusOf({ ended }: State): RunRow['status'] {
  return ended === undefined ? 'suspended' : ended.status === 'done' ? 'completed' : ended.status
}

/** A record with all that it writes, but for the values. */
function withoutValues(record: Rec): Rec {
  const { writes, more } = record
  const blank = (flat: readonly Json[]): readonly Json[] => flat.map((item, i) => (i % 2 === 0 ? item : 0))
  if (more === undefined) return writes === undefined ? record : { ...record, writes: blank(writes) }
  const { root, sub } = more
  return {
    ...record,
    writes: writes === undefined ? undefined : blank(writes),
    more: {
      ...more,
      ...(root === undefined ? {} : { root: blank(root) }),
      ...(sub === undefined ? {} : { sub: sub.map(([id, flat]) => [id, blank(flat)] as const) }),
    },
  }
}
