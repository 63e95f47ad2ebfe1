import type { Fault } from '../../kernel/index.ts'
import { faults } from '../shapes/faults.ts'

/** The most findings of one file. */
const MOST = 100
/** The most characters that a message quotes. */
const LONGEST = 200

/** Collects the findings of one file: at most 100, and then how many more there are. */
export class ImportReport {
  readonly file: string
  readonly #findings: Fault[] = []
  #more = 0
  #unpaired = 0

  constructor(file: string) {
    this.file = file
  }

  /** The number of calls and results without a partner. */
  get unpaired(): number {
    return this.#unpaired
  }

  /** The file, or a conversation in it, cannot be read. */
  unreadable(message: string, line?: number, fix?: string): void {
    this.#add('R1488', message, 'error', line, fix)
  }

  /** A part is left out; the rest is imported. */
  leftOut(message: string, line: number): void {
    this.#add('R1489', message, 'warning', line)
  }

  withoutPartner(message: string, line: number): void {
    this.#unpaired++
    this.#add('R1498', message, 'warning', line)
  }

  /** A conversation was read, and its run could not be stored. */
  notStored(message: string, line: number): void {
    this.#add('R2166', message, 'error', line)
  }

  findings(): readonly Fault[] {
    if (this.#more === 0) return this.#findings
    const text = `${this.file}: there are ${this.#more} more findings`
    return [...this.#findings, faults.finding('R1489', text, { file: this.file, severity: 'warning' })]
  }

  #add(code: 'R1488' | 'R1489' | 'R1498' | 'R2166', message: string, severity: 'error' | 'warning', line?: number, fix?: string): void {
    if (this.#findings.length >= MOST) {
      this.#more++
      return
    }
    const place = line === undefined ? {} : { line, column: 1 }
    const text = message.length <= LONGEST ? message : `${message.slice(0, LONGEST)}…`
    this.#findings.push(faults.finding(code, text, { file: this.file, severity, ...place, ...(fix === undefined ? {} : { fix }) }))
  }
}
