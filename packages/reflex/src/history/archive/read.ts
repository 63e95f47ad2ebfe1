import { IncomingBlobs } from './blobs.ts'
import { historyFaults } from '../faults.ts'
import { ArchiveFold } from './fold.ts'
import { isDeep, isTooLarge, parseContent, recordNumberOf, valueSize } from './bounds.ts'
import { checkRecord } from './record-shape.ts'
import { ARCHIVE, type ArchiveSecret, Chain, type SplitLine, splitLine, isSignedBy, type LineOf, LINES, type LineType } from './format.ts'
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

/** A part of an archive that is valid as far as the archive has been read. */
export type ArchivePart =
  | { readonly type: 'program'; readonly program: StoredProgram }
  | {
      readonly type: 'record'
      readonly n: number
      readonly v: number
      readonly row: readonly Json[]
      readonly blobs: ReadonlyMap<string, string>
    }
  /** A sealed segment ends with the record before it. */
  | { readonly type: 'seal'; readonly at: number }
  /** The run begins with the state after a record. `archive` has the records before. */
  | { readonly type: 'opening'; readonly at: number; readonly chain: number; readonly archive?: string }
  | { readonly type: 'message'; readonly message: Message }

type Code = keyof typeof historyFaults.entries
type Lines = Iterable<string> | AsyncIterable<string>

/**
 * Reads an archive line by line, checks everything that can be checked, and folds the records. The archive is valid only after `parts` has
 * ended: a later line can still be invalid.
 */
export class ArchiveReader {
  readonly #kinds: Programs
  readonly #secret: ArchiveSecret | undefined
  readonly #chain = new Chain()
  readonly #blobs = new IncomingBlobs()
  /** The ids of messages and the waits that they answer. A store accepts each only once. */
  readonly #messageKeys = new Set<string>()
  #header: LineOf<'archive'> | undefined
  #fold: ArchiveFold | undefined
  /** The number of the current segment, and the record before its first one. */
  #segmentNumber = 1
  #segmentOpens = 0
  #hasRecord = false
  #ended = false
  #signed: boolean | undefined

  /** Adds the programs of the archive to `kinds`, by their hashes. */
  constructor(kinds: Programs, secret: ArchiveSecret | undefined) {
    this.#kinds = kinds
    this.#secret = secret
  }

