import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const NAME = 'orders.look_up@1.0.0'

/** Changes the skill of the folder so that it asks for a fact and reads a value of its host. */
function facts(folder: string): void {
  const path = join(folder, 'look-up.skill.json')
  const text = readFileSync(path, 'utf8').replace(/"compat": \{[^}]*\}/, '"compat": { "env": "staging", "project": "acme" }')
  writeFileSync(path, text.replace('"preconditions": {', '"preconditions": { "invariants": ["ctx.team == \'shop\'"],'))
}

// proves: skill 137
test('the facts of a folder stand in its settings, for every command', async () => {
  const options = { folder: workFolder() }
  facts(options.folder)
  const run = async (): Promise<readonly [number, string]> => {
    const { code, err } = await reflex(['run', 'look-up.skill.json', '-i', 'path=order.json', '--draft'], options)
    return [code, err]
  }
  const settings = (skill: object): void => writeFileSync(join(options.folder, 'reflex.config.json'), JSON.stringify({ skill }))
  expect(await run()).toEqual([1, expect.stringContaining('compat.env')])
  settings({ project: 'acme', compat: { env: 'staging' } })
  expect(await run()).toEqual([1, expect.stringContaining('invariant')])
  settings({ project: 'acme', compat: { env: 'staging' }, board: { ctx: { team: 'shop' } }, goalLabels: ['orders'] })
  expect(await run()).toEqual([0, expect.any(String)])
  // Nothing that gives a permission stands in a file beside programs.
  settings({ project: 'acme', principal: { id: 'root', roles: ['admin'] } })
  expect((await run())[1]).toContain('principal')
})

test('skills of one environment are not those of another', async () => {
  const options = { folder: workFolder() }
  const settings = (env: string): void =>
    writeFileSync(join(options.folder, 'reflex.config.json'), JSON.stringify({ skill: { compat: { env } } }))
  settings('staging')
  expect((await reflex(['skill', 'test', 'look-up.skill.json'], options)).code).toBe(0)
  expect((await reflex(['skill', 'approve', NAME, '--by', 'ana'], options)).code).toBe(0)
  const shown = async (): Promise<readonly string[]> => [
    (await reflex(['skill', 'list'], options)).out,
    (await reflex(['bulletin', 'preview', '--user', 'look up the order'], options)).out.includes('orders.look_up') ? 'shown' : 'not shown',
    String((await reflex(['run', 'skill:orders.look_up', '-i', 'path=order.json'], options)).code),
  ]
  expect(await shown()).toEqual([`${NAME}\tactive\t100 %\tpassed\t\n`, 'shown', '0'])
  settings('production')
  expect(await shown()).toEqual(['', 'not shown', '1'])
})

test('skills.yaml has values for every command, which the settings of the folder replace', async () => {
  const options = { folder: workFolder() }
  facts(options.folder)
  const write = (name: string, text: string): void => writeFileSync(join(options.folder, name), text)
  const settings = (board: object): void =>
    write('reflex.config.json', JSON.stringify({ skill: { project: 'acme', compat: { env: 'staging' }, board } }))
  const run = async (): Promise<readonly [number, string]> => {
    const { code, err } = await reflex(['run', 'look-up.skill.json', '-i', 'path=order.json', '--draft'], options)
    return [code, err]
  }
  settings({})
  expect(await run()).toEqual([1, expect.stringContaining('invariant')])
  write('skills.yaml', 'ctx: { team: shop }\n')
  expect(await run()).toEqual([0, expect.any(String)])
  settings({ ctx: { team: 'site' } })
  expect((await run())[0]).toBe(1)
  settings({})
  write('skills.yaml', 'ctx:\n  team: *shop\n')
  expect(await run()).toEqual([1, expect.stringContaining('R1475')])
})

test('a mistake in skills.yaml stops what is said of skills, too', async () => {
  const options = { folder: workFolder() }
  const write = (text: string): void => writeFileSync(join(options.folder, 'skills.yaml'), text)
  expect((await reflex(['skill', 'test', 'look-up.skill.json'], options)).code).toBe(0)
  expect((await reflex(['skill', 'approve', NAME, '--by', 'ana'], options)).code).toBe(0)
  const asked = async (): Promise<readonly (readonly [number, boolean])[]> => {
    const found: (readonly [number, boolean])[] = []
    for (const words of [
      ['gate', 'explain', '--skill', 'orders.look_up', '--input', 'path=order.json'],
      ['bulletin', 'preview', '--user', 'look up the order'],
    ]) {
      const { code, err } = await reflex(words, options)
      found.push([code, err.includes('skills.yaml:2:9')])
    }
    return found
  }
  write('ctx:\n  team: shop\n')
  expect(await asked()).toEqual([
    [0, false],
    [0, false],
  ])
  write('ctx:\n  team: *shop\n')
  expect(await asked()).toEqual([
    [1, true],
    [1, true],
  ])
})
