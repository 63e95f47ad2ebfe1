import { sep } from 'node:path'
import { faults } from './faults.ts'

/** The capability to read or write a file, or a folder: `arbor://fs/read/srv/notes.txt`. `path` is absolute and real. */
export function fsCapability(action: 'read' | 'write' | 'autorun', path: string): string {
  const steps = path.split(sep).filter((step) => step !== '')
  return ['arbor://fs', action, ...steps.map(encodeStep)].join('/')
}

/**
 * The capability to write a file that programs of the host run by themselves, such as `.envrc`: `arbor://fs/autorun/srv/.envrc`.
 * No level of trust grants it; writing the file also needs `arbor://fs/write`.
 */
export function autorunCapability(path: string): string {
  return fsCapability('autorun', path)
}

/** The capability to call a tool: `arbor://tool/git.log`. */
export function toolCapability(name: string): string {
  return `arbor://tool/${encodeStep(name)}`
}

/** The capability to run commands in a sandbox. */
export const COMMAND_CAPABILITY = 'arbor://shell/exec'

/** The capability to run them without one: they may then do all that the user may. */
export const UNSANDBOXED_CAPABILITY = 'arbor://shell/exec/unsandboxed'

/** The capability to send something to a host, by its name or address: `arbor://net/example.org`. */
export function netCapability(host: string): string {
  return `arbor://net/${encodeStep(host)}`
}

/** Percent-encodes everything that a pattern or an address could take for something else. */
function encodeStep(step: string): string {
  try {
    return encodeURIComponent(step).replaceAll('*', '%2A')
  } catch {
    throw faults.make('R4115', 'the path has a character that is none (half of a surrogate pair)')
  }
}
