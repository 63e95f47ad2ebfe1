/** Other programs, run by a script. */
import { execFileSync } from 'node:child_process'

/** Runs npm in a folder: the one that started this script, when there is one. */
export function npm(args: readonly string[], cwd: string): string {
  const cli = process.env['npm_execpath']
  return cli === undefined ? run('npm', args, cwd) : run(process.execPath, [cli, ...args], cwd)
}

/** Runs a command and answers with its output; what it printed is in the error when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`.trim(), { cause: error })
  }
}
