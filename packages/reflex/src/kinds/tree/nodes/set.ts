import { SUCCESS } from '../manifest/behaviour.ts'
import { isFault } from '../../../kernel/index.ts'
import { defineNode } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
import { AT_ONCE } from './outcomes.ts'
import { textOf } from '../model/text-of.ts'

export const set = defineNode({
  type: 'set',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['key', 'expression'], ['key', 'config'], ['config']] },
  parameters: [
    { name: 'key', type: 'key', flow: 'out', required: true, xml: 'output_key', doc: 'The key that is written.' },
    { name: 'expression', type: 'expression', doc: 'Lua of the loop-free subset, such as `bb.count + 1`.' },
    { name: 'value', type: 'json', xml: 'value', doc: 'A value, in place of the expression.' },
    { name: 'global', type: 'flag', default: false, doc: 'True: the value is written for all trees.' },
  ],
  propagates: 'leaf',
  outcomes: () => AT_ONCE,
  check: ({ expression, value }) => ((expression === undefined) === (value === undefined) ? 'write either expression or value' : undefined),
  doc: 'Writes a key.',
  example: 'BT.set("tries", "bb.tries + 1")',
  behaviour: {
    enter(tick, node) {
      const { key, expression, value = null, global } = node.params
      const result = expression === undefined ? { value } : tick.evaluate(node, textOf(expression))
      if ('error' in result) return tick.fail(node, faults.make('R1242', result.error, { rule: 'E5002', path: node.path }))
      try {
        if (global === true) tick.board(node).setGlobal(textOf(key), result.value)
        else tick.board(node).set(textOf(key), result.value)
        return SUCCESS
      } catch (thrown) {
        if (isFault(thrown)) return tick.fail(node, thrown)
        throw thrown
      }
    },
  },
})
