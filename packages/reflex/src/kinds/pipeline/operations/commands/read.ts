import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import type { NodeContext } from '../../contract/handler.ts'

export function readUpdates(context: NodeContext, value: Json): JsonObject {
  return { [outputKey(context)]: value, last_response: value }
}

export function outputKey({ attributes, node }: NodeContext): string {
  return textOf(attributes, 'output_key')?.trim() || `read.${node.id}`
}
