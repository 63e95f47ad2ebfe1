import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { newFolder } from '../app/folders.ts'
import { calls, MISCHIEF, nodeServer, policyFor, reflexWith, type WithServer } from './outside.ts'

const LONG = { timeout: 120_000 }

interface Mischief {
  readonly reflex: Reflex
  /** What the server has noted. */
  readonly notes: () => readonly string[]
  readonly outcome: (tool: string) => Promise<unknown>
}

async function mischief({ entry = {}, options = {} }: Omit<WithServer, 'folder'> = {}): Promise<Mischief> {
  const folder = newFolder()
  const file = join(folder, 'notes')
  writeFileSync(file, '')
  const reflex = await reflexWith('bad', nodeServer(MISCHIEF, file), { folder, entry, options })
  writeFileSync(file, '')
  return {
    reflex,
    notes: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    outcome: async (tool) => {
      const run = await reflex.run(calls(`mcp.bad.${tool}`))
      return run.get('got') ?? run.questions[0]?.fault ?? run.questions[0]
    },
  }
}

const text = (words: string): unknown => expect.stringContaining(words)

describe('a server that misbehaves', () => {
  it('gives a typed fault for each wrong answer, and goes on', LONG, async () => {
    const { outcome, notes } = await mischief()
    expect(await outcome('lie')).toMatchObject({ code: 'R4507', message: text('sum: must be a number') })
    expect(await outcome('bare')).toMatchObject({ code: 'R4507', message: text('returned no structured content') })
    expect(await outcome('blob')).toMatchObject({ code: 'R4507', message: text('Base64') })
    expect(await outcome('big')).toMatchObject({ code: 'R4509' })
    expect(await outcome('fail')).toMatchObject({ code: 'R4508', message: text('out of apples') })
    expect(await outcome('refuse')).toMatchObject({ code: 'R4508', message: text('not today') })
    expect(await outcome('noise')).toEqual({ text: 'noisy' })
    expect(await outcome('model')).toEqual({ text: 'refused' })
    expect(notes().filter((line) => line === 'started')).toHaveLength(1)
  })

  it('is stopped for a message without end and for a flood of text', LONG, async () => {
    const { outcome, notes } = await mischief()
    expect(await outcome('huge')).toMatchObject({ code: 'R4509' })
    expect(await outcome('flood')).toMatchObject({ code: 'R4507', message: text('no message of the protocol') })
    expect(await outcome('fine')).toEqual({ text: 'fine' })
    expect(notes().filter((line) => line === 'started')).toHaveLength(3)
  })

  it('that hangs is told that the call is cancelled, when its time has passed', LONG, async () => {
    const { reflex, outcome, notes } = await mischief({ entry: { timeout: 1_500 } })
    expect(await outcome('hang')).toMatchObject({ code: 'R4506' })
    expect(await outcome('fine')).toEqual({ text: 'fine' })
    expect(notes()).toContain('cancelled')
    const run = await reflex.start(calls('mcp.bad.hang'))
    await expect.poll(() => notes().filter((line) => line === 'call hang')).toHaveLength(2)
    await reflex.cancel(run.id)
    await expect.poll(() => notes().filter((line) => line === 'cancelled')).toHaveLength(2)
  })

  it('that ends in a call is not called again: a person says what happened', LONG, async () => {
    const { reflex, notes } = await mischief({ entry: { trusted: true } })
    const run = await reflex.run(calls('mcp.bad.die'))
    expect(run.questions).toMatchObject([{ name: 'outcome', asker: 'outcome' }])
    expect(notes()).toEqual(['started', 'call die'])
    await reflex.answer(`${run.id}/q1`, 'failed')
    await run.idle()
    expect(notes()).toEqual(['started', 'call die'])
  })

  it('that ends in a call that only reads is started and called again, if it is trusted', LONG, async () => {
    const trusted = await mischief({ entry: { trusted: true } })
    expect(await trusted.outcome('die_once')).toEqual({ text: 'alive' })
    expect(trusted.notes()).toEqual(['started', 'call die_once', 'started', 'call die_once'])
    const other = await mischief()
    expect(await other.outcome('die_once')).toMatchObject({ name: 'outcome' })
  })

  it('that changes its list of tools is stopped, with the difference', LONG, async () => {
    const { outcome } = await mischief()
    expect(await outcome('change')).toEqual({ text: 'changed' })
    expect(await outcome('fine')).toMatchObject({ code: 'R4503', message: text('~ fine: description') })
    expect(await outcome('fine')).toMatchObject({ code: 'R4503' })
  })

  it('reports progress, which the run records', LONG, async () => {
    const { reflex } = await mischief()
    const run = await reflex.run(calls('mcp.bad.progress'))
    const parts = (await reflex.runtime.journal(run.id)).flatMap(({ input }) => (input?.[0] === 'part' ? [input[2]] : []))
    expect(parts).toEqual([{ progress: { done: 1, total: 2, message: 'half' } }])
  })
})

describe('a question of a server', () => {
  const answered = (tool: string, trusted: boolean) => async (): Promise<[unknown, readonly string[]]> => {
    const folder = newFolder()
    const file = join(folder, 'notes')
    writeFileSync(file, '')
    const policy = await policyFor(folder, 'bad', nodeServer(MISCHIEF, file), { trusted })
    const store = memoryStore()
    const options = { store, workdir: folder, trust: 'trusted', policy } as const
    const first = new Reflex(options)
    const run = await first.run(calls(`mcp.bad.${tool}`), { id: 'otter' })
    expect(run.questions).toMatchObject([{ name: 'mcp.bad', question: { text: text('Which word?') } }])
    await run.leave()
    await first.servers.close()
    writeFileSync(file, '')
    const second = new Reflex(options)
    const { handle } = await second.answer('otter/q1', { word: 'plum' })
    await handle?.idle()
    const result = [handle?.get('got') ?? handle?.questions[0], readFileSync(file, 'utf8').split('\n')] as [unknown, readonly string[]]
    await second.close()
    return result
  }

  it('whose process has ended makes the outcome of the call unknown', LONG, async () => {
    const [got, notes] = await answered('ask', true)()
    expect(got).toMatchObject({ name: 'outcome' })
    expect(notes).not.toContain('call ask')
  })

  it('is answered again from the journal, where the tool may be repeated', LONG, async () => {
    const [got, notes] = await answered('ask_and_die', true)()
    expect(got).toEqual({ text: 'you said plum' })
    expect(notes.filter((line) => line.startsWith('answered'))).toEqual(['answered {"action":"accept","content":{"word":"plum"}}'])
  })
})
