import type { Fault, FaultDetails } from '../../../kernel/journal/fault.ts'
import { Source } from '../../../text/source.ts'
import { dotFaults } from './faults.ts'

type DotCode = Parameters<typeof dotFaults.make>[0]

/** What is wrong with a stretch of the text. */
export interface Slip {
  readonly code: DotCode
  readonly from: number
  readonly to: number
  readonly message: string
  /** What to do, in few words. */
  readonly fix?: string | undefined
  readonly severity?: 'error' | undefined
}

/** More than anybody reads; the last one counts the rest. */
const MOST_SLIPS = 1000

const RULES: Readonly<Record<DotCode, string>> = {
  R1100: 'dot_syntax',
  R1101: 'dot_unterminated',
  R1102: 'dot_unsupported',
  R1103: 'dot_identifier',
  R1104: 'duplicate_attr',
  R1105: 'missing_comma',
}

/** The slips of one text; places are worked out only for those that are reported. */
export class Slips {
  readonly #slips: Slip[] = []
  #more = 0

  add(slip: Slip): void {
    if (this.#slips.length < MOST_SLIPS) this.#slips.push(slip)
    else this.#more++
  }

  /** As faults, in the order of the text; of what cannot be read, each line shows its first alone. */
  faults(source: string, file: string | undefined): Fault[] {
    if (this.#slips.length === 0) return []
    const place = new Source(source, file)
    const sorted = this.#slips.toSorted((one, other) => one.from - other.from)
    let line = 0
    let last: Slip | undefined
    const faults: Fault[] = []
    for (const slip of sorted) {
      if (slip.from === last?.from && slip.code === last.code) continue
      last = slip
      const details = place.details(slip.from, slip.to - slip.from)
      if (slip.code === 'R1100' && details.line === line) continue
      if (isError(slip)) line = details.line ?? 0
      faults.push(fault(slip, details))
    }
    if (this.#more > 0 && last !== undefined) {
      const message = `the text has ${this.#more} further mistakes, which are not shown`
      faults.push(fault({ code: 'R1100', from: last.from, to: last.to, message }, place.details(last.from, last.to - last.from)))
    }
    return faults
  }
}

function fault(slip: Slip, details: FaultDetails): Fault {
  const { fix, severity } = slip
  return dotFaults.make(slip.code, slip.message, {
    rule: RULES[slip.code],
    ...details,
    ...(fix === undefined ? {} : { fix }),
    ...(severity === undefined ? {} : { severity }),
  })
}

function isError(slip: Slip): boolean {
  return slip.severity === 'error' || (slip.code !== 'R1104' && slip.code !== 'R1105')
}
