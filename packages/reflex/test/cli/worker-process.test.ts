import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { openSqlite } from '../../src/store/index.ts'
import { ASKS } from '../app/crowd.ts'
import { postgresPrograms, PostgresServer } from '../store/postgres-server.ts'
import { workFolder } from './worlds.ts'

const BIN = join(import.meta.dirname, '../../bin/reflex.js')
const { FORCE_COLOR: _, NO_COLOR: __, ...outside } = process.env
const environment = { ...outside, LC_ALL: 'C.UTF-8', REFLEX_ACTOR: 'ana' }
/** Milliseconds: the shortest lease that there is. */
const LEASE = 1000

function reflex(folder: string, ...argv: readonly string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...argv], { cwd: folder, encoding: 'utf8', env: environment })
  return { code: status, out: stdout, err: stderr }
}

/** A worker in a process of its own. */
class WorkerProcess {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  said = ''
  #heard: () => void = () => undefined

  constructor(folder: string, ...more: readonly string[]) {
    this.child = spawn(process.execPath, [BIN, 'worker', '--lease', `${LEASE}ms`, ...more], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.child.stderr?.on('data', (data) => {
      this.said += String(data)
      this.#heard()
    })
    this.ended = new Promise((resolve) => this.child.on('close', resolve))
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  async says(text: RegExp): Promise<void> {
    while (!text.test(this.said)) {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#heard = resolve
        }),
        this.ended.then(() => Promise.reject(new Error(`ended without ${text.source}: ${this.said}`))),
      ])
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(10)
}

const paid = (folder: string): number =>
  existsSync(join(folder, 'paid.txt')) ? readFileSync(join(folder, 'paid.txt'), 'utf8').length / 5 : 0

/** Stops a process where it stands, but not in the middle of a write: SQLite would let nobody else write until it wakes. */
async function stopBetweenWrites({ child }: WorkerProcess, folder: string): Promise<void> {
  const store = openSqlite(join(folder, '.reflex/reflex.db'), { busyTimeout: 0 })
  for (;;) {
    child.kill('SIGSTOP')
    await pause(20)
    try {
      await store.hello({ id: 'looks', host: '', pid: 0 }, 0, 0)
      return await store.close()
    } catch {
      child.kill('SIGCONT')
      await pause(20)
    }
  }
}

/** A run that a worker carries on, in the middle of its payment, and the worker. */
async function paying(): Promise<{ folder: string; worker: WorkerProcess }> {
  const folder = workFolder()
  const first = spawn(process.execPath, [BIN, 'run', 'payouts.workflow.json', '--trust', 'trusted', '--id', 'tern'], {
    cwd: folder,
    env: environment,
    stdio: 'ignore',
  })
  onTestFinished(() => void first.kill('SIGKILL'))
  await until(() => paid(folder) === 1)
  const gone = new Promise((resolve) => first.on('close', resolve))
  first.kill('SIGKILL')
  await gone
  const worker = new WorkerProcess(folder)
  await worker.says(/suspended tern {2}payouts {2}1 record {2}waits at pay/)
  expect(reflex(folder, 'answer', 'tern', 'repeat', '--no-run').code).toBe(0)
  await until(() => paid(folder) === 2)
  return { folder, worker }
}

describe.skipIf(process.platform === 'win32')('workers in separate processes', { timeout: 60_000 }, () => {
  test('another worker takes over from one that was killed during an effect, asks about the unknown outcome, and ends the run', async () => {
    const { folder, worker } = await paying()
    const heir = new WorkerProcess(folder)
    await heir.says(/works/)
    await worker.kill()
    await heir.says(/suspended tern {2}payouts {2}1 record {2}waits at pay/)
    expect(reflex(folder, 'answer', 'tern', 'happened', '--no-run').code).toBe(0)
    await heir.says(/completed tern/)
    heir.child.kill('SIGTERM')
    expect(await heir.ended).toBe(143)
    expect(heir.said).toContain('stops     continued runs 2 times')
    expect(paid(folder)).toBe(2)
  })

  test('a worker that is stopped during an effect lets it end, and asks no question about it', async () => {
    const { folder, worker } = await paying()
    worker.child.kill('SIGTERM')
    await worker.says(/ends {6}effects of 1 run may take 5.0 s/)
    writeFileSync(join(folder, 'stop'), '')
    expect(await worker.ended).toBe(143)
    expect(worker.said).toMatch(/leaves {4}tern {2}payouts {2}\d records/)
    expect(reflex(folder, 'worker', '--once').code).toBe(0)
    expect(reflex(folder, 'runs').out).toMatch(/^tern\tpayouts\tcompleted/)
    expect(reflex(folder, 'replay', 'tern').code).toBe(0)
    expect(paid(folder)).toBe(2)
  })

  test('a worker that is paused for longer than its lease is replaced, and its later decisions are refused', async () => {
    const { folder, worker } = await paying()
    const heir = new WorkerProcess(folder)
    await heir.says(/works/)
    const stopped = performance.now()
    await stopBetweenWrites(worker, folder)
    await heir.says(/suspended tern/)
    expect(performance.now() - stopped).toBeGreaterThan(LEASE / 2)
    writeFileSync(join(folder, 'stop'), '')
    worker.child.kill('SIGCONT')
    await worker.says(/leaves {4}tern[^]*R5002/)
    expect(reflex(folder, 'answer', 'tern', 'happened', '--no-run').code).toBe(0)
    await Promise.race([heir.says(/completed tern/), worker.says(/completed tern/)])
    expect(reflex(folder, 'replay', 'tern').code).toBe(0)
    expect(paid(folder)).toBe(2)
    rmSync(join(folder, 'stop'))
  })
})

const programs = postgresPrograms()
const missing = 'missing' in programs ? programs.missing : undefined

describe.skipIf(missing !== undefined)(
  `workers that share a Postgres${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 120_000 },
  () => {
    test('two workers continue many runs, one of them dies, and nothing is lost', async () => {
      const server = await PostgresServer.start()
      onTestFinished(() => server.stop())
      const folder = workFolder()
      const store = server.address()
      const reflex = new Reflex({ workdir: folder, store })
      onTestFinished(() => reflex.close())
      const ids = Array.from({ length: 60 }, (_, i) => `run-${i}`)
      for (const id of ids) (await reflex.run(ASKS, { id })).close()
      const workers = [
        new WorkerProcess(folder, '--store', store, '--most', '2'),
        new WorkerProcess(folder, '--store', store, '--most', '2'),
      ]
      for (const worker of workers) await worker.says(/works/)
      for (const id of ids) await reflex.answer(id, 'YES', { run: false })
      for (const worker of workers) await worker.says(/completed run/)
      await workers[0]?.kill()
      for (let rows = await reflex.runs(); rows.some(({ status }) => status !== 'completed'); rows = await reflex.runs()) await pause(10)
      for (const row of await reflex.runs()) expect(row).toMatchObject({ status: 'completed', value: { paid: true } })
      for (const id of ids) {
        expect(await reflex.store.inbox(id)).toEqual([])
        expect(await reflex.replay(id)).toMatchObject({ result: 'equal' })
      }
    })
  },
)
