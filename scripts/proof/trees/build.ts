/** Short forms of nodes and trees as data. */
import type { JsonObject } from '../../../packages/reflex/src/kernel/index.ts'
import type { NodeSource, TreeSource } from '../../../packages/reflex/src/kinds/tree/model/source.ts'

/** Makes a node: its type, its id, its parameters and children. */
export function n(type: string, id: string, params: JsonObject = {}, children: readonly NodeSource[] = []): NodeSource {
  return { type, id, ...(Object.keys(params).length === 0 ? {} : { params }), ...(children.length === 0 ? {} : { children }) }
}

export const seq = (id: string, ...children: NodeSource[]): NodeSource => n('sequence', id, {}, children)
export const sel = (id: string, ...children: NodeSource[]): NodeSource => n('selector', id, {}, children)
export const par = (id: string, params: JsonObject, ...children: NodeSource[]): NodeSource => n('parallel', id, params, children)
export const deco = (type: string, id: string, params: JsonObject, child: NodeSource): NodeSource => n(type, id, params, [child])
export const cond = (id: string, condition: string): NodeSource => n('condition', id, { condition })
export const set = (id: string, key: string, expression: string): NodeSource => n('set', id, { key, expression })
export const put = (id: string, key: string, value: JsonObject[string]): NodeSource => n('set', id, { key, value })
export const act = (id: string, fn: string, params: JsonObject = {}): NodeSource => n('action', id, { fn, ...params })
export const tool = (id: string, name: string, output: string, args: JsonObject = {}): NodeSource =>
  n('tool', id, { tool: name, output, args, timeout: 10_000 })
export const llm = (id: string, prompt: string, output: string, params: JsonObject = {}): NodeSource =>
  n('llm_call', id, { prompt, response_key: output, timeout: 60, ...params })
export const ask = (id: string, text: string, params: JsonObject = {}): NodeSource => n('ask', id, { text, ...params })
export const wait = (id: string, ms: number): NodeSource => n('wait', id, { wait_ms: ms })

export function tree(id: string, more: Omit<TreeSource, 'format' | 'id' | 'root'>, root: NodeSource): TreeSource {
  return { format: 1, id, ...more, root }
}
