import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Worker } from '../kernel/ports/store.ts'

/** A worker as stores keep it. */
export interface KnownWorker extends Worker {
  /** When it was last heard of, milliseconds since the epoch. */
  readonly seen: number
  /** How long it may stay silent. */
  readonly ttl: number
  /** The boot and the process namespace in which `pid` means something; empty where the system does not say. */
  readonly place: string
  /** When the process began, in the system's own count; empty if not known. Tells it from one that gets its number later. */
  readonly began: string
}

/** A worker that says hello. */
export function knownWorker(worker: Worker, now: number, ttl: number): KnownWorker {
  const { id, host, pid } = worker
  return { id, host, pid, seen: now, ttl, place: processNamespace(), began: processEntry(pid)?.began ?? '' }
}

/** The time of a worker's last heartbeat. A late heartbeat makes no worker look older; a clock that was set back by more counts. */
export function lastSeen(before: number | undefined, now: number, ttl: number): number {
  return before !== undefined && before >= now && before - now <= ttl ? before : now
}

/** Whether the runs of a worker may be taken over: it is silent for too long, or it is certain that its process is dead. */
export function isGone(worker: KnownWorker, now: number, localHosts: ReadonlySet<string>): boolean {
  return now - worker.seen >= worker.ttl || isDead(worker, localHosts)
}

/**
 * Whether a run never began and never will: whoever made it went before its first record. `now` is left out where
 * nobody asks the clock; then silence alone proves nothing.
 */
export function isAbandoned(last: number, owner: KnownWorker | undefined, now: number = Number.NEGATIVE_INFINITY): boolean {
  return last === 0 && (owner === undefined || isGone(owner, now, new Set([hostname()])))
}

/**
 * Only what is certain counts: containers may share a host's name and not its processes, and a number may have
 * passed to another process. In doubt a process lives, until its heartbeat is too old.
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

/** What Linux says of a process; a killed one whose parent has not looked yet has ended. */
function processEntry(pid: number): { readonly ended: boolean; readonly began: string } | undefined {
  if (process.platform !== 'linux' || pid <= 0) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold anything; the state is the first field after it, the beginning the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { ended: fields[0] === 'Z' || fields[0] === 'X', began: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
