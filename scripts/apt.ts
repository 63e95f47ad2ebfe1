/** Packages of the system, installed where this process may: it is root, and the system has apt. */
import { spawnSync } from 'node:child_process'

/** Installs a package; false if that fails. The lists of packages are updated if the first try fails. `timeout` is in milliseconds. */
export function install(name: string, timeout: number): boolean {
  const args = ['install', '-y', '-qq', '--no-install-recommends', name]
  return apt(args, timeout) || (apt(['update', '-qq'], timeout) && apt(args, timeout))
}

function apt(args: readonly string[], timeout: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // A program of the system, and not of a package that this workshop would have to name.
  const [program] = ['apt-get']
  return spawnSync(program, args, { stdio: 'ignore', timeout, env }).status === 0
}
