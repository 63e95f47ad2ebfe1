import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import type { TreeFunction } from '../../../../src/kinds/tree/tick/function-port.ts'
import { memoryStore } from '../../../../src/store/index.ts'

test('a tree in a file runs a script, a function of the host and a condition in Lua', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trees-'))
  const double: TreeFunction = ({ blackboard }) => {
    blackboard.set('n', Number(blackboard.get('n')) * 2)
    return 'SUCCESS'
  }
  const reflex = new Reflex({ store: memoryStore(), tree: { functions: { double } } })
  try {
    writeFileSync(join(folder, 'add.lua'), 'bb.set("n", bb.n + 1)\n')
    const root = {
      type: 'sequence',
      id: 'all',
      children: [
        { type: 'script', id: 'add', params: { file: 'add.lua' } },
        { type: 'action', id: 'double', params: { fn: 'double' } },
        {
          type: 'condition',
          id: 'right',
          params: { condition: 'local sum = bb.n; while sum > 10 do sum = sum - 1 end; return bb.n == 42' },
        },
      ],
    }
    writeFileSync(
      join(folder, 'main.tree.json'),
      JSON.stringify({ format: 1, id: 'main', board: { n: { type: 'int', default: 20 } }, root }),
    )
    const result = await reflex.run(join(folder, 'main.tree.json'))
    expect(result).toMatchObject({ status: 'completed', value: { n: 42 } })
  } finally {
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a tree that is an object has the checks of a file', async () => {
  const reflex = new Reflex({ store: memoryStore() })
  try {
    const root = { type: 'retry', id: 'again', children: [] }
    await expect(reflex.run({ format: 1, id: 'main', root } as never)).rejects.toMatchObject({ code: 'R1226' })
  } finally {
    await reflex.close()
  }
})

test('a closed Reflex has ended its workers of Lua', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trees-'))
  try {
    const file = join(folder, 'main.lua')
    writeFileSync(file, 'return BT.tree("main", { root = BT.succeed() })\n')
    const reflex = new Reflex({ store: memoryStore() })
    expect((await reflex.library.check(file)).findings).toEqual([])
    await reflex.close()
    expect((await reflex.library.check(file)).findings).toMatchObject([{ code: 'R1245' }])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
