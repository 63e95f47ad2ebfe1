import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { Workers } from './processes.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const LEASE_MS = 3000
const STEPS = ['one', 'two', 'three']

const node = (step: string) => ({ spec: { tool: 'note', args: { step } } })
const PROGRAM = workflow({
  id: 'steps',
  entry: 'one',
  nodes: { one: node('one'), ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } }, two: node('two'), three: node('three') },
  edges: [
    { id: 'a', from: 'one', to: 'ask' },
    { id: 'b', from: 'ask', to: 'two', event: 'YES' },
    { id: 'c', from: 'two', to: 'three' },
  ],
})

/** A server of its own, workers on it, and a process that starts runs and answers. */
async function place(prepare: (server: PostgresServer) => Promise<void> = async () => undefined) {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  await prepare(server)
  const address = server.address()
  const workers = new Workers({ address, leaseMs: LEASE_MS, toolMs: 20, tools: true })
  onTestFinished(() => workers.end())
  const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
  const reflex = new Reflex({ store: address, cluster: true, leaseMs: LEASE_MS, workdir: workers.folder, tools: [note] })
  onTestFinished(() => reflex.close())
  const start = async (names: readonly string[]): Promise<void> => {
    for (const id of names) (await reflex.start(PROGRAM, { id })).close()
  }
  const answer = async (names: readonly string[]): Promise<void> => {
    const open = new Set(names)
    await until(async () => {
      for (const { id, run } of await reflex.inbox()) if (open.delete(run)) await reflex.answer(id, 'YES', { run: false })
      return open.size === 0
    })
  }
  const ended = async (names: readonly string[]): Promise<boolean> => {
    const done = new Set((await reflex.store.runs({ status: ['completed'], limit: 1000 })).map(({ id }) => id))
    return names.every((name) => done.has(name))
  }
  const stepsOf = (run: string): readonly string[] => [
    ...new Set(workers.lines.filter((line) => line.run === run && line.did === 'ended').map(({ step }) => step)),
  ]
  /** The reports of a worker about its database, without the notes of DBOS. */
  const reported = (): string[] =>
    workers.said
      .join('')
      .split('\n')
      .filter((line) => /^\d+ R51(?!07)|^\d+ R50/.test(line))
  const schema = new URL(address).searchParams.get('schema') ?? ''
  return { server, schema, workers, reflex, start, answer, ended, stepsOf, reported }
}

describe.skipIf('missing' in programs)(`a cluster in trouble${skipped}`, () => {
  it('sets a run aside whose effect ends its worker again and again, and continues it when the tool is mended', async () => {
    const { server, schema, workers, reflex, start, answer, ended, stepsOf } = await place()
    const cluster = await reflex.cluster()
    const others = Array.from({ length: 10 }, (_, i) => `run-${i}`)
    const fatal = { fatal: 'fatal' }
    const all = await Promise.all([1, 2, 3].map(() => workers.start(fatal)))
    await start(['fatal', ...others])
    // Two workers die one after the other, and the second counts as the ninth: ten would take a minute to start.
    await until(async () => all.filter(({ exitCode }) => exitCode !== null).length === 2)
    const raised = `update ${schema}_cluster.turn set crashes = 9 where id = 'fatal' returning id`
    expect(await server.sql(raised)).toHaveLength(1)
    await until(async () => (await cluster.facts()).stuckCount === 1)
    const { stuck } = await cluster.facts()
    expect(stuck).toMatchObject([{ run: 'fatal', crashes: 10, fault: { code: 'R5108' } }])
    expect(all.filter(({ exitCode }) => exitCode !== null)).toHaveLength(2)
    await answer(others)
    await until(() => ended(others))
    expect(others.map(stepsOf)).toEqual(others.map(() => STEPS))
    expect((await cluster.facts()).stuckCount).toBe(1)
    // The same run with a tool that is mended.
    await workers.start()
    for (const worker of workers.children) if (worker !== workers.children.at(-1)) await workers.drain(worker)
    expect(await cluster.retry('fatal')).toBe(true)
    await answer(['fatal'])
    await until(() => ended(['fatal']))
    expect(stepsOf('fatal')).toEqual(STEPS)
  })

  it('reports once that a server accepts no writes, and continues when it does', async () => {
    const { server, workers, start, answer, ended, stepsOf, reported } = await place()
    await Promise.all([workers.start(), workers.start()])
    const names = Array.from({ length: 12 }, (_, i) => `run-${i}`)
    await start(names)
    await until(() => workers.lines.length >= 6)
    await setReadOnly(server, 'on')
    await until(() => reported().length >= 2)
    // Several heartbeats, ticks and turns long.
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
    const lines = reported()
    await setReadOnly(server, 'off')
    await answer(names)
    await until(() => ended(names))
    expect(names.map(stepsOf)).toEqual(names.map(() => STEPS))
    expect(twice(lines)).toEqual([])
  })

  it('continues when a full disk has room again', async (context) => {
    const disk = smallDisk(context)
    const { workers, start, answer, ended, stepsOf, reported } = await place(async (made) => {
      const space = join(disk, 'space')
      mkdirSync(space)
      await made.tablespace('small', space)
      await made.sql("alter system set default_tablespace = 'small'")
      await made.sql('select pg_reload_conf()')
    })
    await Promise.all([workers.start(), workers.start()])
    const names = Array.from({ length: 12 }, (_, i) => `run-${i}`)
    await start(names)
    await until(() => workers.lines.length >= 6)
    const ballast = join(disk, 'ballast')
    execFileSync('sh', ['-c', 'cat /dev/zero > "$0" 2>/dev/null || true', ballast])
    const startMore = async (): Promise<never> => {
      for (let i = 0; ; i++) await start([`more-${i}`])
    }
    await expect(startMore()).rejects.toMatchObject({ code: expect.stringMatching(/^R5(005|101)$/) as string })
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
    const lines = reported()
    rmSync(ballast)
    await answer(names)
    await until(() => ended(names))
    expect(names.map(stepsOf)).toEqual(names.map(() => STEPS))
    expect(twice(lines)).toEqual([])
  })
})

async function setReadOnly(server: PostgresServer, value: 'on' | 'off'): Promise<void> {
  await server.sql(`alter system set default_transaction_read_only = ${value}`)
  await server.sql('select pg_reload_conf()')
}

/** The reports that one worker made more than once. Reports about single runs are one for each run. */
function twice(lines: readonly string[]): string[] {
  return lines.filter((line, i) => lines.indexOf(line) !== i)
}

/** A disk of its own, which is full with a file; only root can mount it. */
function smallDisk({ skip }: TestContext): string {
  const path = join(mkdtempSync(join(tmpdir(), 'reflex-disk-')), 'disk')
  mkdirSync(path)
  try {
    execFileSync('sh', ['-c', 'mount -t tmpfs -o size=40m tmpfs "$0"', path], { stdio: 'ignore' })
  } catch {
    skip('only root can mount a disk')
  }
  onTestFinished(() => {
    execFileSync('sh', ['-c', 'umount --lazy "$0"', path])
    rmSync(join(path, '..'), { recursive: true, force: true })
  })
  for (let above = path; above !== tmpdir() && above !== '/'; above = join(above, '..')) chmodSync(above, 0o755)
  return path
}
