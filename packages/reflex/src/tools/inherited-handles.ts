import { readdirSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { StdioOptions } from 'node:child_process'
import { devNull } from 'node:os'

/** The flag of a handle that closes by itself when a program begins. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Returns the numbers above 2 of handles that a new program would get from this process: those that a caller has left open,
 * such as a shell by `exec 202<folder`. Node closes its own handles for new programs. macOS closes all of them.
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
    // The handle that has read the folder is closed again.
    return true
  }
}

/** The first handles that a program gets. */
type Stdio = Exclude<StdioOptions, string>

/** The handles of a new program, and those to be closed once it has started. */
export interface Handles {
  readonly stdio: Stdio
  close(): Promise<void>
}

/** Gives a program the handles named and nothing else: in place of each that it would inherit it finds an empty one. */
export async function isolatedHandles(named: Stdio): Promise<Handles> {
  const inherited = inheritedHandles().filter((handle) => handle >= named.length)
  if (inherited.length === 0) return { stdio: named, close: () => Promise.resolve() }
  const empty = await open(devNull, 'r')
  const stdio = [...named]
  for (let i = named.length; i <= Math.max(...inherited); i++) stdio.push('ignore')
  for (const handle of inherited) stdio[handle] = empty.fd
  return { stdio, close: () => empty.close() }
}
