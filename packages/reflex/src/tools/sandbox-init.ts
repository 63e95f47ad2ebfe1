import { readFileSync } from 'node:fs'
import type { Host } from '../kernel/index.ts'

/** The most looks at a sandbox that is ending. The kernel takes a moment. */
const MOST_CHECKS = 200_000

/** Reads the first process of a sandbox from the report of bubblewrap; undefined where it reported nothing. */
export function initPid(report: string): number | undefined {
  const [, pid] = /"child-pid"\s*:\s*(\d+)/.exec(report) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** Waits until the first process of a sandbox has ended: all others of the sandbox have ended before it. */
export async function waitForEnd(init: number | undefined, host: Host): Promise<void> {
  if (init === undefined) return
  for (let look = 0; look < MOST_CHECKS && isRunning(init); look++) {
    await new Promise<void>((resolve) => host.turn(resolve))
  }
}

/** True if a process still runs; false also for an ended process whose exit code is not yet collected. */
function isRunning(pid: number): boolean {
  try {
    const [, state] = /^\d+ \([^]*\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
