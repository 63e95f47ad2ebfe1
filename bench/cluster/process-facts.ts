import { readFileSync } from 'node:fs'

/** The ticks of a second, and the bytes of a page, in the statistics of a process on Linux. */
const TICKS = 100
const PAGE = 4096

/** The milliseconds of processor time of a process and of its children that have ended, and its memory. */
export interface ProcessFacts {
  readonly ms: number
  readonly bytes: number
}

/** Returns the facts of a process; zeros where the system has no `/proc`, and for a process that has ended. */
export function processFacts(pid: number): ProcessFacts {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = [11, 12, 13, 14].reduce((sum, place) => sum + (fields[place] ?? 0), 0)
    return { ms: (ticks * 1000) / TICKS, bytes: (fields[21] ?? 0) * PAGE }
  } catch {
    return { ms: 0, bytes: 0 }
  }
}

/** Returns the children of a process. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  } catch {
    return []
  }
}
