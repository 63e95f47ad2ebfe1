import { readFileSync } from 'node:fs'
import type { Host } from '../kernel/index.ts'

/** The most checks of a sandbox that is ending; the kernel needs a moment. */
const MOST_CHECKS = 200_000

/** Reads the first process of a sandbox from bubblewrap's report; undefined if it reported none. */
export function initPid(report: string): number | undefined {
  const [, pid] = /"child-pid"\s*:\s*(\d+)/.exec(report) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** Waits until the first process of a sandbox has ended: all others of the sandbox end before it. */
export async function waitForEnd(init: number | undefined, host: Host): Promise<void> {
  if (init === undefined) return
  for (let look = 0; look < MOST_CHECKS && isRunning(init); look++) {
    await new Promise<void>((resolve) => host.turn(resolve))
  }
}

/** True if a process still runs; false also for an ended process whose exit code is not collected yet. */
function isRunning(pid: number): boolean {
  try {
    const [, state] = /^\d+ \([^]*\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
