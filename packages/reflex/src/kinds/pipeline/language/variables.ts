import { textOf, type Attribute, type Attributes, type DotGraph, type DotNode } from '../dot/graph.ts'
import { identifierEnd } from '../dot/scan.ts'
import { lookUp, type ReadKey } from './look-up.ts'
import { renderText } from './render.ts'

const PATH = /\$([A-Za-z_]\w*(?:\.[\w-]+)*)/g

/** Attributes of nodes in which variables name attributes of the graph (seed pipeline 12.2). */
const EXPANDED = ['prompt', 'label']

/**
 * Replaces `$name` in prompts and labels of nodes by attributes of the graph when a pipeline is loaded: `$goal`, `$label`,
 * `$id` and any other attribute. An unknown name stays, a missing goal is empty text, and inserted text is not expanded again
 * (reference pipeline 8.3). Does not change the given graph; returns the same graph if nothing changes.
 */
export function expandVariables(graph: DotGraph): DotGraph {
  let nodes: Map<string, DotNode> | undefined
  for (const [id, node] of graph.nodes) {
    const attributes = expandAttributes(node.attributes, graph, 'copy')
    if (attributes === undefined) continue
    nodes ??= new Map(graph.nodes)
    nodes.set(id, { ...node, attributes })
  }
  return nodes === undefined ? graph : { ...graph, nodes }
}

/** Like `expandVariables`, in the graph itself, for a graph whose maps have no other owner. */
export function expandOwnVariables(graph: DotGraph): void {
  // Nodes share the maps of their defaults, and inserted text is not expanded again.
  const expanded = new Set<Attributes>()
  for (const { attributes } of graph.nodes.values()) {
    if (!expanded.has(attributes) && expandAttributes(attributes, graph, 'in place') !== undefined) expanded.add(attributes)
  }
}

/** Returns the attributes with expanded texts, in the same map or in a copy; undefined if nothing changes. */
function expandAttributes(attributes: Attributes, graph: DotGraph, where: 'in place' | 'copy'): Attributes | undefined {
  let changed: Map<string, Attribute> | undefined
  for (const key of EXPANDED) {
    const attribute = attributes.get(key)
    if (typeof attribute?.value !== 'string') continue
    const value = expandText(attribute.value, graph)
    if (value === attribute.value) continue
    changed ??= where === 'copy' ? new Map(attributes) : (attributes as Map<string, Attribute>)
    changed.set(key, { ...attribute, value })
  }
  return changed
}

function expandText(text: string, graph: DotGraph): string {
  let expanded = ''
  let copiedTo = 0
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', at + 1)) {
    const end = identifierEnd(text, at + 1)
    const value = end === at + 1 ? undefined : variableValue(graph, text.slice(at + 1, end))
    if (value === undefined) continue
    expanded += text.slice(copiedTo, at) + value
    copiedTo = end
  }
  return copiedTo === 0 ? text : expanded + text.slice(copiedTo)
}

function variableValue(graph: DotGraph, name: string): string | undefined {
  if (name === 'id') return graph.id
  return textOf(graph.attributes, name) ?? (name === 'goal' ? '' : undefined)
}

/** The largest size of one inserted value, in bytes of UTF-8. */
const MOST_BYTES = 32 * 1024

/** The largest number of characters of a key in a text. */
const LONGEST_KEY = 200

/**
 * Replaces `$key` and `$dotted.key` by values of the context just before a prompt or question is asked. The longest existing
 * key wins, so a dot after it is punctuation. A missing key stays in the text; a value is cut at 32 KB and not expanded again.
 * Never used for commands, paths or conditions (reference pipeline 8.3).
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

/** Returns the key without its last part. Text after a dash may be prose too. */
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
