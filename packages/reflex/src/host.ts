import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { type Host, systemHost, type Worker } from './kernel/index.ts'

/** What a process knows of itself and its surroundings; the only place of the composition that reads them. */
export interface Surroundings {
  readonly host: Host
  readonly worker: Worker
  /** The folder in which it was started. */
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Who started it, for the journal. */
  readonly actor: string
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
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'somebody'
  }
}
