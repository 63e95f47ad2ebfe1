import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { FAILURE, type Next, RUNNING, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { applyWrites } from './run-code.ts'
import { ANY } from './outcomes.ts'

/**
 * A node that stands in place of another one in a test. It is RUNNING for `after` milliseconds, then writes `writes`, then answers: what `returns`
 * lists, each time the next, and the last again and again. No file can name it.
 */
export const mock = defineNode({
  type: 'mock',
  role: 'leaf',
  children: [0, 0],
  parameters: [],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Stands in place of another node in a test.',
  example: '',
  behaviour: {
    enter(tick, node) {
      const { after = 0 } = node.params
      if (after === 0) return answer(tick, node)
      const due = tick.now + Number(after)
      tick.keep(node, [due])
      tick.wakeAt(node, due)
      return RUNNING
    },
    resume(tick, node) {
      const due = Number(tick.own(node)?.[0] ?? 0)
      if (tick.now >= due) return answer(tick, node)
      tick.wakeAt(node, due)
      return RUNNING
    },
  },
})

function answer(tick: Tick, node: TreeNode): Next {
  const { returns, writes, reason } = node.params
  const word = wordOf(tick, node, isList(returns) ? returns : [])
  if (word === 'running') return RUNNING
  const values = Object.entries(isObject(writes) ? writes : {})
  const refused = applyWrites(
    tick,
    node,
    values.map(([key, value]) => ['set', key, value]),
  )
  if (refused !== undefined) return tick.fail(node, refused)
  if (word !== 'failure') return SUCCESS
  return reason === undefined ? FAILURE : tick.fail(node, textOf(reason))
}

/** The count of answers outlives executions. */
function wordOf(tick: Tick, node: TreeNode, words: readonly Json[]): Json | undefined {
  if (words.length < 2) return words[0]
  const count = Math.min(Number(tick.lasting(node) ?? 0), words.length - 1)
  tick.keepLasting(node, count + 1)
  return words[count]
}
