import { FAILURE, RUNNING, SKIPPED, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofChild } from './outcomes.ts'

export const repeater = defineNode({
  type: 'repeater',
  role: 'decorator',
  children: [1, 1],
  lua: { shapes: [['config', 'child'], ['config', 'children'], ['child']], wraps: true },
  xml: { Repeat: {}, KeepRunningUntilFailure: { until_failure: true } },
  parameters: [
    {
      name: 'count',
      type: 'count',
      xml: 'num_cycles',
      least: 1,
      doc: 'How often the child ends before the node succeeds. Absent: without an end.',
    },
    { name: 'until_failure', type: 'flag', default: false, doc: 'Succeeds as soon as the child fails.' },
    { name: 'until_success', type: 'flag', default: false, doc: 'Succeeds as soon as the child succeeds.' },
  ],
  propagates: 'transform',
  outcomes(children, { count, until_failure, until_success }) {
    const child = ofChild(children)
    return {
      success: (until_failure === true && child.failure) || (until_success === true && child.success) || count !== undefined,
      failure: child.failure && until_failure !== true && until_success !== true,
      running: true,
    }
  },
  doc: 'Repeats its child until the count or the condition is reached. The child ends at most once in a tick. A failure of the child ends the node with FAILURE, unless a condition is given. Without a count and a condition, only the budget of ticks or a halt stops it.',
  example: 'BT.repeater({ count = 3 }, BT.action("ping", { fn = "net.ping" }))',
  behaviour: {
    enter: () => 0,
    resume: () => 0,
    child(tick, node, _child, outcome) {
      const { count, until_failure, until_success } = node.params
      if (outcome === RUNNING || outcome === SKIPPED) return outcome
      if (outcome === FAILURE && until_failure === true) return SUCCESS
      if (outcome === SUCCESS && until_success === true) return SUCCESS
      if (outcome === FAILURE && until_success !== true) return FAILURE
      const ended = Number(tick.own(node)?.[0] ?? 0) + 1
      if (count !== undefined && ended >= Number(count)) return SUCCESS
      tick.keep(node, [ended])
      tick.again(node)
      return RUNNING
    },
  },
})
