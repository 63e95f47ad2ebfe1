import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isFolder, isThere } from '../paths.ts'

/**
 * What git runs by itself, or is told to run, stays as it is: what a command wrote there would be run outside the sandbox
 * by the next git command of the user. As places of their own they cannot be moved away either. Words for bubblewrap;
 * `memory`: those that make a folder in memory at the path behind them.
 */
export function gitSettings(workdir: string, memory: readonly string[]): readonly string[] {
  const git = join(workdir, '.git')
  if (!isFolder(git)) return isFile(git) ? ['--ro-bind', git, git] : []
  const [hooks, config] = [join(git, 'hooks'), join(git, 'config')]
  return [
    '--bind',
    git,
    git,
    ...(isFolder(hooks) ? ['--ro-bind', hooks, hooks] : isThere(hooks) ? [] : [...memory, hooks, '--remount-ro', hooks]),
    ...(isFile(config) ? ['--ro-bind', config, config] : []),
  ]
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
