import { isList } from '../../../kernel/index.ts'
import { RUNNING, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { interpolate } from './interpolate.ts'
import { ANY } from './outcomes.ts'
import { write } from './write.ts'
import { textOf } from '../model/text-of.ts'

export const ask = defineNode({
  type: 'ask',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['text', 'config'], ['text'], ['config']] },
  parameters: [
    { name: 'text', type: 'text', required: true, doc: 'The question; `${bb.key}` stands for a value of the blackboard.' },
    { name: 'options', type: 'names', doc: 'The answers to choose from. Absent: any text.' },
    { name: 'fail_on', type: 'names', doc: 'The answers with which the node fails.' },
    { name: 'output', type: 'key', flow: 'out', doc: 'The key that gets the answer.' },
    { name: 'timeout', type: 'ms', unit: 'ms', doc: 'The longest time. Default: none.' },
  ],
  propagates: 'leaf',
  outcomes: ({ length: _ }, { fail_on, timeout }) => ({ ...ANY, failure: fail_on !== undefined || timeout !== undefined }),
  doc: 'Asks a person, and is RUNNING until there is an answer.',
  example: 'BT.ask("Roll back?", { options = { "yes", "no" }, fail_on = { "no" } })',
  behaviour: {
    enter(tick, node) {
      const { text = '', options, timeout } = node.params
      const board = tick.board(node)
      const about = { text: interpolate(text, (key) => board.get(key)), ...(options === undefined ? {} : { options }) }
      tick.ask(node, about, timeout === undefined ? { isLimited: false } : { timeoutMs: Number(timeout) })
      return RUNNING
    },
    settle(tick, node, settled) {
      if (!settled.ok) return tick.fail(node, settled.fault)
      const { output, fail_on } = node.params
      const refused = output === undefined ? undefined : write(tick, node, [[textOf(output), settled.value]])
      if (refused !== undefined) return refused
      const isRefusal = isList(fail_on) && fail_on.includes(settled.value)
      return isRefusal ? tick.fail(node, `the answer was ${JSON.stringify(settled.value)}`) : SUCCESS
    },
  },
})
