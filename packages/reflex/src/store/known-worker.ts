import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Worker } from '../kernel/index.ts'

/** A worker as stores keep it. */
export interface KnownWorker extends Worker {
  /** The time of its last heartbeat, in milliseconds since the epoch. */
  readonly seen: number
  /** The longest allowed silence, in milliseconds. */
  readonly ttl: number
  /** The boot and the process namespace in which `pid` is valid; empty if the system does not report them. */
  readonly place: string
  /**
   * The start of the process, in the system's own units; empty if unknown. It distinguishes the process from a later
   * one with the same number.
   */
  readonly began: string
}

/** Returns a worker that says hello now. */
export function knownWorker(worker: Worker, now: number, ttl: number): KnownWorker {
  const { id, host, pid } = worker
  return { id, host, pid, seen: now, ttl, place: processNamespace(), began: processEntry(pid)?.began ?? '' }
}

/**
 * Returns the time of a worker's last heartbeat. A late heartbeat makes no worker look older, unless the clock was set
 * back by more than `ttl` milliseconds.
 */
export function lastSeen(before: number | undefined, now: number, ttl: number): number {
  return before !== undefined && before >= now && before - now <= ttl ? before : now
}

/**
 * True if another process can take over the runs of a worker: it has been silent for too long, or its process is
 * certainly dead.
 */
export function isGone(worker: KnownWorker, now: number, localHosts: ReadonlySet<string>): boolean {
  return now - worker.seen >= worker.ttl || isDead(worker, localHosts)
}

/** The records of a run: those after `base`, up to `last`. */
export interface RunExtent {
  readonly last: number
  readonly base: number | null
}

/**
 * True if a run never began and never will: its creator ended before the first record. Without `now`, silence alone
 * proves nothing. `base` is the last record before its first one, if it began with a snapshot.
 */
export function isAbandoned({ last, base }: RunExtent, owner: KnownWorker | undefined, now: number = Number.NEGATIVE_INFINITY): boolean {
  return last === (base ?? 0) && (owner === undefined || isGone(owner, now, new Set([hostname()])))
}

/**
 * True only if it is certain: containers can share a host name without sharing processes, and another process can get
 * the same number. In doubt, a process counts as alive until its heartbeat is too old.
 */
function isDead({ host, pid, place, began }: KnownWorker, localHosts: ReadonlySet<string>): boolean {
  if (pid <= 0 || host === '' || !localHosts.has(host) || place !== processNamespace()) return false
  if (!processExists(pid)) return true
  const entry = processEntry(pid)
  return entry !== undefined && (entry.ended || (began !== '' && entry.began !== began))
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function processNamespace(): string {
  if (process.platform !== 'linux') return ''
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return ''
  }
}

/** Returns the entry that Linux has for a process. A killed process that its parent has not collected counts as ended. */
function processEntry(pid: number): { readonly ended: boolean; readonly began: string } | undefined {
  if (process.platform !== 'linux' || pid <= 0) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses can contain anything. The state is the first field after it, the start time the
    // twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { ended: fields[0] === 'Z' || fields[0] === 'X', began: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
