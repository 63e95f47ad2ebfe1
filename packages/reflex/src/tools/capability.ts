import { sep } from 'node:path'
import { faults } from './faults.ts'

/** The capability to read or write a file, or a folder: `arbor://fs/read/srv/notes.txt`. `path` is absolute and real. */
export function fsCapability(action: 'read' | 'write', path: string): string {
  const steps = path.split(sep).filter((step) => step !== '')
  return ['arbor://fs', action, ...steps.map(encodeStep)].join('/')
}

/** The capability to call a tool: `arbor://tool/git.log`. */
export function toolCapability(name: string): string {
  return `arbor://tool/${encodeStep(name)}`
}

/** The capabilities of running a command, which nothing confines in this release. */
export const COMMAND_CAPABILITIES: readonly string[] = ['arbor://shell/exec', 'arbor://shell/exec/unsandboxed']

/** Percent-encodes everything that a pattern or an address could take for something else. */
function encodeStep(step: string): string {
  try {
    return encodeURIComponent(step).replaceAll('*', '%2A')
  } catch {
    throw faults.make('R4115', 'the path has a character that is none (half of a surrogate pair)')
  }
}
