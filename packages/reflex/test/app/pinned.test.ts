import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { lifeIn, newFolder, workflow } from './folders.ts'

/** Asks, then calls the program that signs, which writes its version. */
function letter(version: string): object {
  const nodes = {
    ask: { ask: 'Send it?', options: [{ event: 'YES' }] },
    sign: { invokes: { workflowId: 'sign', returnMap: [{ parentKey: 'signed', childKey: 'by' }] } },
    send: { writes: { sent: version } },
  }
  return workflow('letter', nodes, [
    ['yes', 'ask', 'sign'],
    ['on', 'sign', 'send'],
  ])
}

function sign(version: string): object {
  return workflow('sign', { only: { writes: { by: version } } }, [])
}

function write(folder: string, name: string, program: object): string {
  const file = join(folder, `${name}.workflow.json`)
  writeFileSync(file, JSON.stringify(program))
  return file
}

async function closed<T>(folder: string, work: (reflex: Reflex) => Promise<T>): Promise<T> {
  const reflex = lifeIn(folder)
  try {
    return await work(reflex)
  } finally {
    await reflex.close()
  }
}

/** Answers a run in a process of its own, and gives what it came to. */
async function answered(folder: string, run: string): Promise<readonly (Json | undefined)[]> {
  return closed(folder, async (reflex) => {
    const { handle } = await reflex.answer(run, 'YES')
    await handle?.idle()
    return [handle?.status, handle?.get('sent'), handle?.get('signed')]
  })
}

describe('a run goes on with the programs that it was started with', () => {
  test('after its file and those that it calls were changed, and after they are gone', async () => {
    const folder = newFolder()
    write(folder, 'sign', sign('first'))
    const file = write(folder, 'letter', letter('first'))
    await closed(folder, async (reflex) => {
      await reflex.run(file, { id: 'a' })
      await reflex.run(file, { id: 'b' })
    })
    write(folder, 'sign', sign('second'))
    write(folder, 'letter', letter('second'))
    expect(await answered(folder, 'a')).toEqual(['completed', 'first', 'first'])
    rmSync(join(folder, 'sign.workflow.json'))
    rmSync(file)
    expect(await answered(folder, 'b')).toEqual(['completed', 'first', 'first'])
  })

  test('though another run holds another version of the same program, in one process', async () => {
    const folder = newFolder()
    write(folder, 'sign', sign('first'))
    const file = write(folder, 'letter', letter('first'))
    await closed(folder, async (reflex) => {
      const first = await reflex.run(file, { id: 'first' })
      write(folder, 'sign', sign('second'))
      write(folder, 'letter', letter('second'))
      // What this process has read stays read: the second version comes with the next one.
      expect(first.status).toBe('suspended')
    })
    await closed(folder, async (reflex) => {
      const second = await reflex.run(file, { id: 'second' })
      const hashes = (await reflex.runs()).map(({ program }) => program[3])
      expect(new Set(hashes).size).toBe(2)
      const { handle: first } = await reflex.answer('first', 'YES')
      await reflex.answer('second', 'YES')
      await Promise.all([first?.idle(), second.idle()])
      expect([first?.get('sent'), first?.get('signed'), second.get('sent'), second.get('signed')]).toEqual([
        'first',
        'first',
        'second',
        'second',
      ])
      for (const id of ['first', 'second']) expect(await reflex.replay(id)).toMatchObject({ result: 'equal' })
    })
  })

  test('also with one that it came to call late, as it was then', async () => {
    const folder = newFolder()
    const late = workflow(
      'late',
      {
        call: { invokes: { workflowId: 'sign', returnMap: [{ parentKey: 'one', childKey: 'by' }] } },
        ask: { ask: 'Again?', options: [{ event: 'YES' }] },
        again: { invokes: { workflowId: 'sign', returnMap: [{ parentKey: 'two', childKey: 'by' }] } },
        send: { writes: { sent: 'yes' } },
      },
      [
        ['a', 'call', 'ask'],
        ['yes', 'ask', 'again'],
        ['c', 'again', 'send'],
      ],
    )
    const file = write(folder, 'late', late)
    await closed(folder, async (reflex) => {
      const run = await reflex.run(file, { id: 'late' })
      expect(run.questions[0]?.fault?.code).toBe('R2055')
    })
    write(folder, 'sign', sign('first'))
    await closed(folder, async (reflex) => {
      const { handle } = await reflex.answer('late', null)
      await handle?.idle()
      expect([handle?.status, handle?.get('one')]).toEqual(['suspended', 'first'])
      expect(await reflex.replay('late')).toMatchObject({ result: 'equal' })
    })
    write(folder, 'sign', sign('second'))
    await closed(folder, async (reflex) => {
      const { handle } = await reflex.answer('late', 'YES')
      await handle?.idle()
      expect([handle?.status, handle?.get('two')]).toEqual(['completed', 'first'])
      expect(await reflex.replay('late')).toMatchObject({ result: 'equal' })
      // Neither the run nor the program that it did not find then differs in the changed one.
      expect(await reflex.replay('late', { against: file })).toMatchObject({ result: 'equal' })
    })
  })

  test('and where the store has lost one, says so and leaves the run as it is', async () => {
    const folder = newFolder()
    write(folder, 'sign', sign('first'))
    const file = write(folder, 'letter', letter('first'))
    await closed(folder, (reflex) => reflex.run(file, { id: 'a' }))
    const db = new DatabaseSync(join(folder, 'reflex.db'))
    db.prepare('delete from program where source like \'%"sign"%only%\'').run()
    db.close()
    rmSync(join(folder, 'sign.workflow.json'))
    await closed(folder, async (reflex) => {
      const before = await reflex.store.read('a', 0)
      for (const look of [() => reflex.resume('a'), () => reflex.answer('a', 'YES'), () => reflex.replay('a'), () => reflex.show('a')])
        await expect(look()).rejects.toMatchObject({
          code: 'R5006',
          run: 'a',
          message: expect.stringMatching(/workflow:sign@[0-9a-f]{6} is not in the store/) as string,
        })
      expect(await reflex.store.read('a', 0)).toEqual(before)
      expect(await reflex.store.inbox('a')).toEqual([])
    })
  })

  test('and is replayed on the very programs that it pinned', async () => {
    const folder = newFolder()
    write(folder, 'sign', sign('first'))
    const file = write(folder, 'letter', letter('first'))
    await closed(folder, (reflex) => reflex.run(file, { id: 'a' }))
    write(folder, 'letter', { ...letter('second'), edges: [] })
    await closed(folder, async (reflex) => expect(await reflex.replay('a')).toMatchObject({ result: 'equal' }))
  })
})
