import { FAILURE, RUNNING } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofChild } from './outcomes.ts'

export const retry = defineNode({
  type: 'retry',
  role: 'decorator',
  children: [1, 1],
  lua: {
    shapes: [
      ['max_retries', 'child'],
      ['max_retries', 'child', 'config'],
      ['config', 'child'],
    ],
  },
  xml: { RetryUntilSuccessful: {} },
  parameters: [
    {
      name: 'max_retries',
      type: 'count',
      default: 3,
      least: -1,
      aliases: ['max_attempts'],
      doc: 'How often the child is ticked again after a failure; -1: without an end. The attempts are one more.',
    },
    { name: 'backoff_ms', type: 'count', default: 0, unit: 'ms', doc: 'The pause before each new attempt.' },
  ],
  propagates: 'transform',
  outcomes(children, { max_retries }) {
    const child = ofChild(children)
    const most = Number(max_retries)
    return { ...child, failure: child.failure && most >= 0, running: child.running || (child.failure && most !== 0) }
  },
  doc: 'Ticks its child again after a failure, in a later tick, so often. It is RUNNING in between.',
  example: 'BT.retry(2, BT.action("fetch", { fn = "web.fetch" }), { backoff_ms = 500 })',
  behaviour: {
    enter: () => 0,
    resume(tick, node) {
      const [, until = 0] = tick.own(node) ?? []
      if (tick.now >= Number(until)) return 0
      tick.wakeAt(node, Number(until))
      return RUNNING
    },
    child(tick, node, child, outcome) {
      const [count = 0] = tick.own(node) ?? []
      if (outcome !== FAILURE) return outcome
      const most = Number(node.params.max_retries)
      if (most >= 0 && Number(count) >= most) return FAILURE
      tick.halt(child)
      const pause = Number(node.params.backoff_ms)
      tick.keep(node, pause === 0 ? [Number(count) + 1] : [Number(count) + 1, tick.now + pause])
      if (pause === 0) tick.again(node)
      else tick.wakeAt(node, tick.now + pause)
      return RUNNING
    },
  },
})
