import { expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { normal, reflex, start, workFolder, type WorldOptions } from './worlds.ts'

/** A folder with a run that waits for a person. */
async function scene(): Promise<WorldOptions & { readonly host: ReturnType<typeof virtualHost> }> {
  const options = { folder: workFolder(), host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none'], options)
  return options
}

test('cancels a run, says who and why, and what to type next', async () => {
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

test('as a document', async () => {
  const options = await scene()
  const { code, out } = await reflex(['cancel', 'otter', '--json'], options)
  expect(code).toBe(0)
  expect(DOCUMENTS.cancelled.parse(JSON.parse(out))).toMatchObject({
    run: 'otter-2m9q',
    status: 'cancelled',
    cancelled: { by: 'ana', record: expect.any(Number) as number },
    inbox: false,
  })
})

test('of a run at which somebody sits elsewhere is told to who holds it', async () => {
  const options = await scene()
  const elsewhere = start(['resume', 'otter'], { ...options, columns: 80 })
  await elsewhere.shows('Approve')
  const cancelling = start(['cancel', 'otter'], options)
  for (let second = 0; second < 4; second++) {
    await options.host.settle()
    await options.host.advance(1000)
  }
  const { code, err } = await cancelling.ended
  expect({ code, err: normal(err) }).toMatchObject({ code: 0, err: expect.stringContaining('otter-2m9q') as string })
  expect((await elsewhere.ended).code).toBe(1)
})
