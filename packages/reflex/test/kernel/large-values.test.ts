import { describe, expect, it } from 'vitest'
import { faults } from '../../src/kernel/journal/faults.ts'
import { faultJson } from '../../src/kernel/journal/fault-json.ts'
import { copyJson, isOversized, type Json, oversizedFault } from '../../src/kernel/journal/json.ts'
import { codeOf, Doors, kindOf, messageOf, type Step, worldOf } from './world.ts'

/** Never written out: a repeated text takes no memory until somebody reads it. */
const HUGE = 'x'.repeat(300_000_000)

/** Asks for one effect, and returns the code of its failure, or what it gave. */
const asks: Step = (x, input) => {
  if (input === undefined) x.request('out')
  else if (input[0] === 'err') x.done((input[2] as { code: string }).code)
  else if (input[0] === 'ok') x.done(input[2])
}
/** Waits for one answer and returns it. */
const waits: Step = (x, input) => {
  if (input === undefined) x.wait('answer', 'go on')
  else x.done('answered')
}
const kinds = [kindOf('asks', asks), kindOf('waits', waits)]

describe('a value that is too large to be recorded', () => {
  it.each([
    ['a text', HUGE],
    ['a list of texts', Array.from({ length: 10 }, () => 'x'.repeat(8_000_000))],
    ['a key', { [`k${'x'.repeat(70_000_000)}`]: 1 }],
  ])('is refused and named: %s', (_, value) => {
    expect(messageOf(() => copyJson(value, 'result of a tool'))).toBe('result of a tool is larger than 64 MB')
    expect([isOversized(value as Json), oversizedFault('answer').message]).toEqual([true, 'answer is larger than 64 MB'])
  })

  it('is refused before it is copied, if it is one part many times', () => {
    let value: Json = 'x'.repeat(100_000)
    for (let i = 0; i < 40; i++) value = [value, value]
    expect(messageOf(() => copyJson(value, 'k'))).toBe('k is larger than 64 MB')
    expect(isOversized(value)).toBe(true)
  })

  it.each(['default', 'accept'])('is the failure of its effect, as a record: %s', async (way) => {
    const accept = way === 'accept' ? { accept: (raw: unknown) => ({ raw: raw as Json }) } : {}
    const world = worldOf(kinds, { ports: { out: { leaves: false, repeat: 'free', perform: async () => HUGE, ...accept } } })
    const run = await world.start('asks')
    await run.idle()
    expect(run.state.ended?.value).toBe('R2019')
  })

  it('fails an effect that reports it as progress, or throws it', async () => {
    const world = worldOf(kinds, {
      ports: {
        out: { leaves: false, repeat: 'free', perform: async (call) => call.part(HUGE) },
      },
    })
    const run = await world.start('asks')
    await run.idle()
    expect(run.state.ended?.value).toBe('R2019')
    const fault = faultJson(faults.make('R2012', HUGE, { cause: HUGE, path: HUGE })) as Record<string, string>
    expect([fault.code, fault.message?.length, fault.cause?.length]).toEqual(['R2012', 10_000, 10_000])
  })

  it('is refused as an answer, a message and an argument, and the run goes on', async () => {
    const world = worldOf(kinds)
    expect(await codeOf(world.start('waits', { args: HUGE }))).toBe('R2019')
    const run = await world.start('waits')
    await run.idle()
    const [wait] = run.state.waits.keys()
    expect(await codeOf((async () => run.answer(wait ?? 0, HUGE))())).toBe('R2019')
    expect(await codeOf((async () => run.message('topic', HUGE))())).toBe('R2019')
    await run.answer(wait ?? 0, 'yes')
    expect(run.state.ended?.value).toBe('answered')
  })
})

it('what cannot be written down stops its own run, and others in the same commit go on', async () => {
  const doors = new Doors()
  const unwritable = {
    toJSON() {
      throw new RangeError('Invalid string length')
    },
  }
  const world = worldOf(kinds, {
    ports: { out: { ...doors.port(), accept: (raw) => raw as Json } },
  })
  const [bad, good] = [await world.start('asks'), await world.start('asks')]
  doors.door(0).settle(unwritable)
  doors.door(1).settle('fine')
  expect(await codeOf(bad.idle())).toBe('R9001')
  await good.idle()
  expect(good.state.ended?.value).toBe('fine')
  expect(await world.store.journal(good.id)).not.toEqual([])
})
