import { RUNNING } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
import { ofChild } from './outcomes.ts'
import { textOf } from '../model/text-of.ts'

export const timeout = defineNode({
  type: 'timeout',
  role: 'decorator',
  children: [1, 1],
  lua: {
    shapes: [
      ['timeout_ms', 'child'],
      ['timeout_ms', 'child', 'config'],
      ['config', 'child'],
    ],
  },
  xml: { Timeout: {} },
  parameters: [
    { name: 'timeout_ms', type: 'ms', required: true, xml: 'msec', unit: 'ms', doc: 'The longest time that the child may be RUNNING.' },
  ],
  propagates: 'transform',
  outcomes: (children) => ({ ...ofChild(children), failure: true }),
  doc: 'Halts its child and fails when the child has been RUNNING for too long. The time begins with the tick in which the child is first RUNNING; an answer of the same tick counts before the time.',
  example: 'BT.timeout(5000, BT.action("fetch", { fn = "web.fetch" }))',
  behaviour: {
    enter: () => 0,
    resume: () => 0,
    child(tick, node, child, outcome) {
      const { timeout_ms } = node.params
      if (outcome !== RUNNING) {
        tick.board(node).setInternal('_timeout_triggered', false)
        return outcome
      }
      const due = Number(tick.own(node)?.[0] ?? tick.now + Number(timeout_ms))
      if (tick.now < due) {
        tick.keep(node, [due])
        tick.wakeAt(node, due)
        return RUNNING
      }
      tick.halt(child)
      tick.board(node).setInternal('_timeout_triggered', true)
      return tick.fail(
        node,
        faults.make('R1251', `${child.path} was RUNNING for more than ${textOf(timeout_ms)} ms`, { rule: 'E6001', path: node.path }),
      )
    },
  },
})
