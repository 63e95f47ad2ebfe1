import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { countCells } from '../../src/text/index.ts'
import { type Forgery, forge } from '../app/forged.ts'
import { type Ended, normal, reflex, workFolder, type WorldOptions } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)

/** A work folder with two runs of the refund: one that was answered, and one that waits. */
async function ranIn(): Promise<{ folder: string; world: WorldOptions }> {
  const folder = workFolder()
  const world = { folder, host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'auto'], world)
  await reflex(['run', 'refund.workflow.json', '--id', 'lark-9q2m', '--answers', 'none'], world)
  return { folder, world }
}

/** Another version of the refund beside the first: with one text in the place of another. */
function changed(folder: string, text: string, other: string, name = 'changed'): string {
  const source = readFileSync(join(folder, 'refund.workflow.json'), 'utf8')
  if (!source.includes(text)) throw new Error(`no ${text}`)
  writeFileSync(join(folder, `${name}.workflow.json`), source.replace(text, other))
  return `${name}.workflow.json`
}

async function forged(folder: string, to: string, forgery: Forgery): Promise<void> {
  const store = openSqlite(join(folder, '.reflex', 'reflex.db'))
  await forge(store, 'otter-2m9q', to, forgery)
  await store.close()
}

const GUARD = '"guard": { "type": "exists", "key": "identity" }'
const shown = ({ code, screen }: Ended): string => `${screen}\nexit ${code}`

describe('reflex replay', () => {
  test('reports that everything is equal', async () => {
    const { world } = await ranIn()
    const { code, out, err } = await reflex(['replay', 'otter'], world)
    expect({ code, out, err }).toEqual({
      code: 0,
      out: 'otter-2m9q  14 of 14 records equal · 7 decisions made again, 0 effects · 0 ms\n',
      err: '',
    })
    expect(JSON.parse((await reflex(['replay', 'lark', '--json'], world)).out)).toEqual({
      v: 1,
      run: 'lark-9q2m',
      result: 'equal',
      records: 11,
      equal: 11,
      noted: 0,
      decisions: 5,
      effects: 0,
      snapshots: 0,
    })
  })

  test.each([80, 40])('shows both sides of the first record that differs, at %i columns', async (columns) => {
    const { folder, world } = await ranIn()
    const terminal = { ...world, columns }
    const looks: string[] = []
    const look = async (...argv: string[]): Promise<void> => {
      looks.push(`$ reflex ${argv.join(' ')}\n${shown(await reflex(argv, terminal))}`)
    }
    await look('replay', 'otter')
    await look('replay', 'otter', '--against', changed(folder, GUARD, GUARD.replace('identity', 'idenity')))
    await look(
      'replay',
      'otter',
      '--against',
      changed(folder, '"id": "yes", "from": "approve", "to": "pay"', '"id": "yes", "from": "approve", "to": "decline"'),
    )
    await look('replay', 'otter', '--against', changed(folder, '"id": "nay"', '"id": "never"'))
    await forged(folder, 'newt-1abc', { record: 3, change: (record) => ({ ...record, writes: ['order', { id: 'A-1', total: 4 }] }) })
    await look('replay', 'newt')
    await forged(folder, 'newt-2abc', { row: { status: 'failed' } })
    await look('replay', 'newt-2')
    const seen = looks.join('\n\n')
    await expect(`${normal(seen)}\n`).toMatchFileSnapshot(golden(`replay-${columns}`))
    expect(seen.split('\n').filter((line) => !line.startsWith('$') && countCells(line) >= columns)).toEqual([])
  })

  test('prints a document with the place of a difference and both sides of each part', async () => {
    const { folder, world } = await ranIn()
    const against = changed(folder, GUARD, GUARD.replace('identity', 'idenity'))
    const { code, out } = await reflex(['replay', 'otter', '--against', against, '--json'], world)
    expect({ code, ...(JSON.parse(out) as object) }).toMatchObject({
      code: 1,
      v: 1,
      result: 'differs',
      equal: 9,
      difference: {
        record: 10,
        path: 'decide',
        recorded: { says: 'decide → full, goes to approve', open: ['full', 'part'] },
        decided: { says: 'not possible', open: ['part'] },
        parts: expect.arrayContaining([{ part: 'position', recorded: 'approve' }]) as object[],
      },
      error: { code: 'R5041', file: join(folder, against), line: 43, verdict: 'fail' },
    })
  })

  test.each<[string[], number, string]>([
    [['replay'], 2, 'R2031'],
    [['replay', 'nobody'], 2, 'R2016'],
    [['replay', 'otter', '--against', 'nothing.workflow.json'], 2, 'R1021'],
    [['replay', 'otter', '--against', 'payouts.workflow.json'], 2, 'R5043'],
    [['replay', 'otter', '--against', 'order.json'], 2, 'R1020'],
    [['replay', 'bad-1'], 3, 'R5003'],
  ])('%j exits with %i', async (argv, exit, rule) => {
    const { folder, world } = await ranIn()
    await forged(folder, 'bad-1', { record: 4, change: (record) => ({ ...record, frame: '9f' }) })
    const { code, err, out } = await reflex(argv, world)
    expect({ code, out }).toEqual({ code: exit, out: '' })
    expect(err).toContain(rule)
  })
})
