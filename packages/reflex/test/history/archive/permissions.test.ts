import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../src/app/reflex.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { lifeIn, newFolder } from '../../app/folders.ts'
import { exported, rehashed } from './lines.ts'
import { forgotten, sealedCopy } from './sealed.ts'

const SHELL = 'arbor://shell/exec'
const ASK = { policy: [{ file: 'ask.policy.json', allow: [], deny: [], ask: [SHELL] }] }
const DOT = `digraph q { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
 a [type="shell", command="echo one > one.txt", timeout="20s"]; gate [shape=hexagon, label="Go?"];
 b [type="shell", command="echo two > two.txt", timeout="20s"];
 start -> a -> gate; gate -> b [label="Yes"]; gate -> a [label="No"]; b -> done }`

/** Returns the archive of a run in which a person has allowed the command of `a`, and which waits at the gate. */
async function archived(): Promise<string[]> {
  const folder = newFolder()
  writeFileSync(join(folder, 'q.dot'), DOT)
  const reflex = lifeIn(folder, { ...ASK, store: memoryStore() })
  const { run } = await reflex.run(join(folder, 'q.dot'), { id: 'otter' })
  await run.idle()
  await answer(reflex, 'otter', 'allow')
  return exported(reflex, 'otter')
}

/** Creates another machine, with a folder of its own. */
function machine(): { readonly reflex: Reflex; readonly wasRun: () => boolean } {
  const folder = newFolder()
  return { reflex: lifeIn(folder, { ...ASK, store: memoryStore() }), wasRun: () => existsSync(join(folder, 'two.txt')) }
}

async function answer(reflex: Reflex, run: string, word: string): Promise<void> {
  const { handle } = await reflex.answer(run, word)
  await handle?.idle()
}

const asked = async (reflex: Reflex, run: string): Promise<unknown[]> =>
  [...(await reflex.runtime.peek(run)).state.waits.values()].map(({ about }) => (about as { readonly text: string }).text)

describe('permissions in an archive', () => {
  test('that it claims do not count, and an answer that is given here counts', async () => {
    const claim = `["${SHELL}","0/a",true]`
    const honest = await archived()
    const forged = rehashed(honest.map((line) => line.replace(`[${claim}]`, `[${claim},["${SHELL}","0/b",true]]`)))
    expect(forged.join()).toContain('"0/b",true')
    const { reflex, wasRun } = machine()
    await reflex.import(forged)
    expect(await exported(reflex, 'otter')).toEqual(forged)
    await answer(reflex, 'otter', 'Yes')
    expect([await asked(reflex, 'otter'), wasRun()]).toEqual([[`May b use ${SHELL}?`], false])
    await answer(reflex, 'otter', 'allow')
    expect([(await reflex.find('otter')).status, wasRun()]).toEqual(['completed', true])
    // The changed record is not one that the run can have made.
    expect(await reflex.replay('otter')).toMatchObject({ result: 'differs' })
  })

  test('that were given elsewhere do not count, and are asked for once here', async () => {
    const { reflex } = machine()
    await reflex.import(await archived())
    await answer(reflex, 'otter', 'No')
    expect(await asked(reflex, 'otter')).toEqual([`May a use ${SHELL}?`])
    await answer(reflex, 'otter', 'allow')
    expect(await asked(reflex, 'otter')).toEqual(['Go?'])
    await answer(reflex, 'otter', 'No')
    expect(await asked(reflex, 'otter')).toEqual(['Go?'])
    expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
    const again = machine().reflex
    await again.import(reflex.export('otter'))
    await answer(again, 'otter', 'No')
    expect(await asked(again, 'otter')).toEqual([`May a use ${SHELL}?`])
  })

  test('do not count in a fork, and an answer in the fork counts', async () => {
    const { reflex } = machine()
    await reflex.import(await archived())
    const { last } = await reflex.find('otter')
    await reflex.fork(`otter@${last - 1}`, { id: 'wren' })
    const handle = await reflex.resume('wren')
    await handle.idle()
    await answer(reflex, 'wren', 'No')
    expect(await asked(reflex, 'wren')).toEqual([`May a use ${SHELL}?`])
    await answer(reflex, 'wren', 'allow')
    await answer(reflex, 'wren', 'No')
    expect(await asked(reflex, 'wren')).toEqual(['Go?'])
  })

  test('do not count in the state that opens an archive', async () => {
    const { reflex, wasRun } = machine()
    await reflex.import(await archived())
    const { last } = await reflex.find('otter')
    await sealedCopy(reflex, 'otter', reflex.store, 'lark', [last - 1])
    await forgotten(reflex.store, 'lark', 1, 'ab'.repeat(32))
    const lines = await exported(reflex, 'lark')
    const there = machine().reflex
    expect(await there.import(lines)).toMatchObject({ first: last })
    expect((await exported(there, 'lark')).slice(0, 3)).toEqual(lines.slice(0, 3))
    await answer(there, 'lark', 'No')
    expect(await asked(there, 'lark')).toEqual([`May a use ${SHELL}?`])
    await answer(there, 'lark', 'allow')
    await answer(there, 'lark', 'No')
    expect([await asked(there, 'lark'), wasRun()]).toEqual([['Go?'], false])
  })

  test('in a message are asked for again', async () => {
    const lines = await archived()
    const last = lines.filter((line) => line.startsWith('{"record":')).length
    const message = (id: string, to: string, body: string): string =>
      JSON.stringify({ message: id, type: 'answer', to, body, at: 1, hash: '' })
    const end = (lines.at(-1) ?? '').replace(/"lines":(\d+)/, (_, count: string) => `"lines":${Number(count) + 3}`)
    const early = [1, 2].map((more) => message(`m${more}`, `${last + more}w`, 'allow'))
    const { reflex, wasRun } = machine()
    const forged = rehashed([...lines.slice(0, -1), message('m0', `${last}w`, 'Yes'), ...early, end])
    expect(await reflex.import(forged)).toMatchObject({ messages: 1 })
    const handle = await reflex.resume('otter')
    await handle.idle()
    expect([await asked(reflex, 'otter'), wasRun()]).toEqual([[`May b use ${SHELL}?`], false])
  })
})
