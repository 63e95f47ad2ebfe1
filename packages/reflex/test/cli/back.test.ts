import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { cells } from '../../src/text/index.ts'
import { type Ended, normal, reflex, workFolder, type WorldOptions } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)

/** A work folder with a run of the refund that has ended. */
async function ran(): Promise<WorldOptions> {
  const folder = workFolder()
  const world = { folder, host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'auto'], world)
  return world
}

const shown = ({ code, screen }: Ended): string => `${screen}\nexit ${code}`

describe('going back', () => {
  test.each([80, 40])('looks, forks, compares and explains, at %i columns', async (columns) => {
    const world = await ran()
    const looks: string[] = []
    const look = async (...argv: string[]): Promise<void> => {
      looks.push(`$ reflex ${argv.join(' ')}\n${shown(await reflex(argv, { ...world, columns, keyboard: false }))}`)
    }
    await look('show', 'otter@9')
    await look('fork', 'otter@9', '--decide', 'part', '--id', 'crane-6v4h')
    await look('runs')
    await reflex(['resume', 'crane', '--answers', 'auto'], world)
    await look('trace', 'crane')
    await look('diff', 'otter', 'crane', '--text')
    await look('diff', 'otter@4', 'otter@9')
    await look('diff', 'otter', 'otter')
    await look('why', 'otter', 'decide')
    await look('why', 'otter', 'receipt')
    await look('fork', 'otter@8', '--set', 'note=careful', '--id', 'heron-1a2b')
    await look('why', 'heron', 'note')
    const seen = looks.join('\n\n')
    await expect(`${normal(seen)}\n`).toMatchFileSnapshot(golden(`back-${columns}`))
    expect(seen.split('\n').filter((line) => !line.startsWith('$') && cells(line) >= columns)).toEqual([])
  })

  test('gives documents of the shapes that are published', async () => {
    const world = await ran()
    const read = async (...argv: string[]): Promise<unknown> => JSON.parse((await reflex([...argv, '--json'], world)).out)
    expect(DOCUMENTS.fork.parse(await read('fork', 'otter@9', '--decide', 'part', '--id', 'crane-6v4h'))).toMatchObject({
      run: 'crane-6v4h',
      from: { run: 'otter-2m9q', record: 9 },
      decided: { place: 'decide', chose: 'part', was: { chose: 'full' } },
    })
    expect(DOCUMENTS.diff.parse(await read('diff', 'otter', 'crane'))).toMatchObject({
      equal: 9,
      differences: expect.any(Array) as unknown,
    })
    expect(DOCUMENTS.why.parse(await read('why', 'otter', 'decide'))).toMatchObject({
      run: 'otter-2m9q',
      cause: { what: 'decision', name: 'decide', value: 'full' },
    })
    expect(DOCUMENTS.replay.parse(await read('diff', 'otter', '--replay'))).toMatchObject({ result: 'equal' })
  })

  test('a fork is no work for a worker, until it is resumed or answered', async () => {
    const world = await ran()
    await reflex(['fork', 'otter@11', '--id', 'crane-6v4h'], world)
    const before = (await reflex(['show', 'crane', '--json'], world)).out
    await world.host?.advance(365 * 86_400_000)
    await reflex(['worker', '--once'], world)
    expect((await reflex(['show', 'crane', '--json'], world)).out).toBe(before)
  })

  test.each<[string[], number, string]>([
    [['fork', 'nobody@3'], 2, 'R2016'],
    [['fork', 'otter@x'], 2, 'R2031'],
    [['fork', 'otter@99'], 2, 'R2062'],
    [['fork', 'otter'], 1, 'R2061'],
    [['fork', 'otter@9', '--decide', 'prt'], 2, 'did you mean "part"?'],
    [['fork', 'otter@9', '--set', 'novalue'], 2, 'R2032'],
    [['fork', 'otter@4', '--id', 'otter-2m9q'], 2, 'R5007'],
    [['diff', 'otter'], 2, 'R2031'],
    [['diff', 'otter', 'otter@99'], 2, 'R2021'],
    [['why', 'otter', 'decid'], 2, 'did you mean "decide"?'],
    [['why', 'otter', '@99'], 2, 'R2065'],
  ])('%j exits with %i', async (argv, exit, text) => {
    const { code, err, out } = await reflex(argv, await ran())
    expect({ code, out }).toEqual({ code: exit, out: '' })
    expect(err).toContain(text)
  })
})