  /** The first line; known after the first part. */
  get header(): LineOf<'archive'> {
    if (this.#header === undefined) throw this.#fault('R2070', 'the file is empty')
    return this.#header
  }

  /** The last record of a part of a run; undefined for a whole run. */
  get through(): number | undefined {
    return this.header.archive === 1 ? undefined : this.header.through
  }

  /** The run so far. */
  get fold(): ArchiveFold {
    if (this.#fold === undefined) throw this.#fault('R2070', 'the file is empty')
    return this.#fold
  }

  /** The number of records so far. */
  get records(): number {
    return this.#fold?.state.n ?? 0
  }

  /** The hash of all lines after they are read; a signature signs it. */
  get head(): string {
    return this.#chain.head
  }

  /** `checked` with the secret; `unchecked` without a secret. */
  get signature(): 'checked' | 'unchecked' | 'none' {
    return this.#signed === undefined ? 'none' : this.#secret === undefined ? 'unchecked' : 'checked'
  }

  /**
   * Returns every part, in order. Throws `R2070` to `R2084` with the number of the line, `R2011` for a kind that is not here, and `R5004`
   * for a kind with an older revision here.
   */
  async *parts(lines: Lines): AsyncGenerator<ArchivePart> {
    let pending: PendingFault | undefined
    for await (const line of lines) {
      const fault = pending?.afterLine(line)
      if (fault !== undefined) throw fault
      if (pending !== undefined) continue
      const cut = splitLine(line)
      pending = this.#ended ? undefined : (this.#earlyRecord(line) ?? (cut === undefined ? this.#unreadableLine(line) : undefined))
      if (pending !== undefined) continue
      const part = this.#readLine(line, cut)
      // The records that follow use the program.
      if (part?.type === 'program') await this.#kinds.load(part.program.kind)
      if (part !== undefined) yield part
    }
    if (pending !== undefined) throw pending.atEnd
    if (this.#chain.lines === 0) throw this.#fault('R2070', 'the file is empty')
    if (!this.#ended) throw this.#fault('R2075', `the archive ends after ${this.records} records, without its last line`)
  }

  get #lineNumber(): number {
    return this.#chain.lines + 1
  }

  #fault(code: Code, message: string, options: { readonly record?: number; readonly cause?: unknown } = {}): Fault {
    const { record, ...details } = options
    const entry: CatalogueEntry = historyFaults.entries[code]
    return historyFaults.make(code, `line ${this.#lineNumber}: ${message}`, {
      line: this.#lineNumber,
      fix: entry.fix,
      ...details,
      ...(this.#header === undefined ? {} : { run: this.#header.run }),
      ...(record === undefined ? {} : { data: { record } }),
    })
  }

  /**
   * Returns the faults for a record with a number that is too high. Only the later lines show if the expected record was moved or is
   * missing.
   */
  #earlyRecord(line: string): PendingFault | undefined {
    const found = recordNumberOf(line)
    const record = this.records + 1
    if (this.#header === undefined || found <= record) return undefined
    const moved = this.#fault('R2074', `record ${found} comes before record ${record}`, { record: found })
    return {
      afterLine: (later) => (recordNumberOf(later) === record ? moved : undefined),
      atEnd: this.#fault('R2073', `record ${record} is missing; record ${found} is in its place`, { record }),
    }
  }

  /**
   * Returns the faults for a line without a valid end. It was changed, or cut if it is the last line. A last line that begins and ends with
   * its braces is not cut.
   */
  #unreadableLine(line: string): PendingFault {
    const garbled = this.#garbledFault(line)
    const isWhole = this.#header === undefined || (line.startsWith('{"end":') && line.endsWith('}'))
    return {
      atEnd: isWhole ? garbled : this.#fault('R2075', 'the line is incomplete'),
      afterLine: (later) => (later.trim() === '' ? undefined : garbled),
    }
  }

  #garbledFault(line: string): Fault {
    const record = recordNumberOf(line)
    if (this.#header === undefined) return this.#fault('R2070', 'this is not a line of an archive')
    if (record > 0) return this.#fault('R2072', `record ${record} cannot be read`, { record })
    if (line.startsWith('{"program"')) return this.#fault('R2077', 'a program cannot be read')
    if (line.startsWith('{"blob"')) return this.#fault('R2079', 'a value cannot be read')
    return this.#fault('R2081', 'the line cannot be read')
  }

  #readLine(line: string, cut: SplitLine | undefined): ArchivePart | undefined {
    if (this.#ended) {
      if (line.trim() === '') return undefined
      throw this.#fault('R2076', 'the archive has ended before this line')
    }
    const content = cut === undefined ? undefined : parseContent(cut.content)
    if (cut === undefined || content === undefined) throw this.#unreadableLine(line).afterLine(line) ?? this.#unreadableLine(line).atEnd
    const part = this.#readContent(content, cut)
    this.#chain.advance(cut.hash)
    return part
  }

  #readContent(content: Readonly<Record<string, unknown>>, cut: SplitLine): ArchivePart | undefined {
    const [type] = Object.keys(content)
    if (this.#header === undefined) {
      if (type !== 'archive') throw this.#fault('R2070', 'the first line is not the header of an archive')
      this.#readHeader(content, cut)
      return undefined
    }
    const unfinished = this.#blobs.unfinishedName
    if (unfinished !== undefined && type !== 'blob') throw this.#fault('R2079', `a part of ${unfinished.slice(0, 8)} is missing`)
    switch (type) {
      case 'program':
        return this.#program(this.#parse('program', content, 'R2077'), cut)
      case 'blob':
        this.#blob(this.#parse('blob', content, 'R2079'), cut)
        return undefined
      case 'record':
        return this.#record(this.#parse('record', content, 'R2072'), cut)
      case 'segment':
        return this.#segment(this.#parse('segment', content, 'R2141'), cut)
      case 'message':
        return this.#message(this.#parse('message', content, 'R2081'), cut)
      case 'end':
        this.#end(this.#parse('end', content, 'R2081'), cut)
        return undefined
      default:
        throw this.#fault('R2076', `unknown line that begins with ${JSON.stringify(type?.slice(0, 40) ?? '')}`)
    }
  }

