import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CommandProcess } from '../../reflex/test/serve/command-process.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

const PATROL = `return BT.tree("patrol", {
  blackboard = { seen = { type = "int", default = 0 } },
  root = BT.sequence({
    BT.set("seen", { id = "look", value = 1 }),
    BT.set("seen", { id = "visit", value = 2 }),
    BT.set("seen", { id = "leave", value = 3 }),
  }),
})
`

describe.skipIf('missing' in programs)(`the debugger of a run that a cluster carries on${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  test('stops at a breakpoint, and takes commands that another process types', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reflex-cluster-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
    writeFileSync(join(folder, 'patrol.lua'), PATROL)
    const REFLEX_STORE = server.address()
    const command = (...argv: readonly string[]): CommandProcess => new CommandProcess(folder, argv, { REFLEX_STORE })
    const output = async (...argv: readonly string[]): Promise<string> => {
      const made = command(...argv)
      await made.ended
      return made.out
    }
    const worker = command('worker', '--cluster', '--lease', '3s')
    await worker.says(/works/)
    const started = await output('run', 'patrol.lua', '--id', 'otter', '--break', 'visit', '--cluster', '--answers', 'none')
    expect(started).toContain('waits for the message debug')
    expect(await output('signal', 'otter', 'debug', 'step', '--no-run')).toContain('in its inbox')
    let shown = ''
    await until(async () => {
      shown = await output('show', 'otter')
      return shown.includes('visit\tdone')
    })
    expect(shown).toMatch(/leave\twaits\t.*paused before it/)
    await output('signal', 'otter', 'debug', 'resume', '--no-run')
    // Each command made the run due, and the worker took it.
    await worker.says(/completed +otter/)
    expect(await output('replay', 'otter')).toContain('records equal')
  })
})
