import { isObject } from '../../../kernel/index.ts'
import { RUNNING, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { interpolate } from './interpolate.ts'
import { ANY } from './outcomes.ts'
import { write } from './write.ts'

/** Returns the reference of a program: a bare id names a tree. */
export function programName(name: string): string {
  return name.includes(':') ? name : `tree:${name}`
}

export const call = defineNode({
  type: 'call',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['program', 'config'], ['program'], ['config']] },
  parameters: [
    { name: 'program', type: 'program', required: true, doc: 'The program, as kind:id; a bare id is a tree.' },
    { name: 'args', type: 'json', doc: 'Its inputs; `${bb.key}` stands for a value of the blackboard.' },
    { name: 'output', type: 'key', flow: 'out', doc: 'The key that gets its result.' },
    { name: 'export', type: 'map', doc: 'Keys of this tree, each with the key of the program that it gets.' },
    { name: 'timeout', type: 'ms', unit: 'ms', doc: 'The longest time. Default: none, because people may have to answer in it.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Runs a program of any kind, with inputs of its own, and is RUNNING until it has ended. It succeeds if the program is done.',
  example: 'BT.call("workflow:refund", { args = { order = "${bb.order}" }, output = "refund" })',
  behaviour: {
    enter(tick, node) {
      const { program, args = {}, timeout } = node.params
      const board = tick.board(node)
      const options = timeout === undefined ? { isLimited: false as const } : { timeoutMs: Number(timeout) }
      tick.call(
        node,
        programName(textOf(program)),
        interpolate(args, (key) => board.get(key)),
        options,
      )
      return RUNNING
    },
    settle(tick, node, settled) {
      if (!settled.ok) return tick.fail(node, settled.fault)
      const { output, export: exported } = node.params
      const writes: [string, typeof settled.value][] = output === undefined ? [] : [[textOf(output), settled.value]]
      for (const [key, theirs] of Object.entries(isObject(exported) ? exported : {})) {
        const scope = settled.strand?.scope
        const place = scope?.find(textOf(theirs), Number.POSITIVE_INFINITY) ?? -1
        const value = place < 0 ? undefined : scope?.valueAt(place)
        if (value !== undefined) writes.push([key, value])
      }
      return write(tick, node, writes) ?? SUCCESS
    },
  },
})
