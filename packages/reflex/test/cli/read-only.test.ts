import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import { digest } from '../../src/kernel/index.ts'
import { openSqlite } from '../../src/store/index.ts'
import { messageOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from '../store/postgres-server.ts'
import { StoreProcess } from '../store/processes.ts'
import { makeFirstLayout } from '../store/first-layout.ts'
import { type Ended, reflex, workFolder } from './worlds.ts'

const LOOKS = [
  ['runs'],
  ['show', 'otter'],
  ['show', 'otter@3'],
  ['artifacts', 'otter'],
  ['trace', 'otter'],
  ['why', 'otter', 'order'],
  ['inbox'],
  ['graph', 'otter'],
  ['replay', 'otter'],
  ['diff', 'otter', 'heron'],
  ['export', 'otter'],
  ['check'],
  ['doctor'],
] as const
const ACTS = [
  ['run', 'refund.workflow.json'],
  ['resume', 'otter'],
  ['answer', 'otter', 'yes'],
  ['cancel', 'otter'],
  ['fork', 'otter'],
  ['worker', '--once'],
] as const

/** A folder with a store that has two runs, and the state of its user in another place. */
async function stored(): Promise<{ folder: string; file: string; command: (...argv: readonly string[]) => Promise<Ended>; state: string }> {
  const folder = workFolder()
  const state = mkdtempSync(join(tmpdir(), 'reflex-state-'))
  onTestFinished(() => rmSync(state, { recursive: true, force: true }))
  const command = (...argv: readonly string[]): Promise<Ended> => reflex(argv, { folder, environment: { XDG_STATE_HOME: state } })
  for (const id of ['otter', 'heron']) expect((await command('run', 'refund.workflow.json', '--id', id)).code).toBe(75)
  return { folder, file: join(folder, '.reflex/reflex.db'), command, state }
}

/** Makes a folder read-only, for root too. Skips the test where that is impossible. */
function protect(folder: string, { skip }: TestContext): void {
  if (process.getuid?.() !== 0) {
    for (const path of [folder, join(folder, '.reflex')]) {
      chmodSync(path, 0o555)
      onTestFinished(() => chmodSync(path, 0o755))
    }
    return
  }
  try {
    execFileSync('sh', ['-c', 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"', folder], { stdio: 'ignore' })
  } catch {
    skip('root can write everywhere, and cannot mount a folder read-only here')
  }
  onTestFinished(() => void execFileSync('sh', ['-c', 'umount --lazy "$0"', folder]))
}

/** Every file below a folder, with its content. The index of a log in use changes with its readers. */
function content(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile())
  return Object.fromEntries(
    files.filter((name) => !name.endsWith('-shm')).map((name) => [name, digest(readFileSync(join(folder, name), 'latin1'))]),
  )
}

/** A post that stands in the log alone, as a process leaves it that was killed. */
async function leaveLog(file: string, index: boolean): Promise<void> {
  const store = openSqlite(file)
  await store.post('otter', messageOf('late', { type: 'message', to: 'topic', at: 5 }))
  const copy = mkdtempSync(join(tmpdir(), 'reflex-log-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  for (const end of ['', '-wal', ...(index ? ['-shm'] : [])]) cpSync(`${file}${end}`, join(copy, `db${end}`))
  await store.close()
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  for (const name of readdirSync(copy)) cpSync(join(copy, name), `${file}${name.slice(2)}`)
}

describe('a read-only store', () => {
  test.for<readonly [string, (file: string) => Promise<void>]>([
    ['closed', () => Promise.resolve()],
    ['left by a killed process, with its log', (file: string) => leaveLog(file, true)],
    ['left by a killed process, without the index of its log', (file: string) => leaveLog(file, false)],
    [
      'in use by its owner',
      async (file: string) => {
        const owner = await StoreProcess.open(file)
        await owner.call('post', 'otter', messageOf('late', { type: 'message', to: 'topic', at: 5 }))
      },
    ],
    [
      'of an older layout',
      (file: string) => {
        makeFirstLayout(file)
        return Promise.resolve()
      },
    ],
  ])('can be read, %s, and nothing is written', async ([what, prepare], context) => {
    const { folder, file, command, state } = await stored()
    await prepare(file)
    protect(folder, context)
    const before = [content(folder), content(state)]
    const named = what === 'of an older layout' ? ['--store', file] : []
    for (const argv of LOOKS) {
      const { code, out, err } = await command(...argv, ...named)
      expect({ argv, code, out: out.slice(0, 0), err }).toEqual({ argv, code: 0, out: '', err: '' })
    }
    expect((await command('runs', ...named)).out).toMatch(/otter[^]*heron|heron[^]*otter/)
    expect((await command('doctor', ...named)).out).toMatch(/check\tstore\twarning\t[^\n]*read-only: /)
    for (const argv of ACTS) {
      const { err } = await command(...argv, ...named)
      expect({ argv, err }).toEqual({ argv, err: expect.stringContaining('R5024') as string })
    }
    expect([content(folder), content(state)]).toEqual(before)
  })
})

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`a store in Postgres that can only be read${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  test.each([
    ['by its role', '', 'R5065'],
    ['by its server', 'alter role looker set default_transaction_read_only = on', 'R5075'],
  ])('can be read, %s, and nothing is written', async (_, also, refused) => {
    const folder = workFolder()
    const command = (store: string, ...argv: readonly string[]): Promise<Ended> =>
      reflex([...argv, '--store', store], { folder, environment: { REFLEX_STORE: store } })
    const schema = `seen_${also.length}`
    const owner = server.address({ schema })
    for (const id of ['otter', 'heron']) expect((await command(owner, 'run', 'refund.workflow.json', '--id', id)).code).toBe(75)
    await server.sql(`drop owned by looker; drop role looker`).catch(() => undefined)
    await server.sql(`create role looker login password 'seen'; ${also}`)
    await server.sql(`grant usage on schema ${schema} to looker; grant select on all tables in schema ${schema} to looker`)
    const tables = ['header', 'run', 'journal', 'snapshot', 'program', 'blob', 'inbox', 'worker', 'ledger']
    const content = async (): Promise<unknown> => Promise.all(tables.map((table) => server.sql(`select * from ${schema}.${table}`)))
    const before = await content()
    const looker = server.address({ schema, user: 'looker', password: 'seen' })
    for (const argv of LOOKS) {
      const { code, err } = await command(looker, ...argv)
      expect({ argv, code, err }).toEqual({ argv, code: 0, err: '' })
    }
    expect((await command(looker, 'runs')).out).toMatch(/otter[^]*heron|heron[^]*otter/)
    for (const argv of ACTS) {
      const { err } = await command(looker, ...argv)
      expect({ argv, err }).toEqual({ argv, err: expect.stringContaining(refused) as string })
    }
    expect(await content()).toEqual(before)
  })
})
