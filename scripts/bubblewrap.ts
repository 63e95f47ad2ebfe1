/**
 * Bubblewrap for the tests of the sandbox: installed where this process may (root, apt), and otherwise a line that says
 * what is left out. Those tests are then skipped with the same reason.
 */
import { spawnSync } from 'node:child_process'
import { install } from './apt.ts'

const TIMEOUT = 90_000
// A program of the system, and not of a package that this workshop would have to name.
const [BUBBLEWRAP] = ['bwrap']

/** Installs bubblewrap if it is missing and can be installed; why there is none, or undefined where it works. */
export function provideBubblewrap(): string | undefined {
  if (process.platform !== 'linux') return 'it exists on Linux alone'
  const before = problem()
  if (before === undefined || before.installed) return before?.why
  if (process.getuid?.() !== 0) return `${before.why}, and only root can install it: apt install bubblewrap`
  if (!install('bubblewrap', TIMEOUT)) return `${before.why}, and apt could not install it`
  return problem()?.why
}

function problem(): { readonly why: string; readonly installed: boolean } | undefined {
  const tried = spawnSync(BUBBLEWRAP, ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '/bin/sh', '-c', ':'], {
    encoding: 'utf8',
    timeout: TIMEOUT,
  })
  if (tried.error !== undefined) return { why: 'it is not installed', installed: false }
  if (tried.status === 0) return undefined
  return { why: `it can make no sandbox here: ${tried.stderr.trim().split('\n')[0]}`, installed: true }
}
