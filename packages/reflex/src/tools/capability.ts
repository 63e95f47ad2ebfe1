import { sep } from 'node:path'
import { faults } from './faults.ts'

/**
 * Returns the capability to read or write a file or folder: `arbor://fs/read/srv/notes.txt`. `path` is absolute and
 * real.
 */
export function fsCapability(action: 'read' | 'write' | 'autorun', path: string): string {
  const steps = path.split(sep).filter((step) => step !== '')
  return ['arbor://fs', action, ...steps.map(encodeStep)].join('/')
}

const READS = 'arbor://fs/read/'

/** The place of a file in the ledger of labels, as capabilities have it. */
export function ledgerPlace(path: string): string {
  return fsCapability('read', path).slice(READS.length)
}

/**
 * Returns the capability to write a file that programs of the host run automatically, such as `.envrc`:
 * `arbor://fs/autorun/srv/.envrc`. No level of trust grants it; writing the file also needs `arbor://fs/write`.
 */
export function autorunCapability(path: string): string {
  return fsCapability('autorun', path)
}

/** Returns the capability to call a tool: `arbor://tool/git.log`. */
export function toolCapability(name: string): string {
  return `arbor://tool/${encodeStep(name)}`
}

/** The capability to run commands in a sandbox. */
export const COMMAND_CAPABILITY = 'arbor://shell/exec'

/** The capability to run commands without a sandbox: they can then do everything that the user can. */
export const UNSANDBOXED_CAPABILITY = 'arbor://shell/exec/unsandboxed'

/** Returns the capability to send something to a host, by name or address: `arbor://net/example.org`. */
export function netCapability(host: string): string {
  return `arbor://net/${encodeStep(host)}`
}

/** Returns the capability to give a tool the value of a secret: `arbor://secret/vault/ci/token` for `vault://ci/token`. */
export function secretCapability(name: string): string {
  const steps = name.replace('://', '/').split('/')
  return ['arbor://secret', ...steps.filter((step) => step !== '').map(encodeStep)].join('/')
}

/** Percent-encodes every character that has a meaning in a pattern or an address. */
function encodeStep(step: string): string {
  try {
    return encodeURIComponent(step).replaceAll('*', '%2A')
  } catch {
    throw faults.make('R4115', 'the path contains an invalid character (half of a surrogate pair)')
  }
}
