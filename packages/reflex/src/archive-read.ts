import { createHash } from 'node:crypto'
import { archiveFaults } from './archive-faults.ts'
import { pinsOf } from './archive-export.ts'
import {
  ARCHIVE,
  type ArchiveSecret,
  Chain,
  type CutLine,
  cutLine,
  isSignedBy,
  type LineOf,
  LINES,
  type LineType,
  RecentBlobs,
} from './archive-format.ts'
import {
  blobsOf,
  type CatalogueEntry,
  decodeBatch,
  dumpState,
  type Fault,
  faults as kernelFaults,
  FORMAT,
  isFault,
  type Json,
  loadState,
  type Message,
  type Pin,
  programHash,
  type Programs,
  type Rec,
  RunPrograms,
  State,
  type StoredProgram,
} from './kernel/index.ts'

/** A part of an archive that is what was exported, as far as can be known so far. */
export type ArchivePart =
  | { readonly type: 'program'; readonly program: StoredProgram }
  | {
      readonly type: 'record'
      readonly n: number
      readonly v: number
      readonly row: readonly Json[]
      readonly blobs: ReadonlyMap<string, string>
    }
  | { readonly type: 'message'; readonly message: Message }

/** Characters of records after which a state keeps only what can still be read, as a snapshot does. */
const COMPACTED = 4_000_000

type Code = keyof typeof archiveFaults.entries
type Lines = Iterable<string> | AsyncIterable<string>

/**
 * Reads an archive line by line, checks everything that can be checked, and folds the records. Nothing is certain before
 * `parts` has ended: whoever stores anything earlier stores what may be wrong further on.
 */
export class ArchiveReader {
  readonly #kinds: Programs
  readonly #secret: ArchiveSecret | undefined
  readonly #chain = new Chain()
  readonly #sources = new Map<string, { readonly kind: string; readonly source: Json; used: boolean }>()
  readonly #blobs = new RecentBlobs()
  /** Blobs that the next record must need. */
  readonly #fresh = new Map<string, string>()
  #growing: { readonly name: string; readonly of: number; readonly texts: string[] } | undefined
  #header: LineOf<'archive'> | undefined
  #state = new State()
  #definitions: RunPrograms
  #sinceCompacted = 0
  #ended = false
  #signed: boolean | undefined

  /** `kinds` is changed: programs of the archive become known to it by their hashes. */
  constructor(kinds: Programs, secret: ArchiveSecret | undefined) {
    this.#kinds = kinds
    this.#secret = secret
    this.#definitions = new RunPrograms(kinds, this.#state)
  }

  /** The first line; known once the first part is. */
  get header(): LineOf<'archive'> {
    if (this.#header === undefined) throw this.#fault('R2070', 'the file is empty')
    return this.#header
  }

  /** The fold of the records so far, without the values on its boards: no list shows them, and they may be larger than memory. */
  get state(): State {
    return this.#state
  }

  get definitions(): RunPrograms {
    return this.#definitions
  }

  /** The hash of all lines, once all are read: what a signature signs. */
  get head(): string {
    return this.#chain.head
  }

  /** `checked` against the secret; `unchecked` without one. */
  get signature(): 'checked' | 'unchecked' | 'none' {
    return this.#signed === undefined ? 'none' : this.#secret === undefined ? 'unchecked' : 'checked'
  }

  /** Every part, in order. Throws `R2070` to `R2084` with the number of the line, and `R5004` for a kind that is older here. */
  async *parts(lines: Lines): AsyncGenerator<ArchivePart> {
    let late: Late | undefined
    for await (const line of lines) {
      const more = late?.more(line)
      if (more !== undefined) throw more
      if (late !== undefined) continue
      const cut = cutLine(line)
      late = this.#ended ? undefined : (this.#skipped(line) ?? (cut === undefined ? this.#unreadable(line) : undefined))
      if (late !== undefined) continue
      const part = this.#next(line, cut)
      if (part !== undefined) yield part
    }
    if (late !== undefined) throw late.end
    if (this.#chain.lines === 0) throw this.#fault('R2070', 'the file is empty')
    if (!this.#ended) throw this.#fault('R2075', `the archive ends after ${this.#state.n} records, without its last line`)
  }

  get #line(): number {
    return this.#chain.lines + 1
  }

  #fault(code: Code, message: string, more: { readonly record?: number; readonly cause?: unknown } = {}): Fault {
    const { record, ...details } = more
    const entry: CatalogueEntry = archiveFaults.entries[code]
    return archiveFaults.make(code, `line ${this.#line}: ${message}`, {
      line: this.#line,
      fix: entry.fix,
      ...details,
      ...(this.#header === undefined ? {} : { run: this.#header.run }),
      ...(record === undefined ? {} : { data: { record } }),
    })
  }

  /** A record that comes too early. Only a look at the rest tells one that was moved from one that is gone. */
  #skipped(line: string): Late | undefined {
    const found = recordOf(line)
    const record = this.#state.n + 1
    if (this.#header === undefined || found <= record) return undefined
    const moved = this.#fault('R2074', `record ${found} stands before record ${record}`, { record: found })
    return {
      more: (later) => (recordOf(later) === record ? moved : undefined),
      end: this.#fault('R2073', `record ${found} stands where record ${record} should, which is missing`, { record }),
    }
  }

  /** A line that does not end as it should: changed, or cut if it is the last. */
  #unreadable(line: string): Late {
    const end = this.#header === undefined ? this.#fault('R2070', 'this is no line of an archive') : this.#fault('R2075', 'the line is cut')
    const record = recordOf(line)
    const more =
      this.#header === undefined
        ? end
        : record > 0
          ? this.#fault('R2072', `record ${record} cannot be read`, { record })
          : this.#garbled(line)
    return { end, more: (later) => (later.trim() === '' ? undefined : more) }
  }

  #garbled(line: string): Fault {
    if (line.startsWith('{"program"')) return this.#fault('R2077', 'a program cannot be read')
    if (line.startsWith('{"blob"')) return this.#fault('R2079', 'a value cannot be read')
    return this.#fault('R2081', 'the line cannot be read')
  }

