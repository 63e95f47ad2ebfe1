import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { compileTree } from '../../../../src/kinds/tree/compile/compile.ts'
import { type PureEntry, pureFunctions } from '../../../../src/kinds/tree/compile/pure-functions.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { type FunctionRegistry, functionPort } from '../../../../src/kinds/tree/tick/function-port.ts'
import { n } from '../tick/tree-world.ts'

const add = (by: number, version = String(by)): PureEntry => ({
  version,
  pure: ({ blackboard }) => (blackboard.set('n', Number(blackboard.get('n')) + by), 'SUCCESS'),
})
const isBig: PureEntry = { version: '1', pure: ({ blackboard }, args) => Number(blackboard.get('n')) > Number(args) }
const [act, guarded] = [
  n('action', { id: 'act', fn: 'add' }),
  n('guard', { id: 'guarded', condition: { fn: 'isBig', args: 1 } }, [n('action', { id: 'again', fn: 'add' })]),
]
const asking = n('sequence', { id: 'all' }, [act, n('ask', { id: 'ask', text: 'Go on?' }), guarded])

function folder(root: NodeSource, board: JsonObject = { n: { type: 'int', default: 1 } }): string {
  const workdir = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-pure-')))
  onTestFinished(() => rmSync(workdir, { recursive: true, force: true }))
  writeFileSync(join(workdir, 'main.tree.json'), JSON.stringify({ format: 1, id: 'main', board, root }))
  return workdir
}

function open(workdir: string, functions: FunctionRegistry): Reflex {
  const reflex = new Reflex({ workdir, tree: { functions } })
  onTestFinished(() => reflex.close())
  return reflex
}

describe('pure functions', () => {
  test('run in the step: an action, a condition and a guard leave no effect, and a replay calls them again', async () => {
    const workdir = folder(n('sequence', { id: 'all' }, [act, n('condition', { id: 'big', condition: { fn: 'isBig', args: 1 } }), guarded]))
    const reflex = open(workdir, { add: add(1), isBig })
    const run = await reflex.run(join(workdir, 'main.tree.json'))
    expect([run.status, run.get('n')]).toEqual(['completed', 3])
    const { records } = await reflex.runtime.history(run.id)
    expect(records.flatMap(({ requests = [] }) => requests)).toEqual([])
    expect((await reflex.replay(run.id)).result).toBe('equal')
  })

  test('a run keeps the versions with which it was started, beside a run with the next version', async () => {
    const workdir = folder(asking)
    const first = open(workdir, { add: add(1), isBig })
    const { id } = await first.run(join(workdir, 'main.tree.json'))
    await first.close()

    for (const functions of [
      { add: add(10), isBig },
      { add: () => 'SUCCESS' as const, isBig },
    ]) {
      const other = open(workdir, functions)
      const refused = { code: 'R5014', run: id, fix: 'register add 1, isBig 1, then try again' }
      await expect(other.answer(id, 'yes')).rejects.toMatchObject(refused)
      await expect(other.replay(id)).rejects.toMatchObject({ code: 'R5014' })
      await other.close()
    }

    const both = open(workdir, { add: [add(1), add(10)], isBig })
    const newer = await both.run(join(workdir, 'main.tree.json'))
    const values = []
    for (const run of [id, newer.id]) {
      const { handle } = await both.answer(run, 'yes')
      await handle?.idle()
      values.push(handle?.get('n'))
    }
    expect(values).toEqual([3, 21])
    expect([(await both.replay(id)).result, (await both.replay(newer.id)).result]).toEqual(['equal', 'equal'])
  })

  test('a promise, an error and a refused write fail the node', async () => {
    const root = n('selector', { id: 'any' }, [
      n('action', { id: 'late', fn: 'late' }),
      n('action', { id: 'wrong', fn: 'wrong' }),
      n('action', { id: 'text', fn: 'text' }),
      n('condition', { id: 'running', condition: { fn: 'running' } }),
    ])
    const reflex = open(folder(root), {
      late: { version: '1', pure: (() => Promise.resolve('SUCCESS')) as never },
      wrong: {
        version: '1',
        pure: () => {
          throw new Error('no number')
        },
      },
      text: { version: '1', pure: ({ blackboard }) => (blackboard.set('n', 'x'), 'SUCCESS') },
      running: { version: '1', pure: () => 'RUNNING' },
    })
    const run = await reflex.run(join(reflex.workdir, 'main.tree.json'))
    expect([run.status, run.get('n')]).toEqual(['failed', 1])
    const { records } = await reflex.runtime.history(run.id)
    expect(JSON.stringify(records)).toMatch(
      /pure function late returned a promise.*the function wrong failed: no number.*which is no int.*the function running answered RUNNING/,
    )
  })

  test('what a function changes on an object that it has read, or after it has written it, is not on the blackboard', async () => {
    const mutate = ({ blackboard }: Parameters<PureEntry['pure']>[0]): 'SUCCESS' => {
      ;(blackboard.get('list') as number[]).push(2)
      const made = [1]
      blackboard.set('made', made)
      made.push(2)
      return 'SUCCESS'
    }
    for (const [name, entry] of Object.entries({ pure: { version: '1', pure: mutate }, effect: { reads: true, run: mutate } })) {
      const root = n('sequence', { id: 'all' }, [
        n('action', { id: 'm', fn: 'mutate' }),
        n('set', { id: 's', key: 'seen', expression: 'bb.list' }),
      ])
      const reflex = open(folder(root, { list: { default: [1] }, made: {}, seen: {} }), { mutate: entry })
      const run = await reflex.run(join(reflex.workdir, 'main.tree.json'))
      expect([name, run.get('seen'), run.get('made')]).toEqual([name, [1], [1]])
    }
  })

  test('one without a version is refused, and a timeout of one is reported', async () => {
    const workdir = folder(n('action', { id: 'act', fn: 'add', timeout: 10 }))
    const without = open(workdir, { add: { pure: () => 'SUCCESS' } as never })
    await expect(without.run(join(workdir, 'main.tree.json'))).rejects.toMatchObject({ code: 'R1256' })
    const { warnings } = compileTree(
      { format: 1, id: 'main', root: n('action', { id: 'act', fn: 'add', timeout: 10 }) },
      { nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])), pure: pureFunctions({ add: add(1) }) },
    )
    expect(warnings).toMatchObject([{ code: 'R1207', message: 'the timeout of act has no effect: add is pure and answers at once' }])
  })

  test('one that is called as an effect leaves nothing and is repeated freely', () => {
    const port = functionPort({ add: add(1) }, {})
    expect(port.traits?.({ args: { fn: 'add' } } as never)).toMatchObject({ leaves: false, repeat: 'free' })
  })
})
