import { type Json, type JsonObject, isObject } from '../../../kernel/index.ts'
import { type Next, RUNNING, type Settled, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { interpolate, interpolatedReferences } from './interpolate.ts'
import { ANY } from './outcomes.ts'
import { write } from './write.ts'
import { textOf } from '../model/text-of.ts'

export const tool = defineNode({
  type: 'tool',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['tool', 'config'], ['tool'], ['config']], rest: 'args' },
  parameters: [
    { name: 'tool', type: 'tool', required: true, doc: 'The name of the tool.' },
    { name: 'args', type: 'json', doc: 'Its arguments; `${bb.key}` and `${bb.key | default:value}` stand for values of the blackboard.' },
    {
      name: 'output',
      type: 'key',
      flow: 'out',
      doc: 'The key that gets its result. Default: the name of the tool with _result behind it.',
    },
    { name: 'timeout', type: 'ms', default: 30_000, unit: 'ms', doc: 'The longest time.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Calls a tool, and is RUNNING until it has answered. A result that the tool calls an error is a failure.',
  example: 'BT.tool("http.get", { url = "https://example.com/${bb.path}", output = "page" })',
  behaviour: {
    enter: (tick, node) => callTool(tick, node, textOf(node.params.tool), node.params.args ?? {}),
    settle: (tick, node, settled) => toolSettled(tick, node, settled),
  },
})

/** Calls a tool with arguments in which references are replaced. */
export function callTool(tick: Tick, node: TreeNode, name: string, args: Json): Next {
  const board = tick.board(node)
  const given = interpolate(args, (key) => board.get(key))
  tick.emit('tool.execute.start', { node_id: node.id, tool_name: name })
  const filled = filledArguments(args, given)
  const request = { tool: name, args: given, ...(filled.length === 0 ? {} : { filled }) }
  tick.request(node, 'tool', request, { timeoutMs: Number(node.params.timeout) })
  return RUNNING
}

/** The names of the arguments that have values of the blackboard. */
function filledArguments(written: Json, given: Json): string[] {
  if (!isObject(written)) return isObject(given) ? Object.keys(given) : []
  return Object.keys(written).filter((name) => interpolatedReferences(written[name] ?? null).length > 0)
}

/** Writes the result of a tool, or its error under `_tool_error`. */
export function toolSettled(tick: Tick, node: TreeNode, settled: Settled): Next {
  const board = tick.board(node)
  board.setInternal('_tool_duration_ms', tick.now - tick.runningSince(node))
  const error = settled.ok ? errorIn(settled.value) : settled.fault.message
  if (error !== undefined) {
    board.setInternal('_tool_error', error)
    tick.emit('tool.execute.error', { node_id: node.id, error_message: error })
    return tick.fail(node, settled.ok ? error : settled.fault)
  }
  tick.emit('tool.execute.complete', { node_id: node.id, success: true })
  return write(tick, node, [[outputOf(node.params), (settled as { readonly value: Json }).value]]) ?? SUCCESS
}

/** The key that gets the result of a tool. */
export function outputOf({ output, tool: name }: JsonObject): string {
  return typeof output === 'string' ? output : `${textOf(name).replace(/[^\w-]/g, '_')}_result`
}

/** A result { error, message } is a failure of the tool. */
function errorIn(value: Json): string | undefined {
  if (!isObject(value) || value.error === undefined || value.error === null || value.error === false) return undefined
  return textOf(value.message ?? value.error)
}
