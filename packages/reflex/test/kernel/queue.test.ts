import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Frame } from '../../src/kernel/state/frame.ts'
import { Queue } from '../../src/kernel/state/queue.ts'

it('hands out first what came first, and passes over frames that are gone', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant('take' as const), fc.integer({ min: -5, max: -1 })), {
        maxLength: 200,
      }),
      (acts) => {
        const frames = Array.from({ length: 6 }, (_, i) => new Frame(i, 0, undefined, undefined))
        const queue = new Queue()
        let model: Frame[] = []
        for (const act of acts) {
          const frame = typeof act === 'number' ? frames[Math.abs(act)] : undefined
          if (frame === undefined) {
            const expected = model.shift()
            expect(queue.peek()?.frame).toBe(expected)
            expect(queue.take()?.frame).toBe(expected)
          } else if (typeof act === 'number' && act < 0) {
            frame.gone = true
            model = model.filter((other) => other !== frame)
          } else if (!frame.gone) {
            queue.push(frame, undefined)
            model.push(frame)
          }
          expect(queue.list().map((item) => item.frame)).toEqual(model)
        }
      },
    ),
  )
})

it('holds its order over thousands', () => {
  const queue = new Queue()
  const frames = Array.from({ length: 5_000 }, (_, i) => new Frame(i, 0, undefined, undefined))
  for (const frame of frames) queue.push(frame, undefined)
  for (const frame of frames) expect(queue.take()?.frame).toBe(frame)
  expect(queue.take()).toBeUndefined()
})
