import { describe, expect, it } from 'vitest'
import { faults, type Fault } from '../../src/kernel/index.ts'
import type { FunctionPin, Rec } from '../../src/kernel/journal/record.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Kind } from '../../src/kernel/step/kind.ts'
import { kindSuite } from '../../src/testing/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { codeOf, kindOf, worldOf } from './world.ts'

type Priced = { readonly name: string; readonly pin: FunctionPin; readonly price: (amount: number) => number }
type Registry = Record<string, (amount: number) => number>

/** A kind whose programs are the name of a function; the registry of the host has it by name and version, the last one is current. */
function pricing(registry: Registry, digests: Readonly<Record<string, string>> = {}): Kind<Priced> {
  return {
    name: 'pricing',
    rev: 1,
    compile(source, functions) {
      const name = (source as { readonly name: string }).name
      const wanted = functions?.find(([one]) => one === name)?.[1]
      const key = Object.keys(registry).findLast((one) => one === `${name}@${wanted ?? one.split('@')[1]}`)
      const price = key === undefined ? undefined : registry[key]
      if (key === undefined || price === undefined) throw faults.make('R2010', `there is no function ${name}`)
      const digest = digests[key]
      const version = key.split('@')[1] ?? ''
      return { name, price, pin: digest === undefined ? [name, version] : [name, version, digest] }
    },
    functions: ({ pin }) => [pin],
    step(x, input) {
      if (input === undefined) x.wait('answer', 'amount')
      else if (input[0] === 'answer') x.done(x.def.price(Number(input[2])))
    },
  }
}

const twice: Registry = { 'vat@1': (amount) => amount * 2 }
const both: Registry = { ...twice, 'vat@2': (amount) => amount * 3 }
const thrice: Registry = { 'vat@2': (amount) => amount * 3 }
const source = { name: 'vat' }

async function suspended(registry: Registry, digests?: Readonly<Record<string, string>>) {
  const store = memoryStore()
  const world = worldOf([pricing(registry, digests)], { store })
  const run = await world.start('pricing', { id: 'otter', source })
  await run.idle()
  await run.leave()
  return store
}

async function faultOf(promise: Promise<unknown>): Promise<Partial<Fault>> {
  try {
    await promise
    return {}
  } catch (thrown) {
    return thrown as Fault
  }
}

describe('a run pins the functions of its program', () => {
  it('with their versions, and is resumed with the same ones', async () => {
    const store = await suspended(twice)
    const next = worldOf([pricing(twice)], { store })
    const run = await next.runtime.resume('otter')
    expect(run.state.pins[0]?.[4]).toEqual([['vat', '1']])
    await run.answer('2w', 10)
    await run.idle()
    expect(run.state.ended?.value).toBe(20)
  })

  it.each<[string, Registry, RegExp]>([
    ['another version', thrice, /^pricing:main@\w{6} was pinned with vat 1: there is no function vat$/],
    ['no function', {}, /^pricing:main@\w{6} was pinned with vat 1: there is no function vat$/],
  ])('and is refused by a process that has %s, before anything is performed', async (_, registry, message) => {
    const store = await suspended(twice)
    const next = worldOf([pricing(registry)], { store })
    for (const refused of [next.runtime.resume('otter'), next.runtime.fork('otter')]) {
      expect(await faultOf(refused)).toMatchObject({
        code: 'R5014',
        run: 'otter',
        message: expect.stringMatching(message) as string,
        fix: 'register vat 1, then try again',
      })
    }
    expect((await store.runs()).map(({ id, status, last }) => [id, status, last])).toEqual([['otter', 'suspended', 2]])
    const heir = worldOf([pricing(twice)], { store })
    expect((await heir.runtime.resume('otter')).status).toBe('suspended')
  })

  it('can be read by a process that has other versions', async () => {
    const store = await suspended(twice)
    const next = worldOf([pricing(thrice)], { store })
    const { records, state } = await next.runtime.history('otter')
    expect([records.length, state.waits.size]).toEqual([2, 1])
    expect(() => replay(records, next.runtime.programs)).toThrow(expect.objectContaining({ code: 'R5014' }))
  })

  it('is refused where the kind ignores the pinned version, or the text of the function differs', async () => {
    const deaf: Kind<Priced> = { ...pricing(thrice), compile: (text) => pricing(thrice).compile(text) }
    const next = worldOf([deaf], { store: await suspended(twice) })
    expect((await faultOf(next.runtime.resume('otter'))).message).toMatch(/was pinned with vat 1 \(here: 2\)$/)
    const digested = worldOf([pricing(twice, { 'vat@1': 'b' })], { store: await suspended(twice, { 'vat@1': 'a' }) })
    expect((await faultOf(digested.runtime.resume('otter'))).message).toMatch(/was pinned with vat 1 \(here: another text\)$/)
  })

  it('gives two runs of one program their own versions in one process', async () => {
    const store = await suspended(twice)
    const world = worldOf([pricing(both)], { store })
    const newer = await world.start('pricing', { id: 'vole', source })
    const older = await world.runtime.resume('otter')
    await newer.idle()
    for (const run of [newer, older]) {
      await run.answer('2w', 10)
      await run.idle()
    }
    expect([newer.state.ended?.value, older.state.ended?.value]).toEqual([30, 20])
    for (const id of ['otter', 'vole']) {
      const { records } = await world.runtime.history(id)
      expect(replay(records, world.runtime.programs).difference).toBeUndefined()
    }
  })

  it('gives a run that is started after an update of the host the new version', async () => {
    const registry = { ...twice }
    const world = worldOf([pricing(registry)])
    const first = await world.start('pricing', { source })
    Object.assign(registry, thrice)
    const second = await world.start('pricing', { source })
    expect([first, second].map(({ state }) => state.pins[0]?.[4])).toEqual([[['vat', '1']], [['vat', '2']]])
  })

  it('continues a journal that does not state them', async () => {
    const store = memoryStore()
    const older: Kind<Priced> = { ...pricing(twice), functions: () => [] }
    const world = worldOf([older], { store })
    const run = await world.start('pricing', { id: 'otter', source })
    await run.idle()
    await run.leave()
    const next = worldOf([pricing(twice)], { store })
    const again = await next.runtime.resume('otter')
    await again.answer('2w', 10)
    await again.idle()
    const { records } = await next.runtime.history('otter')
    expect([again.state.ended?.value, replay(records, next.runtime.programs).difference]).toEqual([20, undefined])
  })
})

