import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../src/kernel/index.ts'
import { defineTool, Tools } from '../../src/tools/index.ts'
import { callIn, containing, folder, refusal, tools } from './workshop.ts'

const add = defineTool({
  name: 'sum.add',
  description: 'Adds',
  leaves: false,
  repeat: 'free',
  input: z.strictObject({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => a + b,
})

function failing(run: () => Json): Tools {
  return new Tools([defineTool({ name: 'x', description: '', leaves: false, repeat: 'free', run })])
}

describe('the registry', () => {
  it('contains the built-in tools and the given ones', () => {
    expect(tools({ tools: [add] }).names()).toEqual([
      'git.root',
      'git.log',
      'git.tag',
      'git.show',
      'git.diff',
      'git.sample',
      'file.read',
      'file.list',
      'file.search',
      'json.read',
      'file.write',
      'file.edit',
      'command',
      'shell',
      'http',
      'sum.add',
    ])
  })

  it('calls a tool with arguments that its validator has completed', async () => {
    const prepared = new Tools([add]).prepare('sum.add', { a: 2 })
    expect(await prepared.run(callIn(folder()))).toBe(3)
    expect(prepared.says(3)).toBeUndefined()
  })

  it('refuses an unknown name, with a guess if there is one', async () => {
    const all = tools()
    expect(await refusal(() => all.get('git.lg'))).toMatchObject({ code: 'R4100', fix: containing('git.log') })
    expect(await refusal(() => all.get('git.lg', () => 'git.log'))).toMatchObject({
      message: 'there is no tool "git.lg"; did you mean "git.log"?',
      fix: 'write git.log',
    })
    expect(all.find('constructor')).toBeUndefined()
  })

  it('refuses arguments that do not fit, a duplicate name, and an invalid name', async () => {
    const all = tools()
    expect(await refusal(() => all.prepare('git.log', { limt: 1, files: 'yes', limit: 0 }))).toMatchObject({
      code: 'R4101',
      message:
        'git.log: no argument "limt"; it takes repo, since, until, limit, files, merges, paths; limit must be a whole number from 1 to 10000; files must be true or false',
    })
    expect(await refusal(() => all.prepare('git.log', ['x']))).toMatchObject({ code: 'R4101' })
    expect(await refusal(() => new Tools([add]).prepare('sum.add', { a: 'x' }))).toMatchObject({
      code: 'R4101',
      message: containing('a: '),
    })
    expect(await refusal(() => new Tools([add, add]))).toMatchObject({ code: 'R4102' })
    expect(await refusal(() => new Tools([{ ...add, name: 'a b' }]))).toMatchObject({ code: 'R4102' })
  })

  it('refuses a rule of repetition that does not exist, and asks where a call names one', async () => {
    const misspelt = 'never' as unknown as 'ask'
    const refused = { code: 'R4102', message: containing('must be one of ask, free, keyed, found "never"') }
    expect(await refusal(() => new Tools([{ ...add, repeat: misspelt }]))).toMatchObject(refused)
    const prepared = new Tools([{ ...add, repeats: () => misspelt }]).prepare('sum.add', { a: 2 })
    expect(prepared.traits(callIn(folder())).repeat).toBe('ask')
  })

  it('converts errors of a tool, and a result that is not JSON, to faults', async () => {
    const call = callIn(folder())
    const thrown = failing(() => {
      throw new RangeError('too far')
    })
    expect(await refusal(() => thrown.prepare('x', {}).run(call))).toMatchObject({
      code: 'R4103',
      message: 'x failed: too far',
      cause: 'too far',
    })
    const odd = failing(() => new Map() as unknown as Json)
    expect(await refusal(() => odd.prepare('x', {}).run(call))).toMatchObject({ code: 'R2004' })
  })

  it('asks the policy again before it calls', async () => {
    let called = false
    const one = failing(() => {
      called = true
      return null
    })
    const call = callIn(folder(), { allows: (capability) => capability !== 'arbor://tool/x' })
    expect(await refusal(() => one.prepare('x', {}).run(call))).toMatchObject({ code: 'R4105', data: { needs: ['arbor://tool/x'] } })
    expect(called).toBe(false)
  })

  it('returns the facts that a tool declares', () => {
    const prepared = tools().prepare('file.write', { path: 'a', text: '' })
    expect(prepared.traits({ workdir: '/w', runFolder: '/w/r' }).uses?.()).toBe(`tool:${prepared.tool.name}`)
    expect(prepared.traits({ workdir: '/w', runFolder: '/w/r' })).toMatchObject({
      leaves: true,
      repeat: 'keyed',
      needs: ['arbor://tool/file.write', 'arbor://fs/write/w/r/a'],
    })
  })
})
