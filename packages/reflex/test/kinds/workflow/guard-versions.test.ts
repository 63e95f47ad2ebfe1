import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../src/index.ts'
import type { DecisionAgent, GuardFunction, GuardRegistry } from '../../../src/kinds/workflow/index.ts'

const never: GuardFunction = () => false
const always: GuardFunction = () => true

/** Asks once at `a`, then follows the first open edge. */
const asker: DecisionAgent = {
  resolve: ({ node, validEdges, input }) => {
    if (node.id === 'a' && input === undefined) return Promise.resolve({ type: 'suspend', reason: 'ready?' })
    const [edge] = validEdges
    return Promise.resolve(edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id })
  },
}

function folder(version?: string): string {
  const workdir = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-guards-')))
  onTestFinished(() => rmSync(workdir, { recursive: true, force: true }))
  const guard = { type: 'custom', name: 'isSmall', ...(version === undefined ? {} : { version }) }
  const spec = { agent: 'asker' }
  const flow = {
    id: 'w',
    entry: 'a',
    nodes: { a: { id: 'a', spec }, small: { id: 'small', spec }, large: { id: 'large', spec } },
    edges: [
      { id: 'yes', from: 'a', to: 'small', event: 'YES', guard },
      { id: 'no', from: 'a', to: 'large', event: 'NO' },
    ],
  }
  writeFileSync(join(workdir, 'w.workflow.json'), JSON.stringify(flow))
  return workdir
}

function open(workdir: string, isSmall: GuardRegistry[string]): Reflex {
  const reflex = new Reflex({ workdir, workflow: { guards: { isSmall }, agents: { asker } } })
  onTestFinished(() => reflex.close())
  return reflex
}

const one = { version: '1', evaluate: never }
const two = { version: '2', evaluate: always }

async function answered(reflex: Reflex, id: string): Promise<unknown> {
  const { handle } = await reflex.answer(id, 'go')
  await handle?.idle()
  return handle?.run.state.root.position
}

test('a run keeps the version of a guard with which it was started, beside a run with the next version', async () => {
  const workdir = folder()
  const first = open(workdir, one)
  const { id } = await first.run(join(workdir, 'w.workflow.json'))
  await first.close()

  const other = open(workdir, two)
  await expect(other.answer(id, 'go')).rejects.toMatchObject({ code: 'R5014', run: id, fix: 'register isSmall 1, then try again' })
  await expect(other.fork(id)).rejects.toMatchObject({ code: 'R5014' })
  await expect(other.replay(id)).rejects.toMatchObject({ code: 'R5014' })
  await other.close()

  const both = open(workdir, [one, two])
  const newer = await both.run(join(workdir, 'w.workflow.json'))
  expect([await answered(both, id), await answered(both, newer.id)]).toEqual(['large', 'small'])
  expect([(await both.replay(id)).result, (await both.replay(newer.id)).result]).toEqual(['equal', 'equal'])
})

test('a file names a version, and a version that the host does not have is refused before the run', async () => {
  const workdir = folder('1')
  const both = open(workdir, [one, two])
  const { id } = await both.run(join(workdir, 'w.workflow.json'))
  expect(await answered(both, id)).toBe('large')
  await both.close()
  await expect(open(workdir, two).run(join(workdir, 'w.workflow.json'))).rejects.toMatchObject({
    code: 'R1049',
    message: expect.stringContaining('"isSmall" in version "1"') as string,
  })
})

test('a function without a version stands for the version of the file', async () => {
  const workdir = folder('1')
  const first = open(workdir, never)
  const { id } = await first.run(join(workdir, 'w.workflow.json'))
  await first.close()
  expect(await answered(open(workdir, always), id)).toBe('small')
})
