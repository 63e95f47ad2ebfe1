import { readDuration } from '../agents/duration.ts'
import type { RunStatus } from '../kernel/index.ts'
import { faults } from '../runs/faults.ts'
import { suggest } from '../text/index.ts'
import type { CommonFlags } from './options.ts'

/** The flags that choose runs. */
export interface FilterFlags extends CommonFlags {
  readonly status?: string
  readonly limit?: string
  readonly since?: string
  readonly until?: string
  readonly kind?: string
  readonly program?: string
  readonly after?: string
}

/** Reads `--status`: several with commas. Throws `R2031` for a status that is not one of `known`. */
export function statusesOf<Status extends RunStatus>(wanted: string | undefined, known: readonly Status[]): readonly Status[] | undefined {
  return wanted?.split(',').map((word) => {
    const status = known.find((one) => one === word.trim().toLowerCase())
    if (status !== undefined) return status
    const guess = suggest(word, known)
    throw faults.make('R2031', `there is no status ${JSON.stringify(word)}${guess === undefined ? '' : `; did you mean "${guess}"?`}`, {
      fix: `write one of ${known.join(', ')}`,
    })
  })
}

/** Reads `--limit`. Throws `R2031`. */
export function limitOf(wanted: string | undefined, usual: number): number {
  if (wanted === undefined) return usual
  const limit = Number(wanted)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw faults.make('R2031', `--limit ${wanted} is not a whole number above 0`, { fix: 'write --limit 20' })
}

/** Reads a time: a duration before now, or a date. Throws `R2031`. */
export function timeOf(flag: string, wanted: string | undefined, now: number): number | undefined {
  if (wanted === undefined) return undefined
  const ms = readDuration(wanted)
  if (ms !== undefined) return now - ms
  const at = Date.parse(wanted)
  if (!Number.isNaN(at)) return at
  throw faults.make('R2031', `${flag} ${wanted} is not a duration or a date`, { fix: `write ${flag} 2h, ${flag} 3d or ${flag} 2026-11-20` })
}