  #next(line: string, cut: CutLine | undefined): ArchivePart | undefined {
    if (this.#ended) {
      if (line.trim() === '') return undefined
      throw this.#fault('R2076', 'the archive has ended before this line')
    }
    const said = cut === undefined ? undefined : parsed(cut.content)
    if (cut === undefined || said === undefined) throw this.#unreadable(line).more(line) ?? this.#unreadable(line).end
    const part = this.#take(said, cut)
    this.#chain.move(cut.hash)
    return part
  }

  #take(said: Readonly<Record<string, unknown>>, cut: CutLine): ArchivePart | undefined {
    const [type] = Object.keys(said)
    if (this.#header === undefined) {
      if (type !== 'archive') throw this.#fault('R2070', 'the first line does not begin an archive')
      this.#begin(said, cut)
      return undefined
    }
    if (this.#growing !== undefined && type !== 'blob') throw this.#fault('R2079', `a part of ${this.#growing.name.slice(0, 8)} is missing`)
    switch (type) {
      case 'program':
        return this.#program(this.#read('program', said, 'R2077'), cut)
      case 'blob':
        this.#blob(this.#read('blob', said, 'R2079'), cut)
        return undefined
      case 'record':
        return this.#record(this.#read('record', said, 'R2072'), cut)
      case 'message':
        return this.#message(this.#read('message', said, 'R2081'), cut)
      case 'end':
        this.#end(this.#read('end', said, 'R2081'), cut)
        return undefined
      default:
        throw this.#fault('R2076', `nothing is known of a line that begins with ${JSON.stringify(type?.slice(0, 40) ?? '')}`)
    }
  }

  #read<Type extends LineType>(type: Type, said: unknown, code: Code): LineOf<Type> {
    const { success, data, error } = LINES[type].safeParse(said)
    if (success) return data as LineOf<Type>
    throw this.#fault(code, `the line does not have the form of a ${type}`, { cause: error })
  }

  /** Every line has the hash that goes through all of them. */
  #link({ content, hash, signature }: CutLine, code: Code, what: string, details: { readonly record?: number } = {}): void {
    if (this.#chain.next(content) !== hash)
      throw this.#fault(code, `${what} is not what was exported, or the line before it is gone`, details)
    if (signature !== undefined && !content.startsWith('{"end":')) throw this.#fault('R2076', 'only the last line of an archive is signed')
  }

  #begin(said: Readonly<Record<string, unknown>>, cut: CutLine): void {
    if (typeof said['archive'] === 'number' && said['archive'] > ARCHIVE)
      throw this.#fault('R2071', `the archive has format ${said['archive']}; this release knows up to ${ARCHIVE}`)
    const header = this.#read('archive', said, 'R2070')
    this.#link(cut, 'R2081', 'the first line')
    this.#header = header
  }

  #program({ program: hash, kind, source }: LineOf<'program'>, cut: CutLine): ArchivePart {
    const name = `the program ${hash.slice(0, 6)}`
    if (programHash(kind, source) !== hash) throw this.#fault('R2077', `${name} was changed`)
    if (this.#sources.has(hash)) throw this.#fault('R2076', `${name} stands here a second time`)
    this.#link(cut, 'R2081', name)
    this.#sources.set(hash, { kind, source, used: false })
    return { type: 'program', program: { hash, kind, source: JSON.stringify(source) } }
  }

  #blob({ blob: name, part, of, text }: LineOf<'blob'>, cut: CutLine): void {
    const short = name.slice(0, 8)
    const growing = this.#growing ?? { name, of, texts: [] }
    if (growing.name !== name || growing.of !== of || part !== growing.texts.length + 1 || part > of)
      throw this.#fault('R2079', `a part of ${growing.name.slice(0, 8)} is missing`)
    if (this.#fresh.has(name) || this.#blobs.has(name)) throw this.#fault('R2076', `the value ${short} stands here a second time`)
    growing.texts.push(text)
    this.#growing = growing
    if (part === of) {
      const whole = growing.texts.join('')
      if (createHash('sha256').update(whole, 'utf8').digest('hex') !== name) throw this.#fault('R2079', `the value ${short} was changed`)
      this.#fresh.set(name, whole)
      this.#growing = undefined
    }
    this.#link(cut, 'R2079', `the value ${short}`)
  }

  #record({ record: n, v, row }: LineOf<'record'>, cut: CutLine): ArchivePart {
    const record = this.#state.n + 1
    if (n < record) throw this.#fault('R2074', `record ${n} stands behind record ${record - 1}`, { record: n })
    if (v > FORMAT) throw this.#fault('R2071', `record ${n} has format ${v}; this release knows up to ${FORMAT}`, { record })
    const needed = this.#needed(row, n)
    // Whatever is missing says more than that the hash does not fit.
    if (needed.missing !== undefined) throw this.#fault('R2080', `record ${n} needs the value ${needed.missing.slice(0, 8)}`, { record })
    this.#pins(row, v, n)
    this.#link(cut, 'R2072', `record ${n}`, { record })
    if (this.#fresh.size > 0) throw this.#fault('R2076', `record ${n} does not need the value before it`, { record })
    this.#fold(this.#decoded(row, v, n), n)
    const size = cut.content.length + [...needed.blobs.values()].reduce((sum, { length }) => sum + length, 0)
    this.#blobs.forget()
    this.#compact(size)
    return { type: 'record', n, v, row, blobs: needed.blobs }
  }

  /** The large values of a record, which are remembered from then on. */
  #needed(row: readonly Json[], n: number): { readonly blobs: ReadonlyMap<string, string>; readonly missing: string | undefined } {
    const blobs = new Map<string, string>()
    for (const name of this.#soundly(n, () => blobsOf(`[${JSON.stringify(row)}]`))) {
      const fresh = this.#fresh.get(name)
      const text = fresh ?? this.#blobs.get(name)
      if (text === undefined) return { blobs, missing: name }
      blobs.set(name, text)
      if (fresh !== undefined) this.#blobs.add(name, fresh)
      this.#fresh.delete(name)
    }
    return { blobs, missing: undefined }
  }

  #decoded(row: readonly Json[], v: number, n: number): Rec {
    const read = (name: string): string => this.#blobs.get(name) ?? 'null'
    const [record] = this.#soundly(n, () => decodeBatch(v, `[${JSON.stringify(row)}]`, read, { run: this.header.run, first: n }))
    if (record === undefined) throw this.#fault('R2084', `record ${n} is empty`, { record: n })
    return record
  }

  /** Does something with a record that somebody else may have written: what it breaks is said of it. */
  #soundly<Result>(n: number, act: () => Result): Result {
    try {
      return act()
    } catch (cause) {
      if (isFault(cause) && cause.code !== 'R5003') throw cause
      throw this.#fault('R2084', `record ${n} cannot follow those before it`, { record: n, cause })
    }
  }

  #fold(record: Rec, n: number): void {
    const { start } = record.more ?? {}
    if ((start === undefined) === (n === 1))
      throw this.#fault('R2084', `record ${n} ${n === 1 ? 'starts no run' : 'starts a run anew'}`, { record: n })
    const { run, trace, program } = this.header
    if (start !== undefined && (start.run !== run || start.trace !== trace || JSON.stringify(start.pins[0]) !== JSON.stringify(program)))
      throw this.#fault(
        'R2084',
        `the records are those of ${String(start.run).slice(0, 80)}, and the first line says ${run.slice(0, 80)}`,
        { record: n },
      )
    for (const pin of pinsOf(record)) this.#learn(pin)
    if ([...this.#sources.values()].some(({ used }) => !used))
      throw this.#fault('R2076', `record ${n} does not need the program before it`, { record: n })
    this.#soundly(n, () => this.#state.apply(withoutValues(record)))
    this.#state.dropped.length = 0
  }

  /** The programs that a record is the first to use must stand before it. Whether it can be read is not the question here. */
  #pins(row: readonly Json[], v: number, n: number): void {
    let record: Rec
    try {
      record = this.#decoded(row, v, n)
    } catch {
      return
    }
    for (const [name, kind, , hash] of pinsOf(record))
      if (this.#sources.get(hash)?.kind !== kind) throw this.#fault('R2078', `record ${n} uses ${name}@${hash.slice(0, 6)}`, { record: n })
  }

  #learn(pin: Pin): void {
    const [name, kind, rev, hash] = pin
    const found = this.#sources.get(hash)
    if (found === undefined) return
    if (this.#kinds.kind(kind).rev < rev)
      throw kernelFaults.make('R5004', `line ${this.#line}: ${name} needs revision ${rev} of ${kind}`, {
        run: this.header.run,
        line: this.#line,
      })
    found.used = true
    if (this.#kinds.byHash(hash) === undefined) this.#kinds.restore(pin, found.source)
  }

  /** Of a long run only what can still be read is kept, as in a snapshot. */
  #compact(size: number): void {
    this.#sinceCompacted += size
    if (this.#sinceCompacted < COMPACTED) return
    this.#sinceCompacted = 0
    this.#state = loadState(dumpState(this.#state, (pin) => keepsHistory(this.#definitions, pin)))
    this.#definitions = new RunPrograms(this.#kinds, this.#state)
  }

  #message({ message: id, type, to, body, by, at }: LineOf<'message'>, cut: CutLine): ArchivePart {
    this.#link(cut, 'R2081', `the message ${id.slice(0, 40)}`)
    return { type: 'message', message: { id, type, to, body, at, ...(by === undefined ? {} : { by }) } }
  }

  #end({ end, lines }: LineOf<'end'>, cut: CutLine): void {
    const { n } = this.#state
    if (end > n) throw this.#fault('R2073', `the archive has ${end} records, and those after ${n} are missing`, { record: n + 1 })
    if (lines !== this.#line) throw this.#fault('R2081', `this should be line ${lines}: a line was added or taken away`)
    this.#link(cut, 'R2081', 'the last line')
    if (end !== n || n === 0) throw this.#fault('R2084', `the last line counts ${end} records, and there are ${n}`)
    if (this.#fresh.size > 0) throw this.#fault('R2076', 'no record needs the value before this line')
    this.#ended = true
    this.#blobs.forget(0)
    this.#check(cut)
  }

  #check({ signature, hash }: CutLine): void {
    if (signature !== undefined) this.#signed = true
    if (this.#secret === undefined) return
    if (signature === undefined) throw this.#fault('R2082', 'the archive is not signed')
    if (!isSignedBy(signature, hash, this.#secret)) throw this.#fault('R2083', 'the signature is not that of this secret')
  }
}

/** A record with all that it writes, but for the values: how a run stands does not depend on them. */
function withoutValues(record: Rec): Rec {
  const { writes, more } = record
  const blank = (flat: readonly Json[]): readonly Json[] => flat.map((item, i) => (i % 2 === 0 ? item : 0))
  return {
    ...record,
    writes: writes === undefined ? undefined : blank(writes),
    more:
      more === undefined
        ? undefined
        : {
            ...more,
            ...(more.root === undefined ? {} : { root: blank(more.root) }),
            ...(more.sub === undefined ? {} : { sub: more.sub.map(([id, flat]) => [id, blank(flat)] as const) }),
          },
  }
}

/** Something is wrong, and what it is depends on the lines after it. */
interface Late {
  /** What is wrong if this line follows, unless another one tells. */
  readonly more: (line: string) => Fault | undefined
  /** What is wrong if no line has told. */
  readonly end: Fault
}

/** The number of the record that a line holds by its looks, or 0. */
function recordOf(line: string): number {
  return Number(/^\{"record":(\d+),/.exec(line)?.[1] ?? 0)
}

/** Whether the kind of a program reads all that was ever written. */
function keepsHistory(definitions: RunPrograms, pin: number): boolean {
  return definitions.kind(definitions.program(pin).kind).board?.history === true
}

function parsed(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
