import { historyFaults } from '../faults.ts'
import { type ArchiveSecret, checkedSecret } from './format.ts'
import { type ArchivePart, ArchiveReader } from './read.ts'
import { isRunName, invalidRunName } from '../run-name.ts'
import { Spool } from './spool.ts'
import { changeStart, type RecordParts, withDecidedAfter, withoutLocalSettings, withRaisedElsewhere } from './change-start.ts'
import {
  type Base,
  type Batch,
  faults as kernelFaults,
  isObject,
  type Lease,
  type Message,
  type Programs,
  type RunRow,
  type Start,
  type Store,
  type StoredProgram,
  type Worker,
} from '../../kernel/index.ts'

/** The settings of an import. */
export interface ImportOptions {
  /** The secret of the signature; the archive must be signed with it. */
  readonly secret?: ArchiveSecret | undefined
  /** The name of the run here; its original name if absent. */
  readonly id?: string | undefined
}

/** The result of an import. */
export interface ImportedRun {
  readonly row: RunRow
  /** `checked`: the archive is signed and the signature was checked with a secret. `unchecked`: it is signed and no secret was given. */
  readonly signature: 'checked' | 'unchecked' | 'none'
  /** The number of its first record; the run began with the state before it, if it is not 1. */
  readonly first: number
  /** The hash of the archive with the records before the first one, if it is known. */
  readonly earlier?: string
  /** True if it is a part of a run: nothing of it is due, and no worker continues it. */
  readonly isPart: boolean
  /** The number of imported messages. An answer among them is used when a process takes up the run. */
  readonly messages: number
}

/** The parts that an import needs. */
export interface ImportWorld {
  readonly store: Store
  readonly worker: Worker
  /** The kinds that are known here. */
  readonly programs: Programs
  now(): number
}

type Lines = Iterable<string> | AsyncIterable<string>

/**
 * The maximum length of the first line in characters; it has only names and hashes. A file without line ends is refused without reading all
 * of it.
 */
const MAX_FIRST_LINE = 100_000
/** The maximum length of any other line in characters: the longest text. */
const MAX_LINE = 500_000_000
/** The size in characters of records and large values in one commit. */
const COMMIT_SIZE = 8_000_000

/**
 * Stores the run of an archive after all of it was read and checked. Until then its lines are in a file without a name, and nothing is in
 * the store. The proof of the operator's rights is not imported, so the run has at most the default trust. Throws `R2070` to `R2084`
 * and `R2141` to `R2146` for an invalid archive, `R2088` for an empty secret, `R5007` if the name is taken, and `R2022` for an invalid name.
 */
export async function importArchive(world: ImportWorld, lines: Lines, options: ImportOptions = {}): Promise<ImportedRun> {
  const verified = new ArchiveReader(world.programs.copyKinds(), checkedSecret(options.secret))
  const spool = await Spool.open()
  try {
    const read: Message[] = []
    for await (const part of verified.parts(spool.tee(lines))) if (part.type === 'message') read.push(part.message)
    const messages = read.filter((message) => isAccepted(message, verified))
    const id = options.id ?? verified.header.run
    if (!isRunName(id)) throw invalidRunName(id, 'choose another name with --id')
    const opening = await new ArchiveImport(world, verified, id).store(spool, messages)
    const stored = await world.store.read(id, 0)
    if (stored === undefined) throw kernelFaults.make('R2016', `the store has no run ${id}`, { run: id })
    return {
      row: stored.row,
      signature: verified.signature,
      first: (opening?.at ?? 0) + 1,
      ...(opening?.archive === undefined ? {} : { earlier: opening.archive }),
      isPart: verified.through !== undefined,
      messages: messages.length,
    }
  } finally {
    await spool.close()
  }
}

