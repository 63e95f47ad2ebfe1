import { OPEN } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { boundArguments } from './bound-arguments.ts'
import { FUNCTION_PORT } from './conditions.ts'
import { ANY } from './outcomes.ts'
import { applyCode, resumeCode } from './run-code.ts'

export const action = defineNode({
  type: 'action',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  parameters: [
    { name: 'fn', type: 'function', required: true, doc: 'The name of a function of the host.' },
    { name: 'args', type: 'json', doc: 'Its second argument; the first is the context.' },
    { name: 'inputs', type: 'map', flow: 'in', doc: 'Further arguments, each with the key whose value it gets.' },
    { name: 'outputs', type: 'map', flow: 'out', doc: 'Names under which the function writes, each with the key that it means.' },
    { name: 'timeout', type: 'ms', unit: 'ms', doc: 'The longest time of a promise. Default: the limit of the tree.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Calls a function of the host. It answers SUCCESS, FAILURE or RUNNING; a promise is RUNNING until it is settled, and is not called again in between.',
  example: 'BT.action("rollback", { fn = "deploy.rollback", args = { to = "r118" } })',
  behaviour: {
    enter(tick, node) {
      const { fn, args: written, inputs, timeout } = node.params
      const args = boundArguments(tick.board(node), written, inputs)
      const settled = tick.compute(node, textOf(fn), args)
      if (settled !== undefined) return applyCode(tick, node, settled, node.params.outputs)
      tick.request(node, FUNCTION_PORT, { fn: textOf(fn), args }, { timeoutMs: timeout === undefined ? undefined : Number(timeout) })
      return OPEN
    },
    resume(tick, node) {
      return resumeCode(tick, node, () => this.enter(tick, node))
    },
    settle: (tick, node, settled) => applyCode(tick, node, settled, node.params.outputs),
  },
})
