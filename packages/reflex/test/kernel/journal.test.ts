import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeBatch, encodeRecord } from '../../src/kernel/journal/codec.ts'
import { FORMAT } from '../../src/kernel/journal/record.ts'
import { State } from '../../src/kernel/state/state.ts'
import { memoryStore } from '../../src/store/index.ts'
import { Doors, kindOf, type Step, worldOf } from './world.ts'

const DOCUMENT = readFileSync(resolve(import.meta.dirname, '../../../../docs/journal.md'), 'utf8')
/** The example: a JSON list of records, one on each line, as a store keeps a batch. */
const EXAMPLE = /```json journal\n([\s\S]*?)\n```/.exec(DOCUMENT)?.[1] ?? ''

/** The program of the example: it reads notes, asks a person, and calls a program that signs. */
const review: Step = (x, input) => {
  switch (input?.[0]) {
    case undefined:
      x.go('reading')
      return void x.request('read', ['notes.txt'])
    case 'ok':
      x.go('asking')
      x.setAccepted(['notes', input[2]])
      x.timer(86_400_000, 'deadline')
      return void x.wait('answer', 'approve', { about: { options: ['yes', 'no'] } })
    case 'answer':
      x.drop('4w')
      x.note({ approved: true })
      return void x.call('sign:sign', { map: [['signature', 'by']], isolated: true, args: { answer: input[2] } })
    case 'ret':
      return x.done({ signature: x.get('signature') ?? null })
    default:
  }
}
const sign: Step = (x) => {
  x.set('by', 'ann')
  x.done()
}

async function example(): Promise<string> {
  const doors = new Doors()
  const world = worldOf([kindOf('review', review), kindOf('sign', sign)], {
    ports: { read: doors.port() },
    store: memoryStore(),
    at: Date.UTC(2026, 0, 5, 9),
  })
  world.runtime.programs.add('sign', 'sign', {})
  let drawn = 0
  world.host.entropy = () => String(++drawn).repeat(32)
  const run = await world.start('review', { id: 'otter-2m9q', args: { file: 'notes.txt' } })
  await world.host.advance(40)
  doors.door().part('all ')
  doors.door().settle('all is well, as far as we can see')
  await run.idle()
  await world.host.advance(90_000)
  await run.answer('4w1', 'yes', 'ann')
  await run.idle()
  const batches = await world.store.journal(run.id)
  const texts = batches.flatMap(({ version, body }) => decodeBatch(version, body, () => 'null').map((record) => encodeRecord(record).text))
  return `[${texts.join(',\n')}]`
}

describe('docs/journal.md', () => {
  it('shows the journal that this release writes', async () => {
    expect(EXAMPLE).toBe(await example())
  })

  it('shows one that can be read, folded and written again', () => {
    const records = decodeBatch(FORMAT, EXAMPLE, () => 'null')
    const state = new State()
    for (const record of records) state.apply(record)
    expect(state.start?.run).toBe('otter-2m9q')
    expect(state.root.reader().get('notes')).toBe('all is well, as far as we can see')
    expect(state.ended).toEqual({ status: 'done', value: { signature: 'ann' } })
    expect(`[${records.map((record) => encodeRecord(record).text).join(',\n')}]`).toBe(EXAMPLE)
  })

  it('describes the format of this release, and every part of it', () => {
    expect(DOCUMENT).toContain(`# The journal, format ${FORMAT}`)
    const inputs = ['ok', 'err', 'part', 'again', 'unknown', 'answer', 'message', 'timer', 'ret', 'end', 'cancel', 'host', 'kernel']
    const more = [
      'patch',
      'tombstones',
      'root',
      'note',
      'go',
      'call',
      'spawn',
      'adopt',
      'return',
      'wait',
      'asks',
      'repeat',
      'drop',
      'kill',
      'unwind',
      'open',
      'sub',
      'shut',
      'pin',
      'become',
      'start',
    ]
    for (const word of [...inputs, ...more]) expect(DOCUMENT).toMatch(new RegExp(`\`(\\['?)?${word}\\b`))
  })
})
