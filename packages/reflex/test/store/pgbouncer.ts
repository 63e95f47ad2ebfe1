import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, PASSWORD } from './postgres-server.ts'

const PROGRAMS = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer']
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

/** The program, or undefined if it is not installed here (Debian: pgbouncer). */
export const pgbouncer = PROGRAMS.find((program) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

/** A pooler in front of a server of the tests. */
export class Pooler {
  readonly port: number
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(port: number, process: ChildProcess, folder: string) {
    this.port = port
    this.#process = process
    this.#folder = folder
  }

  /** Starts a pooler in a mode: `session` or `transaction`. `size` is the number of sessions of the server. */
  static async start(program: string, to: number, mode: string, size = 20): Promise<Pooler> {
    const folder = mkdtempSync(join(tmpdir(), 'reflex-pooler-'))
    chmodSync(folder, 0o755)
    const port = await freePort()
    const settings = join(folder, 'pgbouncer.ini')
    writeFileSync(
      settings,
      `[databases]
* = host=127.0.0.1 port=${to} user=postgres password='${PASSWORD}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
`,
      { mode: 0o644 },
    )
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    const child = spawn(program, ['-q', settings], { stdio: 'ignore', ...user })
    await answers(port, child)
    return new Pooler(port, child, folder)
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL')
      await once(this.#process, 'exit')
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Resolves when something accepts connections at a port. */
async function answers(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the pooler did not start: ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
