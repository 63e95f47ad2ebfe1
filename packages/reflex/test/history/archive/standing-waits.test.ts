import { expect, test } from 'vitest'
import type { Input, Outputs, Rec } from '../../../src/kernel/index.ts'
import { checkRecord } from '../../../src/history/archive/record-shape.ts'
import { kindOf, type Step, worldOf } from '../../kernel/world.ts'

const record = (input: unknown, more?: unknown): Rec => ({
  frame: 0,
  elapsed: 0,
  input: input as Input,
  writes: undefined,
  position: undefined,
  requests: undefined,
  more: more as Outputs,
})

test('an archive takes the records of waits that stay, of lists of messages and of skipped timers', async () => {
  const step: Step = (x, input) => {
    if (input === undefined)
      return void [x.wait('message', 'event', { stays: true, most: 5, bytes: 100 }), x.wait('timer', 't', { every: 50 })]
    return input[0] === 'timer' ? x.skip() : undefined
  }
  const { start, runtime, host } = worldOf([kindOf('takes', step)])
  const run = await start('takes', { id: 'otter' })
  await run.message('event', 1, { by: 'ann' })
  await host.advance(120)
  await run.leave()
  const { records } = await runtime.history('otter')
  expect(records.map(({ input }) => input?.slice(0, 2))).toEqual([
    ['kernel', 'start'],
    undefined,
    ['messages', '2w'],
    ['kernel', 'skipped'],
  ])
  for (const one of records) expect(checkRecord(one)).toBe(one)
  await runtime.close()
})

test.each([
  ['no message', record(['messages', '2w', []])],
  ['a message without an id', record(['messages', '2w', [[1, 'body']]])],
  ['a timer every half millisecond', record(undefined, { wait: [['timer', 't', 1, null, null, { every: 0.5 }]] })],
  ['an unknown rule', record(undefined, { wait: [['message', 't', null, null, null, { often: 1 }]] })],
])('an archive refuses %s', (_, one) => {
  expect(() => checkRecord(one)).toThrow('does not have the form of a record')
})
