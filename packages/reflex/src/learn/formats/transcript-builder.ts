import type { Json } from '../../kernel/index.ts'
import { quote } from '../../text/index.ts'
import type { ImportReport } from './import-report.ts'
import type { Transcript, TranscriptCall, TranscriptTurn, TranscriptUsage } from './transcript.ts'

/** The most calls of one transcript. */
const MOST_CALLS = 100_000
/** The longest name of a tool. */
const LONGEST_NAME = 256

/** What is known of a reply when it begins. */
interface ReplyFacts {
  readonly usage?: TranscriptUsage
  /** Milliseconds since the epoch. */
  readonly at?: number | undefined
  readonly isInferred?: true
}

/** Collects one transcript in the order of its entries, and pairs calls with their results by their ids. */
export class TranscriptBuilder {
  readonly #report: ImportReport
  readonly #strands = new Map<string, TranscriptTurn[]>()
  readonly #open = new Map<string, { readonly call: TranscriptCall; readonly place: number }>()
  #calls = 0
  #started: number | undefined
  /** False once the transcript says that the session failed. */
  succeeded: boolean | undefined

  constructor(report: ImportReport) {
    this.#report = report
  }

  /** Notes the time of an entry: the first one is that of the transcript. */
  time(at: number | undefined): void {
    if (at !== undefined && (this.#started === undefined || at < this.#started)) this.#started = at
  }

  user(text: string, strand = ''): void {
    if (text.trim() !== '') this.#turns(strand).push({ type: 'user', text })
  }

  /** Begins a reply of the model: the following calls of the strand are its calls. */
  reply({ usage = {}, at, isInferred }: ReplyFacts = {}, strand = ''): void {
    this.#turns(strand).push({ type: 'reply', usage, calls: [], text: '', at, ...(isInferred === undefined ? {} : { isInferred }) })
  }

  /** Adds text to the last reply. */
  said(text: string, strand = ''): void {
    const turn = this.#turns(strand).at(-1)
    if (turn?.type === 'reply' && text !== '') turn.text = turn.text === '' ? text : `${turn.text}\n${text}`
  }

  /** Adds a call to the last reply. `id` pairs it with its result. */
  call(
    call: { readonly id: string; readonly tool: string; readonly args: Json; readonly place: number; readonly at?: number | undefined },
    strand = '',
  ): void {
    const { id, tool, args, place, at } = call
    if (tool === '' || tool.length > LONGEST_NAME) {
      this.#report.leftOut('the name of a tool is empty or longer than 256 characters', place)
      return
    }
    if (++this.#calls > MOST_CALLS) {
      if (this.#calls === MOST_CALLS + 1) this.#report.leftOut('a transcript has at most 100000 calls; the others are left out', place)
      return
    }
    const turns = this.#turns(strand)
    if (turns.at(-1)?.type !== 'reply') this.reply({}, strand)
    const turn = turns.at(-1)
    if (turn?.type !== 'reply') return
    const made: TranscriptCall = { tool, args, at, isAnswered: false, result: null, ok: 2, ms: 0 }
    const before = this.#open.get(id)
    if (before !== undefined)
      this.#report.withoutPartner(`the call of ${quote(before.call.tool)} has no result: its id occurs again`, before.place)
    turn.calls.push(made)
    this.#open.set(id, { call: made, place })
  }

  /** True if a call with this id has no result yet. */
  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  get openCalls(): number {
    return this.#open.size
  }

  result(id: string, result: Json, ok: 0 | 1 | 2, place: number, at?: number): void {
    const call = this.#open.get(id)?.call
    if (call === undefined) {
      this.#report.withoutPartner(`the result ${quote(id.slice(0, 80))} has no call before it`, place)
      return
    }
    this.#open.delete(id)
    const ms = call.at === undefined || at === undefined ? 0 : Math.max(0, at - call.at)
    Object.assign(call, { isAnswered: true, result, ok, ms })
  }

  /** Returns the transcript, and reports calls without a result. */
  end(): Transcript {
    for (const { call, place } of this.#open.values()) this.#report.withoutPartner(`the call of ${quote(call.tool)} has no result`, place)
    this.#open.clear()
    const strands = [...this.#strands].map(([name, turns]) => ({ name, turns }))
    return { strands, started: this.#started, succeeded: this.succeeded }
  }

  #turns(strand: string): TranscriptTurn[] {
    const known = this.#strands.get(strand)
    if (known !== undefined) return known
    const made: TranscriptTurn[] = []
    this.#strands.set(strand, made)
    return made
  }
}
