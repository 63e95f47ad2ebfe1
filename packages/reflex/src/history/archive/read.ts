import { IncomingBlobs } from './blobs.ts'
import { historyFaults } from '../faults.ts'
import { ArchiveFold } from './fold.ts'
import { isDeep, isTooLarge, parsed, recordOf } from './bounds.ts'
import { shapedRecord } from './shape.ts'
import { ARCHIVE, type ArchiveSecret, Chain, type CutLine, cutLine, isSignedBy, type LineOf, LINES, type LineType } from './format.ts'
import {
  blobsOf,
  type CatalogueEntry,
  decodeBatch,
  type Fault,
  FORMAT,
  isFault,
  type Json,
  type Message,
  type Pin,
  programHash,
  type Programs,
  type Rec,
  type StoredProgram,
} from '../../kernel/index.ts'

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

type Code = keyof typeof historyFaults.entries
type Lines = Iterable<string> | AsyncIterable<string>

/**
 * Reads an archive line by line, checks everything that can be checked, and folds the records. Nothing is certain before
 * `parts` has ended: whoever stores anything earlier stores what may be wrong further on.
 */
export class ArchiveReader {
  readonly #kinds: Programs
  readonly #secret: ArchiveSecret | undefined
  readonly #chain = new Chain()
  readonly #blobs = new IncomingBlobs()
  /** The names of the messages, and the waits that they answer: a store has each once. */
  readonly #told = new Set<string>()
  #header: LineOf<'archive'> | undefined
  #fold: ArchiveFold | undefined
  #ended = false
  #signed: boolean | undefined

  /** `kinds` is changed: programs of the archive become known to it by their hashes. */
  constructor(kinds: Programs, secret: ArchiveSecret | undefined) {
    this.#kinds = kinds
    this.#secret = secret
  }

  /** The first line; known once the first part is. */
  get header(): LineOf<'archive'> {
    if (this.#header === undefined) throw this.#fault('R2070', 'the file is empty')
    return this.#header
  }

  /** The run so far. */
  get fold(): ArchiveFold {
    if (this.#fold === undefined) throw this.#fault('R2070', 'the file is empty')
    return this.#fold
  }

  /** How many records it has so far. */
  get records(): number {
    return this.#fold?.state.n ?? 0
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
    if (!this.#ended) throw this.#fault('R2075', `the archive ends after ${this.records} records, without its last line`)
  }

  get #line(): number {
    return this.#chain.lines + 1
  }

  #fault(code: Code, message: string, more: { readonly record?: number; readonly cause?: unknown } = {}): Fault {
    const { record, ...details } = more
    const entry: CatalogueEntry = historyFaults.entries[code]
    return historyFaults.make(code, `line ${this.#line}: ${message}`, {
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
    const record = this.records + 1
    if (this.#header === undefined || found <= record) return undefined
    const moved = this.#fault('R2074', `record ${found} stands before record ${record}`, { record: found })
    return {
      more: (later) => (recordOf(later) === record ? moved : undefined),
      end: this.#fault('R2073', `record ${found} stands where record ${record} should, which is missing`, { record }),
    }
  }

  /** A line that does not end as it should: changed, or cut if it is the last. One that counts has no braces but its own: with both of them it is whole. */
  #unreadable(line: string): Late {
    const garbled = this.#garbled(line)
    const isWhole = this.#header === undefined || (line.startsWith('{"end":') && line.endsWith('}'))
    return {
      end: isWhole ? garbled : this.#fault('R2075', 'the line is cut'),
      more: (later) => (later.trim() === '' ? undefined : garbled),
    }
  }

  #garbled(line: string): Fault {
    const record = recordOf(line)
    if (this.#header === undefined) return this.#fault('R2070', 'this is no line of an archive')
    if (record > 0) return this.#fault('R2072', `record ${record} cannot be read`, { record })
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
    const unfinished = this.#blobs.unfinished
    if (unfinished !== undefined && type !== 'blob') throw this.#fault('R2079', `a part of ${unfinished.slice(0, 8)} is missing`)
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
    throw this.#fault(code, `this is not what a line of the type ${type} says`, { cause: error })
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
    this.#fold = new ArchiveFold(this.#kinds, header)
  }

  #program({ program: hash, kind, source }: LineOf<'program'>, cut: CutLine): ArchivePart {
    const name = `the program ${hash.slice(0, 6)}`
    if (programHash(kind, source) !== hash) throw this.#fault('R2077', `${name} was changed`)
    if (this.fold.hasProgram(hash)) throw this.#fault('R2076', `${name} stands here a second time`)
    this.#link(cut, 'R2081', name)
    this.fold.addProgram(hash, kind, source)
    return { type: 'program', program: { hash, kind, source: JSON.stringify(source) } }
  }

  #blob(line: LineOf<'blob'>, cut: CutLine): void {
    const what = `the value ${line.blob.slice(0, 8)}`
    const wrong = this.#blobs.take(line)
    if (wrong === 'missing') throw this.#fault('R2079', `a part of ${what} is missing`)
    if (wrong === 'twice') throw this.#fault('R2076', `${what} stands here a second time`)
    if (wrong === 'changed') throw this.#fault('R2079', `${what} was changed`)
    this.#link(cut, 'R2079', what)
  }

  #record({ record: n, v, row }: LineOf<'record'>, cut: CutLine): ArchivePart {
    const record = this.records + 1
    if (n < record) throw this.#fault('R2074', `record ${n} stands behind record ${record - 1}`, { record: n })
    if (v > FORMAT) throw this.#fault('R2071', `record ${n} has format ${v}; this release knows up to ${FORMAT}`, { record })
    const blobs = this.#blobs.need(this.#soundly(n, () => blobsOf(`[${JSON.stringify(row)}]`)))
    // Whatever is missing says more than that the hash does not fit.
    if ('missing' in blobs) throw this.#fault('R2080', `record ${n} needs the value ${blobs.missing.slice(0, 8)}`, { record })
    const decoded = isTooLarge(row, blobs) ? { broken: new TypeError('it holds more than a record can') } : this.#decode(row, v, n)
    if ('missing' in decoded)
      throw this.#fault('R2078', `record ${n} uses ${decoded.missing[0]}@${decoded.missing[3].slice(0, 6)}`, { record })
    this.#link(cut, 'R2072', `record ${n}`, { record })
    if (this.#blobs.waiting) throw this.#fault('R2076', `record ${n} does not need the value before it`, { record })
    const size = cut.content.length + [...blobs.values()].reduce((sum, { length }) => sum + length, 0)
    const wrong = this.#soundly(n, () => {
      if ('broken' in decoded) throw decoded.broken
      return this.fold.add(decoded.record, size)
    })
    if (wrong !== undefined) throw this.#fault(...WRONG[wrong](n), { record })
    this.#blobs.forget()
    return { type: 'record', n, v, row, blobs }
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