  #parse<Type extends LineType>(type: Type, content: unknown, code: Code): LineOf<Type> {
    const { success, data, error } = LINES[type].safeParse(content)
    if (success) return data as LineOf<Type>
    throw this.#fault(code, `this is not a valid line of the type ${type}`, { cause: error })
  }

  /** Requires that a line has the hash of the chain. */
  #link({ content, hash, signature }: SplitLine, code: Code, what: string, details: { readonly record?: number } = {}): void {
    if (this.#chain.nextHash(content) !== hash) throw this.#fault(code, `${what} was changed, or the line before it is missing`, details)
    if (signature !== undefined && !content.startsWith('{"end":')) throw this.#fault('R2076', 'only the last line of an archive is signed')
  }

  #readHeader(content: Readonly<Record<string, unknown>>, cut: SplitLine): void {
    if (typeof content['archive'] === 'number' && content['archive'] > ARCHIVE)
      throw this.#fault('R2071', `the archive has format ${content['archive']}; this release knows up to ${ARCHIVE}`)
    const header = this.#parse('archive', content, 'R2070')
    this.#link(cut, 'R2081', 'the first line')
    this.#header = header
    this.#fold = new ArchiveFold(this.#kinds, header)
  }

  #program({ program: hash, kind, source }: LineOf<'program'>, cut: SplitLine): ArchivePart {
    const name = `the program ${hash.slice(0, 6)}`
    if (programHash(kind, source) !== hash) throw this.#fault('R2077', `${name} was changed`)
    if (this.fold.hasProgram(hash)) throw this.#fault('R2076', `${name} occurs here a second time`)
    this.#link(cut, 'R2081', name)
    this.fold.addProgram(hash, kind, source)
    return { type: 'program', program: { hash, kind, source: JSON.stringify(source) } }
  }

  #blob(line: LineOf<'blob'>, cut: SplitLine): void {
    const what = `the value ${line.blob.slice(0, 8)}`
    const problem = this.#blobs.addPart(line)
    if (problem === 'missing') throw this.#fault('R2079', `a part of ${what} is missing`)
    if (problem === 'twice') throw this.#fault('R2076', `${what} occurs here a second time`)
    if (problem === 'changed') throw this.#fault('R2079', `${what} was changed`)
    this.#link(cut, 'R2079', what)
  }

  #record({ record: n, v, row }: LineOf<'record'>, cut: SplitLine): ArchivePart {
    const record = this.records + 1
    if (n < record) throw this.#fault('R2074', `record ${n} comes after record ${record - 1}`, { record: n })
    if (v > FORMAT) throw this.#fault('R2071', `record ${n} has format ${v}; this release knows up to ${FORMAT}`, { record })
    const blobs = this.#blobs.resolve(this.#attempt(n, () => blobsOf(`[${JSON.stringify(row)}]`)))
    // A missing value explains more than a wrong hash.
    if ('missing' in blobs) throw this.#fault('R2080', `record ${n} needs the value ${blobs.missing.slice(0, 8)}`, { record })
    const decoded = isTooLarge(row, blobs) ? { broken: new TypeError('it is larger than a record can be') } : this.#decode(row, v, n)
    if ('missing' in decoded)
      throw this.#fault('R2078', `record ${n} uses ${decoded.missing[0]}@${decoded.missing[3].slice(0, 6)}`, { record })
    this.#link(cut, 'R2072', `record ${n}`, { record })
    if (this.#blobs.hasUnused) throw this.#fault('R2076', `record ${n} does not need the value before it`, { record })
    const size = cut.content.length + valueSize(row, blobs)
    const problem = this.#attempt(n, () => {
      if ('broken' in decoded) throw decoded.broken
      return this.fold.add(decoded.record, size)
    })
    if (problem !== undefined) throw this.#fault(...RECORD_PROBLEMS[problem](n), { record })
    this.#blobs.forget()
    this.#hasRecord = true
    return { type: 'record', n, v, row, blobs }
  }

  /** Runs work on a record that another program can have written. A failure is reported as a fault of the record. */
  #attempt<Result>(n: number, work: () => Result): Result {
    try {
      return work()
    } catch (cause) {
      if (isFault(cause) && cause.code !== 'R5003') throw cause
      throw this.#fault('R2084', `record ${n} cannot follow the records before it`, { record: n, cause })
    }
  }

  /**
   * Returns a record, or the first program that it uses and no earlier line holds. A record that cannot be decoded can still be one that
   * was changed, so its failure is returned.
   */
  #decode(row: readonly Json[], v: number, n: number): { readonly record: Rec } | { readonly missing: Pin } | { readonly broken: unknown } {
    try {
      const read = (name: string): string => this.#blobs.get(name) ?? 'null'
      const [decoded] = decodeBatch(v, `[${JSON.stringify(row)}]`, read, { run: this.header.run, first: n })
      if (decoded === undefined || isDeep(decoded)) return { broken: new TypeError('it is empty or nested too deeply') }
      const record = checkRecord(decoded)
      const missing = this.fold.missingProgram(record)
      return missing === undefined ? { record } : { missing }
    } catch (broken) {
      return { broken }
    }
  }

  #segment(line: LineOf<'segment'>, cut: SplitLine): ArchivePart {
    const { segment, at } = line
    const name = `the line of segment ${segment}`
    const isOpening = 'snapshot' in line
    const snapshot = isOpening ? this.#blobs.resolve([line.snapshot]) : new Map<string, string>()
    if ('missing' in snapshot) throw this.#fault('R2080', `${name} needs the value ${snapshot.missing.slice(0, 8)}`)
    this.#link(cut, 'R2141', name)
    if (this.header.archive === 1) throw this.#fault('R2076', 'an archive of format 1 has no segments')
    if (this.#blobs.hasUnused) throw this.#fault('R2076', `${name} does not need the value before it`)
    if (isOpening !== (this.records === 0))
      throw this.#fault('R2142', `${name} ${isOpening ? 'comes after records' : 'comes before any record'}`)
    if (isOpening) this.#open(line.snapshot, snapshot, at)
    else this.#seal(line)
    this.#segmentNumber = segment
    this.#segmentOpens = at
    this.#blobs.forget()
    if (!isOpening) return { type: 'seal', at }
    const { chain = 0, archive } = line
    return { type: 'opening', at, chain, ...(archive === undefined ? {} : { archive }) }
  }

  #seal({ segment, at }: LineOf<'segment'>): void {
    const [current, last] = [this.#segmentNumber, this.records]
    if (segment === current) throw this.#fault('R2142', `the line of segment ${segment} occurs here a second time`)
    if (segment !== current + 1 || at !== last)
      throw this.#fault('R2142', `segment ${segment} begins after record ${at}, but segment ${current} ends here with record ${last}`)
    if (at === this.#segmentOpens)
      throw this.#fault('R2142', `segment ${segment} begins after record ${at}, as segment ${current} does, which has no records`)
    this.#attempt(at, () => this.fold.seal())
  }

  #open(name: string, values: ReadonlyMap<string, string>, at: number): void {
    try {
      const problem = this.fold.open(values.get(name) ?? '', at)
      if (problem === undefined) return
      if (problem === 'a stray program') throw this.#fault('R2076', 'the state does not need the program before it')
      throw this.#fault('R2143', `the state is not that of this run after record ${at}`)
    } catch (cause) {
      if (isFault(cause) && cause.code !== 'R5003') throw cause
      throw this.#fault('R2143', `the state after record ${at} cannot be read`, { cause })
    }
  }

  #message({ message: id, type, to, body, by, reason, at }: LineOf<'message'>, cut: SplitLine): ArchivePart {
    this.#link(cut, 'R2081', `the message ${id.slice(0, 40)}`)
    for (const name of type === 'answer' ? [`id ${id}`, `answer ${to}`] : [`id ${id}`]) {
      if (this.#messageKeys.has(name)) throw this.#fault('R2076', `the message ${id.slice(0, 40)} repeats an earlier message`)
      this.#messageKeys.add(name)
    }
    return {
      type: 'message',
      message: { id, type, to, body, at, ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) },
    }
  }

  #end({ end, lines }: LineOf<'end'>, cut: SplitLine): void {
    const n = this.records
    if (end > n)
      throw this.#fault('R2073', `the archive must have ${end} records, but the records after ${n} are missing`, { record: n + 1 })
    if (lines !== this.#lineNumber) throw this.#fault('R2081', `this must be line ${lines}: a line was added or removed`)
    this.#link(cut, 'R2081', 'the last line')
    if (end !== n || !this.#hasRecord) throw this.#fault('R2084', `the last line counts ${end} records, but there are ${n}`)
    if (this.through !== undefined && this.through !== n) throw this.#fault('R2084', `the part ends with record ${this.through}, not ${n}`)
    if (this.#blobs.hasUnused) throw this.#fault('R2076', 'no record needs the value before this line')
    this.#attempt(n, () => this.fold.summary())
    this.#ended = true
    this.#blobs.forget(0)
    this.#check(cut)
  }

  #check({ signature, hash }: SplitLine): void {
    if (signature !== undefined) this.#signed = true
    if (this.#secret === undefined) return
    if (signature === undefined) throw this.#fault('R2082', 'the archive is not signed')
    if (!isSignedBy(signature, hash, this.#secret)) throw this.#fault('R2083', 'the signature was not made with this secret')
  }
}

const RECORD_PROBLEMS: Readonly<Record<NonNullable<ReturnType<ArchiveFold['add']>>, (n: number) => readonly [Code, string]>> = {
  'a start': (n) => ['R2084', `record ${n} ${n === 1 ? 'does not start a run' : 'starts the run a second time'}`],
  'another run': (n) => ['R2084', `record ${n} starts another run than the first line names`],
  'a stray program': (n) => ['R2076', `record ${n} does not need the program before it`],
}

/** A fault that depends on the lines after it. */
interface PendingFault {
  /** Returns the fault if this line follows and decides it. */
  readonly afterLine: (line: string) => Fault | undefined
  /** The fault if no later line decides it. */
  readonly atEnd: Fault
}