/**
 * Returns the lines of a stream of bytes, with either kind of line end. Throws `R2070` for a line that is longer than any line of an
 * archive.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let size = 0
  let longest = MAX_FIRST_LINE
  const line = (): string => {
    const text = parts.join('')
    parts = []
    size = 0
    longest = MAX_LINE
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }
  for await (const chunk of chunks) {
    const pieces = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n')
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) yield line()
      parts.push(piece)
      size += piece.length
      if (size > longest) throw historyFaults.make('R2070', 'a line is longer than any line of an archive')
    }
  }
  const rest = decoder.decode()
  if (size + rest.length > 0) {
    parts.push(rest)
    yield line()
  }
}

/** The state with which a run begins here, and the archive with the records before. */
interface Opening extends Base {
  readonly archive?: string
}

/** A run that an import writes, with its last record. */
interface ClaimedRun {
  readonly lease: Lease
  readonly last: number
}

/** A checked archive that is being written to a store. */
class ArchiveImport {
  readonly #world: ImportWorld
  readonly #verified: ArchiveReader
  readonly #id: string
  readonly #reader: ArchiveReader
  #opening: Opening | undefined
  #rows: string[] = []
  #first = 1
  #version = 0
  #size = 0
  #programs: StoredProgram[] = []
  readonly #blobs = new Map<string, string>()

  constructor(world: ImportWorld, verified: ArchiveReader, id: string) {
    this.#world = world
    this.#verified = verified
    this.#id = id
    this.#reader = new ArchiveReader(world.programs.copyKinds(), undefined)
  }

  /** Writes the run. Returns the state that it began with, if it has not its first record. */
  async store(spool: Spool, messages: readonly Message[]): Promise<Opening | undefined> {
    const { store } = this.#world
    let claimed: ClaimedRun | undefined
    try {
      for await (const part of this.#reader.parts(linesOf(spool.bytes()))) {
        if (part.type === 'program') this.#programs.push(part.program)
        if (part.type === 'opening') this.#open(part)
        if (part.type === 'record') {
          claimed ??= await this.#begin(messages)
          if (part.n > claimed.last) await this.#add(part, claimed.lease)
          else this.#first = part.n + 1
        }
        if (part.type === 'seal' && claimed !== undefined && part.at > claimed.last)
          await this.#commit(claimed.lease, { isLast: part.at === this.#verified.records, isSealed: true })
      }
      if (claimed !== undefined) await this.#commit(claimed.lease, { isLast: true })
    } finally {
      if (claimed !== undefined) await store.release(claimed.lease)
    }
    return this.#opening
  }

