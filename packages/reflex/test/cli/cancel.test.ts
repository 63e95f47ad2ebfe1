import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { normal, reflex, start, workFolder, type WorldOptions } from './worlds.ts'

/** A folder with a run that waits for a person. */
async function scene(): Promise<WorldOptions & { readonly host: ReturnType<typeof virtualHost> }> {
  const options = { folder: workFolder(), host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none'], options)
  return options
}

/** Lets time pass until a command has ended, however slowly the machine gets there. */
async function endOf({ ended }: ReturnType<typeof start>, host: ReturnType<typeof virtualHost>): ReturnType<typeof reflex> {
  const state = { over: false }
  const end = (): void => void (state.over = true)
  void ended.then(end, end)
  while (!state.over) {
    await host.drain()
    await host.advance(500)
  }
  return ended
}

test('cancels a run, and prints the actor, the reason and the next command', async () => {
  const options = await scene()
  const { code, out, err } = await reflex(['cancel', 'otter', '--reason', 'it was withdrawn', '--by', 'ben'], options)
  expect({ code, out }).toEqual({ code: 0, out: '' })
  expect(normal(err)).toMatch(
    /^cancelled {2}otter-2m9q {2}by ben: it was withdrawn · recorded @\d+\n {2}look back {2}reflex trace otter-2m9q\n$/,
  )
  const trace = await reflex(['trace', 'otter'], { ...options, columns: 80 })
  expect(trace.screen).toContain('cancelled by ben: it was withdrawn')
  expect(JSON.parse((await reflex(['inbox', '--json'], options)).out)).toMatchObject({ questions: [] })
  const again = await reflex(['cancel', 'otter'], options)
  expect({ code: again.code, says: again.err.split('\n')[0] }).toEqual({ code: 1, says: 'error R2001  otter-2m9q was cancelled' })
})

test('prints a document', async () => {
  const options = await scene()
  const { code, out } = await reflex(['cancel', 'otter', '--json'], options)
  expect(code).toBe(0)
  expect(DOCUMENTS.cancelled.parse(JSON.parse(out))).toMatchObject({
    run: 'otter-2m9q',
    did: 'cancelled',
    status: 'cancelled',
    effects: [],
    cancelled: { by: 'ana', record: expect.any(Number) as number },
    inbox: false,
  })
})

test('asks the process that owns the run, waits for it, and reports the result', async () => {
  const options = await scene()
  const elsewhere = start(['resume', 'otter'], { ...options, columns: 80 })
  await elsewhere.shows('Approve')
  const cancelling = start(['cancel', 'otter', '--by', 'ben'], options)
  const { code, err } = await endOf(cancelling, options.host)
  expect({ code, err: normal(err).replace(/@\d+|\d{3,}/g, 'N') }).toEqual({
    code: 0,
    err: [
      'cancellation requested; process N will stop the run',
      'cancelled  otter-2m9q  by ben · recorded N by process N',
      '  look back  reflex trace otter-2m9q',
      '',
    ].join('\n'),
  })
  expect((await elsewhere.ended).code).toBe(1)
})

test('an answer given elsewhere ends the question at the terminal within a second', async () => {
  const options = await scene()
  const elsewhere = start(['resume', 'otter'], { ...options, columns: 80 })
  await elsewhere.shows('Approve')
  const answering = start(['answer', 'otter', 'yes', '--by', 'ben'], options)
  expect((await endOf(answering, options.host)).code).toBe(0)
  expect((await endOf(elsewhere, options.host)).screen).toContain('ben')
})

test('a question of the inbox ends when it is answered elsewhere, and names the author', async () => {
  const options = await scene()
  const asking = start(['inbox'], { ...options, columns: 80 })
  await asking.shows('enter to answer here')
  asking.press('enter')
  await asking.shows('Approve')
  await reflex(['answer', 'otter', 'yes', '--by', 'ben'], options)
  const { code, screen } = await endOf(asking, options.host)
  expect([code, screen]).toEqual([2, expect.stringContaining('ben')])
  expect(screen).not.toContain('› Approve')
})

test('reports that the owner of the run did not answer in time', async () => {
  const options = await scene()
  // A process that lives and looks at nothing: its clock stands still.
  const elsewhere = start(['resume', 'otter'], { folder: options.folder, columns: 80, host: virtualHost({ seed: 77 }) })
  await elsewhere.shows('Approve')
  const cancelling = start(['cancel', 'otter', '--wait', '2s'], options)
  const { code, err } = await endOf(cancelling, options.host)
  expect({ code, err: normal(err).replace(/\d{3,}/g, 'N') }).toEqual({
    code: 75,
    err: [
      'cancellation requested; process N will stop the run',
      'requested  otter-2m9q  by ana · not read yet by process N',
      '  it stays in the inbox',
      '  look       reflex show otter-2m9q',
      '',
    ].join('\n'),
  })
  elsewhere.interrupt('SIGINT')
  await elsewhere.ended
})

test('lists the effects that may have happened, with their keys', async () => {
  const options = { folder: workFolder(), host: virtualHost() }
  const begun = join(options.folder, 'begun')
  writeFileSync(
    join(options.folder, 'bank.mjs'),
    `import { writeFileSync } from 'node:fs'
import { defineTool } from '${join(import.meta.dirname, '../../src/tools/index.ts')}'
const input = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
export const pay = defineTool({ name: 'bank.pay', description: '', input, repeat: 'keyed', leaves: true, run: () => { writeFileSync('${begun}', ''); return new Promise(() => undefined) } })
`,
  )
  const pay = { id: 'pays', entry: 'pay', nodes: { pay: { id: 'pay', spec: { tool: 'bank.pay' } } }, edges: [] }
  writeFileSync(join(options.folder, 'pays.workflow.json'), JSON.stringify(pay))
  const paying = start(['run', 'pays.workflow.json', '--id', 'otter-2m9q', '--tools', 'bank.mjs'], { ...options, columns: 80 })
  while (!existsSync(begun)) await options.host.drain()
  const cancelling = start(['cancel', 'otter'], options)
  const { code, err } = await endOf(cancelling, options.host)
  expect({ code, err: normal(err) }).toEqual({
    code: 0,
    err: expect.stringMatching(/\n {2}may have happened {2}pay {2}\S+ {2}key otter-2m9q:\S+\n/) as string,
  })
  expect((await endOf(paying, options.host)).code).toBe(1)
})

describe('without a run', () => {
  const two = async (): Promise<WorldOptions> => {
    const options = await scene()
    await reflex(['run', 'refund.workflow.json', '--id', 'crane-6v4h', '--answers', 'none'], options)
    return options
  }
  const statuses = async (options: WorldOptions): Promise<unknown[]> =>
    (JSON.parse((await reflex(['runs', '--json'], options)).out) as { runs: { status: string }[] }).runs.map(({ status }) => status)

  test('cancels all that match the filter, in pages, or only lists them', async () => {
    const options = await two()
    const filter = ['cancel', '--program', 'workflow:refund', '--status', 'suspended', '--since', '1d']
    const dry = await reflex([...filter, '--dry'], options)
    expect({ code: dry.code, err: dry.err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^would cancel {2}2 runs\n {2}\S+\n {2}\S+\n$/) as string,
    })
    expect(await statuses(options)).toEqual(['suspended', 'suspended'])
    const { out } = await reflex([...filter, '--limit', '1', '--json', '--reason', 'not needed'], options)
    const first = JSON.parse(out) as { cancelled: string[]; next: string }
    expect(DOCUMENTS.cancelledRuns.parse(first)).toMatchObject({
      dry: false,
      cancelled: { length: 1 },
      failed: [],
      next: first.cancelled[0],
    })
    expect((await reflex([...filter, '--after', first.next], options)).err).toContain('cancelled  1 run')
    expect(await statuses(options)).toEqual(['cancelled', 'cancelled'])
    expect(JSON.parse((await reflex(['cancel', '--kind', 'workflow', '--json'], options)).out)).toMatchObject({ cancelled: [] })
  })

  test.each([
    [['cancel']],
    [['cancel', '--dry']],
    [['cancel', 'otter', '--kind', 'workflow']],
    [['cancel', 'otter', '--dry']],
    [['cancel', '--status', 'completed']],
    [['cancel', '--since', 'yesterday']],
    [['cancel', '--kind', 'workflow', '--limit', '5000']],
  ])('%j is refused and cancels nothing', async (argv) => {
    const options = await two()
    const { code, err } = await reflex(argv, options)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('error R2031') as string })
    expect(await statuses(options)).toEqual(['suspended', 'suspended'])
  })
})
