import { PRINT_BYTES } from './limits.ts'

/** The lines that a script has printed. Those above the limit are counted and dropped. */
export class Printed {
  readonly #lines: string[] = []
  #size = 0
  #dropped = 0

  add(line: string): void {
    this.#size += line.length + 1
    if (this.#size > PRINT_BYTES) this.#dropped++
    else this.#lines.push(line)
  }

  get lines(): readonly string[] {
    return this.#dropped === 0 ? this.#lines : [...this.#lines, `… ${this.#dropped} more lines are not kept`]
  }
}
