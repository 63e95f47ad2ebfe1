import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { ClusterPackage } from '../store/index.ts'
import { type Host, systemHost, type Worker } from '../kernel/index.ts'

/** The facts of a process about itself and its environment. Only this file of the composition reads them. */
export interface Surroundings {
  readonly host: Host
  readonly worker: Worker
  /** The folder in which it was started. */
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The name of the user who started it, for the journal. */
  readonly actor: string
  /** Returns a proof that this user created a text, made with a secret in the user's own folder; undefined if there is no secret. */
  readonly seal?: (text: string) => string | undefined
  /** The engine of clusters. Absent: that of the package `reflex-runtime-cluster`, which is loaded when a cluster is wanted. */
  readonly clusters?: ClusterPackage
}

/** Returns the facts of this process. */
export function thisProcess(): Surroundings {
  const host = hostname()
  return {
    host: systemHost,
    worker: { id: `${host}:${process.pid}:${randomBytes(6).toString('hex')}`, host, pid: process.pid },
    cwd: process.cwd(),
    environment: process.env,
    actor: process.env['REFLEX_ACTOR'] ?? userName(),
    seal,
  }
}

/** Returns a unique id of 128 bits, for values that belong to no run. */
export function newId(): string {
  return randomBytes(16).toString('hex')
}

/** True if a path exists; `~` is the user's home folder. */
export function isPath(text: string): boolean {
  return existsSync(text.startsWith('~/') ? join(homedir(), text.slice(2)) : text)
}

function seal(text: string): string | undefined {
  try {
    return createHmac('sha256', secret()).update(text).digest('hex')
  } catch {
    return undefined
  }
}

/** The secret is created when it is first needed: by a run with more than the default trust. */
function secret(): Buffer {
  const file = join(homedir(), '.reflex', 'secret')
  try {
    return readFileSync(file)
  } catch {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 })
    } catch {
      // Another process was first; its secret is read below.
    }
    return readFileSync(file)
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'somebody'
  }
}
