import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Fault, Reflex } from '../../../../src/index.ts'
import { BT } from '../../../../src/kinds/tree/formats/builders.ts'
import { LuaPool } from '../../../../src/kinds/tree/lua/pool.ts'
import { memoryStore } from '../../../../src/store/index.ts'

let folder = ''
const reflex = new Reflex({ store: memoryStore() })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'syntax-'))
  mkdirSync(join(folder, 'scripts'))
})

afterAll(async () => {
  await reflex.close()
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** The error of a file, the same from `validate` and from `run`. */
async function errorOf(name: string, text: string): Promise<Fault> {
  const path = write(name, text)
  const { findings } = await reflex.library.checkCalls(path)
  const [error] = findings.filter(({ severity }) => severity === 'error')
  if (error === undefined) throw new Error('the file is right')
  const thrown: unknown = await reflex.run(path).catch((fault: unknown) => fault)
  expect(thrown).toMatchObject({ code: error.code, rule: error.rule, message: error.message, line: error.line, column: error.column })
  return error
}

const inTree = (name: string, root: string): string => `return BT.tree("${name}", {\n  root = ${root},\n})\n`

describe('the syntax of scripts is checked when their tree is loaded', () => {
  // proves: tree 15
  test('at the word, of a script between brackets', async () => {
    const text = inTree(
      'brackets',
      'BT.sequence({\n    BT.script("ok", { code = "return 1" }),\n    BT.script("add", {\n      code = [[\n        local a = 1\n        bb.set("n" a)\n      ]],\n    }),\n  })',
    )
    const fault = await errorOf('brackets.lua', text)
    expect(fault).toMatchObject({ code: 'R1241', rule: 'E5001', line: 7, column: 20, path: 'add' })
    expect(fault.file).toBe(join(folder, 'brackets.lua'))
    expect(fault.message).toBe("the script is not Lua: ')' expected near 'a'")
    expect(fault.frame).toContain('7 │         bb.set("n" a)')
  })

  test('between quotes, with line breaks of Windows, and in a helper function', async () => {
    const text = inTree('quotes', "step('x = = 1')")
    const fault = await errorOf(
      'quotes.lua',
      `local function step(code)\r\n  return BT.script("s", { code = code })\r\nend\r\n${text.replaceAll('\n', '\r\n')}`,
    )
    expect(fault).toMatchObject({ rule: 'E5001', line: 5, column: 16, path: 's' })
    expect(fault.frame).toContain("5 │   root = step('x = = 1'),")
  })

  test('at its node, if the text stands nowhere as it is', async () => {
    const fault = await errorOf('made.lua', inTree('made', 'BT.script("s", { code = "x = " .. "= 1" })'))
    expect(fault).toMatchObject({ rule: 'E5001', line: 2, column: 3 })
  })

  test('of a condition that has statements', async () => {
    const fault = await errorOf(
      'loop.lua',
      inTree('loop', 'BT.condition("c", {\n    condition = "local n = 1 while n < 3 n = n + 1 end return n" })'),
    )
    expect(fault).toMatchObject({ rule: 'E5001', line: 3, path: 'c' })
    expect(fault.message).toBe("the condition is not Lua: 'do' expected near 'n'")
  })

  test('in JSON, inside of the text', async () => {
    const root = `{ "type": "script", "id": "s",\n    "params": { "code": "local a = 1\\nif a the\\nend" } }`
    const fault = await errorOf('main.tree.json', `{ "id": "main",\n  "root": ${root} }`)
    expect(fault).toMatchObject({ rule: 'E5001', line: 3, column: 44, length: 3, path: 's' })
    expect(fault.message).toBe("the script is not Lua: 'then' expected near 'the'")
  })

  test('in a script file, with its own name and line', async () => {
    write('scripts/step.lua', '-- a step\n\nbb.set("a", 1\n')
    const fault = await errorOf('files.lua', inTree('files', 'BT.script("s", { file = "scripts/step.lua" })'))
    expect(fault).toMatchObject({ rule: 'E5001', file: join(folder, 'scripts/step.lua'), path: 's' })
    expect(fault.message).toBe("the script is not Lua: ')' expected (to close '(' at line 3) near <eof>")
    expect(fault.frame).toContain('3 │ bb.set("a", 1')
  })

  test('of each script, in one call of a worker; a tree without scripts needs none', async () => {
    const code = '[[\n  x = = 1 ]]'
    const text = inTree('many', `BT.sequence({ BT.script("a", { code = ${code} }), BT.script("b", { code = ${code} }) })`)
    const { findings } = await reflex.library.checkCalls(write('many.lua', text))
    expect(findings.filter(({ rule }) => rule === 'E5001').map(({ path, line }) => [path, line])).toEqual([
      ['a', 3],
      ['b', 4],
    ])
    const check = vi.spyOn(LuaPool.prototype, 'check')
    try {
      await reflex.library.check(join(folder, 'many.lua'))
      await reflex.library.check(
        write('none.tree.json', '{ "id": "none", "root": { "type": "condition", "params": { "condition": "bb.a == 1" } } }'),
      )
      expect(check.mock.calls.map(([texts]) => texts.length)).toEqual([2])
    } finally {
      check.mockRestore()
    }
  })

  test('of a tree in TypeScript', async () => {
    const built = BT.tree('built', { root: BT.script('s', { code: 'local a =\nx x' }) })
    await expect(reflex.run(built)).rejects.toMatchObject({ rule: 'E5001', line: 2, path: 's' })
  })
})

// proves: tree 16
test('an error at run time has the line on which it stands in the file of the tree', async () => {
  const text = inTree('wrong', 'BT.script("s", {\n    code = [[\n      local a = bb.missing\n      return a.b\n    ]],\n  })')
  const result = await reflex.run(write('wrong.lua', text))
  const cause = JSON.stringify(result)
  expect(cause).toContain("wrong.lua:5: attempt to index a nil value (local 'a')")
})
