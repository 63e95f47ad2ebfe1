import { expect, test } from 'vitest'
import { runScript } from '../../../../src/kinds/tree/lua/machine/run-script.ts'
import { Sandbox } from '../../../../src/kinds/tree/lua/machine/sandbox.ts'
import { engineModule } from '../../../../src/kinds/tree/lua/pool-worker.ts'

const LIMITS = { steps: 3_000_000, memoryBytes: 30 * 1024 * 1024, resultBytes: 1024 }

test('each instance of the engine makes the same memory image, byte for byte', () => {
  expect(new Sandbox(engineModule()).image).toEqual(new Sandbox(engineModule()).image)
})

test('a script begins with the image, whatever ran before', () => {
  const sandbox = new Sandbox(engineModule())
  const scripts = [
    'x = 1 return { x }',
    'while true do end',
    'os.exit()',
    'local function f() return 1 + f() end f()',
    'local t = {} for i = 1, 20 do t[i] = ("x"):rep(1e6 + i) end return #t',
    'local s = "x" while true do s = s .. s end',
  ]
  for (const code of scripts) {
    runScript(sandbox, { code, file: 'x.lua', line: 1, board: [], ctx: {}, as: 'script', limits: LIMITS })
    sandbox.machine.load(sandbox.image, LIMITS)
    const { data, heap } = sandbox.machine.image()
    expect(Buffer.compare(data, sandbox.image.data), code).toBe(0)
    // The hook that counts is set; nothing else differs.
    const differing = heap.reduce((sum, byte, i) => sum + Number(byte !== sandbox.image.heap[i]), 0)
    expect([heap.length, differing <= 16], code).toEqual([sandbox.image.heap.length, true])
  }
})
