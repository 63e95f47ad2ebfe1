import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { recorded, virtualHost } from '../../src/testing/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import { type Workflow, workflow } from '../../src/kinds/workflow/index.ts'
import { order, refund } from './refund.ts'

/** Returns the archive of a run from `reflex export`. */
async function archived(secret?: string): Promise<string[]> {
  const tool = (name: string, result: object) =>
    defineTool({ name, description: name, leaves: true, repeat: 'keyed', run: () => result as { id: string } })
  const reflex = new Reflex({
    store: 'memory:',
    tools: [tool('orders.get', order), tool('payments.refund', { receipt: 'rf_1' })],
    agent: { perNode: { decide: 'script' }, script: { decide: 'FULL' } },
  })
  const run = await reflex.run(refund, { input: { order_id: 'A-1042' } })
  const { handle } = await reflex.answer(run.id, 'YES')
  await handle?.idle()
  const lines: string[] = []
  for await (const line of reflex.export(run.id, secret === undefined ? {} : { secret })) lines.push(line)
  await reflex.close()
  return lines
}

test('a recorded run is decided again, with its own programs and with current programs', async () => {
  const t = await recorded(await archived())
  const end = await t.replay()
  expect(end.status).toBe('completed')
  expect(await t.replay(refund)).toEqual(end)
  const { points, asked } = await t.crashEverywhere()
  expect(points).toBeGreaterThan(40)
  // Tools that the test does not give are unknown, so they must not be repeated without a question.
  expect(asked).toBeGreaterThan(0)
})

test('a program that decides differently is reported as by a replay', async () => {
  const t = await recorded(await archived())
  const stricter: Workflow = {
    ...refund,
    edges: refund.edges.map((edge) =>
      edge.event === 'FULL' ? { ...edge, guard: { type: 'not-exists' as const, key: 'identity' } } : edge,
    ),
  }
  await expect(t.replay(stricter)).rejects.toMatchObject({
    code: 'R5041',
    message: expect.stringMatching(
      /differs in .*at decide: recorded .*approve.* \(open: .*FULL.*\); now not possible \(open: .*NO\)/,
    ) as string,
    path: expect.stringContaining('edges[') as string,
  })
  const other = workflow({ id: 'other', entry: 'a', nodes: { a: {} }, edges: [] })
  await expect(t.replay(other)).rejects.toMatchObject({ code: 'R5043' })
})

test('an archive is read from a file, with its signature', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-recorded-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'refund.run.jsonl')
  writeFileSync(file, `${(await archived('a secret')).join('\n')}\n`)
  await expect((await recorded(file, { secret: 'a secret' })).replay()).resolves.toBeDefined()
  await expect(recorded(join(folder, 'no.run.jsonl'))).rejects.toMatchObject({ code: 'R1021' })
  await expect(recorded(file, { secret: 'another' })).rejects.toMatchObject({ code: expect.stringMatching(/^R20[78]\d$/) as string })
})

test('an advance over days calls each timer at its own time, and does not call background timers a hundred thousand times', async () => {
  const host = virtualHost()
  const rung: string[] = []
  let beats = 0
  const beat = (): void => {
    beats++
    host.at(host.now() + 2_000, beat, true)
  }
  beat()
  const begun = host.now()
  host.at(begun + 86_400_000, () => rung.push(`${host.now() - begun}`))
  await host.advance(3 * 86_400_000)
  expect(rung).toEqual(['86400000'])
  expect(beats).toBeLessThan(2_000)
})
