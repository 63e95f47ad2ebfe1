import { OPEN } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
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
    { name: 'timeout', type: 'ms', unit: 'ms', doc: 'The longest time of a promise. Default: the limit of the tree.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Calls a function of the host. It answers SUCCESS, FAILURE or RUNNING; a promise is RUNNING until it is settled, and is not called again in between.',
  example: 'BT.action("rollback", { fn = "deploy.rollback", args = { to = "r118" } })',
  behaviour: {
    enter(tick, node) {
      const { fn, args = null, timeout } = node.params
      tick.request(node, FUNCTION_PORT, { fn: String(fn), args }, { timeoutMs: timeout === undefined ? undefined : Number(timeout) })
      return OPEN
    },
    resume(tick, node) {
      return resumeCode(tick, node, () => this.enter(tick, node))
    },
    settle: applyCode,
  },
})
