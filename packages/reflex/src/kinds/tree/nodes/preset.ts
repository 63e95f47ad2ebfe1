import type { Json } from '../../../kernel/index.ts'
import type { Behaviour } from '../manifest/behaviour.ts'
import { callTool, toolSettled } from './tool.ts'

/** The parameters of a preset that are not arguments of its tool. */
const NOT_ARGUMENTS: readonly string[] = ['output', 'timeout']

/** The behaviour of a leaf that calls one tool with its own parameters as arguments. */
export function presetOf(tool: string): Behaviour {
  return {
    enter(tick, node) {
      const given = Object.entries(node.params).filter(([name]) => !NOT_ARGUMENTS.includes(name))
      const args: Json = Object.fromEntries(given)
      if (args.question === '') return tick.fail(node, 'the question is empty')
      return callTool(tick, node, tool, args)
    },
    settle: toolSettled,
  }
}