  #open({ at, chain, archive }: Extract<ArchivePart, { type: 'opening' }>): void {
    const snapshot = this.#snapshot()
    this.#opening = { at, chain, snapshot, ...(archive === undefined ? {} : { archive }) }
    this.#first = at + 1
  }

  async #begin(messages: readonly Message[]): Promise<ClaimedRun> {
    const claimed = await this.#claim()
    // The messages come before the first record: another process can take up a run that has begun, and it must then have all messages.
    if (claimed.last === this.#before) for (const message of messages) await this.#world.store.post(this.#id, message)
    return claimed
  }

  async #add(part: Extract<ArchivePart, { type: 'record' }>, lease: Lease): Promise<void> {
    const { v, row, blobs } = part.n === 1 ? this.#localRecord(part) : part
    // A seal is written with the last record of its segment, so a full batch waits for the line after that record.
    if ((v !== this.#version && this.#rows.length > 0) || this.#size >= COMMIT_SIZE) await this.#commit(lease, { isLast: false })
    this.#version = v
    const text = JSON.stringify(row)
    this.#rows.push(text)
    this.#size += text.length
    for (const [name, blob] of blobs) {
      if (this.#blobs.has(name)) continue
      this.#blobs.set(name, blob)
      this.#size += blob.length
    }
  }

  /** The record before the first one of the archive. */
  get #before(): number {
    return this.#opening?.at ?? 0
  }

  /** Returns the state after the last record that was read, as the text of a snapshot, under the name of the run in this store. */
  #snapshot(): string {
    return this.#reader.fold.snapshot((start) => this.#localStart(start))
  }

  /** Returns the first record under the name of the run in this store. */
  #localRecord(stored: RecordParts): RecordParts {
    return changeStart(stored, (start) => this.#localStart(start))
  }

  #localStart(start: Start): Start {
    const { fold, records } = this.#verified
    const stripped = withoutLocalSettings(start, records)
    const named = stripped.run === this.#id ? stripped : { ...stripped, run: this.#id, origin: stripped.origin ?? stripped.run }
    const limited = fold.state.meter.isRaised ? withRaisedElsewhere(named, records) : named
    return fold.claimsPermissions ? withDecidedAfter(limited, records) : limited
  }

  /**
   * Commits the collected records. Until the last part of a large run is stored, the run is marked as cancelled, so that no process
   * continues half a run.
   */
  async #commit(lease: Lease, { isLast, isSealed = false }: { readonly isLast: boolean; readonly isSealed?: boolean }): Promise<void> {
    if (this.#rows.length === 0) return
    const { fold } = this.#reader
    const count = this.#rows.length
    const batch: Batch = {
      lease,
      first: this.#first,
      count,
      version: this.#version,
      body: `[${this.#rows.join(',\n')}]`,
      ...(isSealed ? { snapshot: this.#snapshot(), seal: true } : {}),
      row: isLast
        ? this.#finalRow()
        : { status: 'cancelled', updated: fold.state.time, due: null, waits: [], value: { importing: this.#verified.head } },
      programs: this.#programs,
      blobs: new Map(this.#blobs),
    }
    const refused = await this.#world.store.commit([batch])
    if (refused.length > 0) throw nameTaken(this.#world.store, this.#id)
    this.#first += count
    this.#rows = []
    this.#programs = []
    this.#blobs.clear()
    this.#size = 0
  }

  /** Of a part of a run, nothing is due: the run that it was exported from continues elsewhere. */
  #finalRow(): Batch['row'] {
    const row = this.#reader.fold.summary()
    return this.#verified.through === undefined ? row : { ...row, due: null }
  }

  /** Takes the name of the run: a new name, or the name of an interrupted import of the same archive. */
  async #claim(): Promise<ClaimedRun> {
    const { store, worker } = this.#world
    const { trace, program, started } = this.#verified.header
    const row = { id: this.#id, trace, program, status: 'running', started, updated: started, due: null, waits: [] } as const
    const base = this.#opening
    const created = await store.create({ ...row, ...(base === undefined ? {} : { base }) }, worker)
    if (created !== 'taken') return { lease: created, last: this.#before }
    const known = (await store.read(this.#id, 0))?.row
    if (known === undefined || !this.#isPartial(known) || !(await this.#hasSameOpening())) throw nameTaken(store, this.#id)
    const claim = await store.claim(this.#id, worker, this.#world.now())
    if (!('lease' in claim)) throw nameTaken(store, this.#id)
    if (this.#isPartial(claim.row)) return { lease: claim.lease, last: claim.row.last }
    await store.release(claim.lease)
    throw nameTaken(store, this.#id)
  }

  /** True if the run of an interrupted import began with the same state. */
  async #hasSameOpening(): Promise<boolean> {
    if (this.#opening === undefined) return true
    const { at, snapshot } = this.#opening
    const found = (await this.#world.store.read(this.#id, at))?.snapshot
    return found?.at === at && found.body === snapshot
  }

  #isPartial({ last, trace, value }: RunRow): boolean {
    const { header, head, records } = this.#verified
    return last === this.#before ? trace === header.trace : isObject(value) && value['importing'] === head && last < records
  }
}

/** True for a message that an import stores. An answer to a question about permissions or the budget counts only where it is given. */
function isAccepted({ type, to }: Message, { fold }: ArchiveReader): boolean {
  if (type !== 'answer') return true
  const wait = [...fold.state.waits.values()].find(({ id }) => String(id) === to)
  return wait !== undefined && wait.asker !== 'permission' && wait.asker !== 'budget'
}

function nameTaken(store: Store, run: string): Error {
  return kernelFaults.make('R5007', `the store ${store.name} already has a run ${run}`, { run, fix: 'choose another name with --id' })
}
