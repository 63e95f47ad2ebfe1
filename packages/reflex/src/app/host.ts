import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { type Host, systemHost, type Worker } from '../kernel/index.ts'

/** What a process knows of itself and its surroundings; the only place of the composition that reads them. */
export interface Surroundings {
  readonly host: Host
  readonly worker: Worker
  /** The folder in which it was started. */
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Who started it, for the journal. */
  readonly actor: string
  /** A proof that this user made a text here, by a secret in the user's own folder; undefined where there is none. */
  readonly seal?: (text: string) => string | undefined
}

/** This process. */
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

/** 128 bits that no other process draws, for values that belong to no run. */
export function newId(): string {
  return randomBytes(16).toString('hex')
}

/** Whether something lies at a path, `~` being the user's own folder. */
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

/** Made when it is first needed: by a run that gets more than the usual trust. */
function secret(): Buffer {
  const file = join(homedir(), '.reflex', 'secret')
  try {
    return readFileSync(file)
  } catch {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 })
    } catch {
      // Another process was first; what it wrote is read below.
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
