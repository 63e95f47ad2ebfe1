import { textOf, type Attribute, type Attributes, type DotGraph, type DotNode } from '../dot/graph.ts'
import { lookUp, type ReadKey } from './look-up.ts'
import { renderText } from './render.ts'

const NAME = /\$([A-Za-z_]\w*)/g
const PATH = /\$([A-Za-z_]\w*(?:\.[\w-]+)*)/g

/** Attributes of nodes in which variables stand for attributes of the graph (seed pipeline 12.2). */
const EXPANDED = ['prompt', 'label']

/**
 * Puts attributes of the graph in place of `$name`, in the prompts and labels of nodes, when a pipeline is loaded:
 * `$goal`, `$label`, `$id` and any other attribute of the graph. A name that nothing has stays as it is, an empty goal
 * gives nothing, and what is put in is not expanded again (reference pipeline 8.3). The graph given is not changed; one
 * that names no variable is returned as it is.
 */
export function expandVariables(graph: DotGraph): DotGraph {
  let nodes: Map<string, DotNode> | undefined
  for (const [id, node] of graph.nodes) {
    const attributes = expandAttributes(node.attributes, graph)
    if (attributes === node.attributes) continue
    nodes ??= new Map(graph.nodes)
    nodes.set(id, { ...node, attributes })
  }
  return nodes === undefined ? graph : { ...graph, nodes }
}

function expandAttributes(attributes: Attributes, graph: DotGraph): Attributes {
  let changed: Map<string, Attribute> | undefined
  for (const key of EXPANDED) {
    const attribute = attributes.get(key)
    if (typeof attribute?.value !== 'string' || !attribute.value.includes('$')) continue
    const value = attribute.value.replace(NAME, (written, name: string) => variableValue(graph, name) ?? written)
    if (value === attribute.value) continue
    changed ??= new Map(attributes)
    changed.set(key, { ...attribute, value })
  }
  return changed ?? attributes
}

function variableValue(graph: DotGraph, name: string): string | undefined {
  if (name === 'id') return graph.id
  return textOf(graph.attributes, name) ?? (name === 'goal' ? '' : undefined)
}

/** Bytes of UTF-8 that one value may put into a text. */
const MOST_BYTES = 32 * 1024

/** Characters of a key that a text may name. */
const LONGEST_KEY = 200

/**
 * Puts values of the context in place of `$key` and `$dotted.key`, when a prompt or a question is about to be asked. The
 * longest key that is there wins, so that a dot behind it is punctuation; what is not there stays as it is; a value is cut
 * at 32 KB, and not expanded again. Never for commands, paths or conditions (reference pipeline 8.3).
 */
export function expandFromContext(text: string, read: ReadKey): string {
  if (!text.includes('$')) return text
  return text.replace(PATH, (written, path: string) => {
    for (let key = path.length > LONGEST_KEY ? shorter(path.slice(0, LONGEST_KEY)) : path; key !== ''; key = shorter(key)) {
      const value = lookUp(read, key)
      if (value !== undefined) return cut(renderText(value)) + path.slice(key.length)
    }
    return written
  })
}

/** The key without its last part; what stands behind a dash may be prose as well. */
function shorter(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf('.'), key.lastIndexOf('-'), 0))
}

function cut(text: string): string {
  if (text.length * 3 <= MOST_BYTES) return text
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= MOST_BYTES) return text
  let end = MOST_BYTES
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return new TextDecoder().decode(bytes.subarray(0, end))
}
