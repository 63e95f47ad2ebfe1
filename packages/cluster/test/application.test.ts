import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from 'reflex-runtime'
import type { Tool } from 'reflex-runtime/tools'
import { typeFaults } from '../../reflex/test/compiler.ts'
import { linkedFolder } from '../../reflex/test/docs/page.ts'
import { environmentOf } from '../../reflex/test/environment.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'

const PAGE = resolve(import.meta.dirname, '../../../docs/scaling.md')
const TOOLS = `import { defineTool } from 'reflex-runtime/tools'
export const charge = defineTool({ name: 'charge', description: 'Charges.', repeat: 'free', leaves: false, run: () => ({ paid: true }) })
`
const PAY = {
  id: 'pay',
  entry: 'pay',
  nodes: { pay: { id: 'pay', spec: { tool: 'charge', args: {} } }, end: { id: 'end', spec: {} } },
  edges: [{ id: 'on', from: 'pay', to: 'end', event: 'DONE' }],
}

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`an application as a worker${skipped}`, () => {
  const folder = linkedFolder('application')
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  test('the application of the page joins with its tool and its word, carries a run on that needs both, and drains at SIGTERM', async () => {
    const [store, workdir] = [server.address(), folder()]
    const [, source = ''] = /^```ts\n([^`]*reflex\.work\([^`]*)^```/m.exec(readFileSync(PAGE, 'utf8')) ?? []
    writeFileSync(join(workdir, 'worker.ts'), source.replace(/'postgres:[^']*'/, JSON.stringify(store)))
    writeFileSync(join(workdir, 'tools.ts'), TOOLS)
    writeFileSync(join(workdir, 'pay.workflow.json'), JSON.stringify(PAY))
    expect(typeFaults(workdir, ['worker.ts'])).toEqual([])
    const { charge } = (await import(pathToFileURL(join(workdir, 'tools.ts')).href)) as { readonly charge: Tool }
    const starter = new Reflex({ store, workdir, tools: [charge], cluster: true })
    onTestFinished(() => starter.close())
    const handle = await starter.start(join(workdir, 'pay.workflow.json'), { id: 'otter', needs: ['gpu'] })
    const child = spawn(process.execPath, ['worker.ts'], { cwd: workdir, stdio: 'ignore', env: environmentOf() })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    await handle.idle({ until: 'end' })
    expect(handle.status).toBe('completed')
    const { workers } = await (await starter.cluster()).facts()
    expect(workers).toMatchObject([{ queues: ['default'], slots: 16, can: expect.arrayContaining(['has:gpu', 'tool:charge']) as string[] }])
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect((await (await starter.cluster()).facts()).workers.filter(({ isAlive }) => isAlive)).toEqual([])
  })
})
