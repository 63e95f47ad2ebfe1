import type { FaultDetails, Json } from '../../../kernel/index.ts'
import { type JsonText, type Locator, type Path, pathText, type TextSpan, valueAt } from '../../../text/index.ts'
import { type Part, spanOf, splitEdge, splitPort, splitTarget } from './references.ts'

/**
 * Returns the locator of a document. Its paths are those of the object forms, also for the short forms: `edges[3].to.port` marks the port
 * in `"a.x -> b.y"`, `outputs.out.node` the node in `"b.y"`, and `nodes.a.selector` the selector in `"gt@^0.1"`. Without a text it only has
 * paths.
 */
export function documentLocator(value: unknown, json?: JsonText): Locator {
  return (path, options) => {
    const real = realPath(value, path)
    const place: FaultDetails = json?.details(real.path, { ...options, ...(real.span === undefined ? {} : { span: real.span }) }) ?? {}
    return { ...place, path: rootedPath(real.path) }
  }
}

/** Returns a path as the reference writes it: `$.edges[3]`. */
function rootedPath(path: Path): string {
  const text = pathText(path)
  return text === '' || text.startsWith('[') ? `$${text}` : `$.${text}`
}

interface RealPath {
  readonly path: Path
  readonly span?: TextSpan | undefined
}

function realPath(value: unknown, path: Path): RealPath {
  const [area, key, step, inner] = path
  if (key === undefined || step === undefined) return { path }
  if (area === 'edges') return edgePath(valueAt(value, ['edges', key]) as Json | undefined, ['edges', key], step, inner)
  if (area === 'outputs') return portPath(valueAt(value, ['outputs', key]), ['outputs', key], { text: '', offset: 0 }, step) ?? { path }
  if (area === 'nodes' && (step === 'target' || step === 'selector')) return targetPath(value, key, step)
  return { path }
}

function edgePath(edge: Json | undefined, path: Path, side: string | number, inner: string | number | undefined): RealPath {
  if (typeof edge === 'string') {
    const end = splitEdge(edge)?.[side === 'from' ? 0 : 1]
    if (end === undefined) return { path }
    return portPath(edge, path, end, inner) ?? { path, span: spanOf(end) }
  }
  if (!Array.isArray(edge)) return { path: inner === undefined ? [...path, side] : [...path, side, inner] }
  const index = side === 'from' ? 0 : 1
  return portPath(edge[index], [...path, index], { text: '', offset: 0 }, inner) ?? { path: [...path, index] }
}

/** Returns the place of the half of `node.port`; undefined if the whole is meant. An empty part means the whole text. */
function portPath(text: unknown, path: Path, part: Part, half: string | number | undefined): RealPath | undefined {
  if (typeof text !== 'string' || (half !== 'node' && half !== 'port')) return undefined
  const found = splitPort(part.text === '' ? { text, offset: 0 } : part)?.[half]
  return found === undefined ? undefined : { path, span: spanOf(found) }
}

function targetPath(value: unknown, node: string | number, half: 'target' | 'selector'): RealPath {
  const name = valueAt(value, ['nodes', node, 'impl']) === undefined ? 'cluster' : 'impl'
  const path = ['nodes', node, name]
  const text = valueAt(value, path)
  if (typeof text !== 'string') return { path }
  const { id, selector } = splitTarget(text)
  return { path, span: half === 'target' ? spanOf(id) : selector.text === '' ? undefined : spanOf(selector) }
}