describe('a program that a step names', () => {
  const reader = kindOf('reader', (x, input) => {
    if (input === undefined) x.wait('answer', 'reload')
    else if (input[0] === 'answer') {
      const { hash } = input[2] as { readonly hash: string }
      const text = x.becomeProgram('reader:main~new', hash)
      x.set('text', text)
      x.go('new')
      x.wait('answer', 'end')
    }
  })
  const ending = kindOf('ending', (x) => x.done([x.definition('reader:main') as Json, x.definition('reader:absent') === undefined]))

  it('becomes the program of the frame by its hash, also in a replay and in another process', async () => {
    const store = memoryStore()
    const world = worldOf([reader], { store })
    const run = await world.start('reader', { id: 'otter', source: 'old' })
    await run.idle()
    const { hash } = world.runtime.programs.add('reader', 'main', 'new')
    await run.answer('2w', { hash })
    await run.leave()
    const next = worldOf([reader], { store })
    const again = await next.runtime.resume('otter')
    const { records } = await next.runtime.history('otter')
    expect(again.definition(again.state.root.pin)).toBe('new')
    expect(again.state.pins.map(([name]) => name)).toEqual(['reader:main', 'reader:main~new'])
    expect(replay(records, next.runtime.programs).difference).toBeUndefined()
  })

  it('fails with R2010 where its hash is not known', async () => {
    const world = worldOf([reader])
    const run = await world.start('reader', { source: 'old' })
    await run.idle()
    await run.answer('2w', { hash: '0123456789' })
    await run.idle()
    expect(run.state.ended?.value).toMatchObject({
      code: 'R2010',
      message: 'reader:main becomes reader:main~new@012345, which is not registered',
    })
  })

  it('is pinned when its definition is read', async () => {
    const world = worldOf([reader, ending])
    world.runtime.programs.add('reader', 'main', 'text')
    const run = await world.start('ending', { id: 'otter' })
    await run.idle()
    expect(run.state.ended?.value).toEqual(['text', true])
    world.runtime.programs.add('reader', 'main', 'another text')
    const { records } = await world.runtime.history('otter')
    expect(records.flatMap(({ more }: Rec) => more?.pin?.map(([name]) => name) ?? [])).toEqual(['reader:main'])
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('may call functions that its callers do not', async () => {
    const caller = kindOf('caller', (x, input) =>
      input?.[0] === 'ret' ? x.done(input[3]) : input === undefined ? x.call('pricing:main') : undefined,
    )
    const store = memoryStore()
    const world = worldOf([caller, pricing(twice)], { store })
    world.runtime.programs.add('pricing', 'main', source)
    const run = await world.start('caller', { id: 'otter' })
    await run.idle()
    await run.leave()
    expect(run.state.pins.map((pin) => pin[4])).toEqual([undefined, [['vat', '1']]])
    expect(await codeOf(worldOf([caller, pricing(thrice)], { store }).runtime.resume('otter'))).toBe('R5014')
    const next = worldOf([caller, pricing(both)], { store })
    const again = await next.runtime.resume('otter')
    await again.answer([...again.state.waits.keys()][0] ?? '', 4)
    await again.idle()
    const { records } = await next.runtime.history('otter')
    expect([again.state.ended?.value, replay(records, next.runtime.programs).difference]).toEqual([8, undefined])
  })
})

describe('the kind suite of a program that calls functions', () => {
  const suite = kindSuite({
    name: 'pricing',
    kinds: [pricing(both)],
    programs: [{ kind: 'pricing', id: 'main', source }],
    script: { answer: () => 10 },
  })
  for (const { name, run } of suite) it(name, run)
})