  /** A record, or the first program that it uses and no line before it holds. One that cannot be read may still be one that was changed. */
  #decode(row: readonly Json[], v: number, n: number): { readonly record: Rec } | { readonly missing: Pin } | { readonly broken: unknown } {
    try {
      const read = (name: string): string => this.#blobs.get(name) ?? 'null'
      const [decoded] = decodeBatch(v, `[${JSON.stringify(row)}]`, read, { run: this.header.run, first: n })
      if (decoded === undefined || isDeep(decoded)) return { broken: new TypeError('it has no parts, or parts within parts without end') }
      const record = shapedRecord(decoded)
      const missing = this.fold.missing(record)
      return missing === undefined ? { record } : { missing }
    } catch (broken) {
      return { broken }
    }
  }

  #message({ message: id, type, to, body, by, at }: LineOf<'message'>, cut: CutLine): ArchivePart {
    this.#link(cut, 'R2081', `the message ${id.slice(0, 40)}`)
    for (const name of type === 'answer' ? [`id ${id}`, `answer ${to}`] : [`id ${id}`]) {
      if (this.#told.has(name)) throw this.#fault('R2076', `the message ${id.slice(0, 40)} says again what another one has said`)
      this.#told.add(name)
    }
    return { type: 'message', message: { id, type, to, body, at, ...(by === undefined ? {} : { by }) } }
  }

  #end({ end, lines }: LineOf<'end'>, cut: CutLine): void {
    const n = this.records
    if (end > n) throw this.#fault('R2073', `the archive has ${end} records, and those after ${n} are missing`, { record: n + 1 })
    if (lines !== this.#line) throw this.#fault('R2081', `this should be line ${lines}: a line was added or taken away`)
    this.#link(cut, 'R2081', 'the last line')
    if (end !== n || n === 0) throw this.#fault('R2084', `the last line counts ${end} records, and there are ${n}`)
    if (this.#blobs.waiting) throw this.#fault('R2076', 'no record needs the value before this line')
    this.#soundly(n, () => this.fold.summary())
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

const WRONG: Readonly<Record<NonNullable<ReturnType<ArchiveFold['add']>>, (n: number) => readonly [Code, string]>> = {
  'a start': (n) => ['R2084', `record ${n} ${n === 1 ? 'starts no run' : 'starts a run anew'}`],
  'another run': (n) => ['R2084', `record ${n} starts another run than the first line says`],
  'a stray program': (n) => ['R2076', `record ${n} does not need the program before it`],
}

/** Something is wrong, and what it is depends on the lines after it. */
interface Late {
  /** What is wrong if this line follows, unless another one tells. */
  readonly more: (line: string) => Fault | undefined
  /** What is wrong if no line has told. */
  readonly end: Fault
}
