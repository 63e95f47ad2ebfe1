import { readdirSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { StdioOptions } from 'node:child_process'
import { devNull } from 'node:os'

/** The flag of a handle that closes automatically when a program starts. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Returns the numbers above 2 of the handles that a new program would inherit from this process: those that a caller
 * left open, such as a shell with `exec 202<folder`. Node closes its own handles for new programs. macOS closes all of
 * them.
 */
function inheritedHandles(): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((name) => {
    const handle = Number(name)
    return handle > 2 && !isClosedOnExec(name) ? [handle] : []
  })
}

function isClosedOnExec(name: string): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    // The handle that read the folder is already closed.
    return true
  }
}

/** The first handles of a program. */
type Stdio = Exclude<StdioOptions, string>

/** The handles of a new program, and those to close after it has started. */
export interface Handles {
  readonly stdio: Stdio
  close(): Promise<void>
}

/** Gives a program only the named handles: each other handle that it would inherit is replaced by an empty one. */
export async function isolatedHandles(named: Stdio): Promise<Handles> {
  const inherited = inheritedHandles().filter((handle) => handle >= named.length)
  if (inherited.length === 0) return { stdio: named, close: () => Promise.resolve() }
  const empty = await open(devNull, 'r')
  const stdio = [...named]
  for (let i = named.length; i <= Math.max(...inherited); i++) stdio.push('ignore')
  for (const handle of inherited) stdio[handle] = empty.fd
  return { stdio, close: () => empty.close() }
}
