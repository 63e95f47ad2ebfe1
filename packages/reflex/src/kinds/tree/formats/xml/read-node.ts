import { didYouMean, quote, suggest } from '../../../../text/index.ts'
import { type RawNode, REFUSED } from '../raw.ts'
import type { XmlElement } from './elements.ts'
import { readLeaf } from './read-leaf.ts'
import { NodeParts, type ReadSetting } from './node-parts.ts'
import { ABSENT, LOOPS, type PaletteEntry, portsOf, SPECIAL } from './palette.ts'
import { literalIn, referenceIn } from './ports.ts'
import { SPECIAL_READERS } from './read-special.ts'
import type { TreeScope } from './tree-scope.ts'

const EXPLICIT: readonly string[] = ['Action', 'Condition', 'Control', 'Decorator']

/** Turns an element into a node as it is written, and reports what cannot be read (R1205). Returns undefined for such a node. */
export function readNode(element: XmlElement, scope: TreeScope, setting: ReadSetting): RawNode | undefined {
  const parts = new NodeParts(element, scope, setting)
  const name = nameOf(parts)
  if (name === undefined) return undefined
  const children = element.children.flatMap((child) => readNode(child, scope, setting) ?? [])
  parts.readCommon()
  const advice = ABSENT.get(name)
  if (advice !== undefined) return parts.refuse(`trees have no ${name}`, undefined, advice)
  const special = SPECIAL_READERS.get(name) ?? (LOOPS.includes(name) ? SPECIAL_READERS.get('Loop') : undefined)
  if (special !== undefined) return special(parts, children, name)
  const entry = setting.palette.get(name)
  if (entry !== undefined) return readGeneric(parts, entry, children)
  const model = setting.models.get(name)
  const kind = EXPLICIT.includes(element.name) ? element.name : model?.kind
  if (kind === 'Action' || kind === 'Condition') return readLeaf(parts, { id: name, kind, model, children })
  if (kind === undefined) return refuseUnknown(parts, name, setting)
  const fix = 'write it with the nodes of the palette, or as an Action'
  return parts.refuse(`${quote(name)} is a ${kind.toLowerCase()} of a program in C++, and cannot be run here`, undefined, fix)
}

/** The name of the node: that of the element, or the ID in the explicit form. */
function nameOf(parts: NodeParts): string | undefined {
  const { name } = parts.element
  if (!EXPLICIT.includes(name)) return name
  const id = parts.attribute('ID')
  return id === undefined || id === '' ? parts.refuse(`${name} has no ID`, undefined, `write <${name} ID="…"/>`) : id
}

function refuseUnknown(parts: NodeParts, name: string, { palette, models }: ReadSetting): undefined {
  const guess = suggest(name, [...palette.keys(), ...models.keys(), ...SPECIAL])
  const fix = guess === undefined ? `declare ${name} in TreeNodesModel, or write <Action ID="${name}"/>` : `write ${guess}`
  return parts.refuse(`there is no node ${quote(name)}`, undefined, fix, didYouMean(guess))
}

/** Reads a node whose ports are parameters of the same value. */
function readGeneric(parts: NodeParts, { manifest, implied }: PaletteEntry, children: readonly RawNode[]): RawNode {
  for (const [key, value] of Object.entries(implied)) parts.set(key, value)
  const ports = portsOf(manifest)
  for (const [port, value] of parts.ports) {
    const parameter = ports.get(port)
    if (parameter === undefined) {
      parts.refusePort(port, ports.keys())
      for (const { name } of manifest.parameters) if (!parts.keys.has(name)) parts.set(name, REFUSED)
    } else if (parameter.type === 'condition' || parameter.type === 'expression')
      parts.set(parameter.name, parts.condition(value, port) ?? REFUSED, port)
    else if (referenceIn(value, port) !== undefined) {
      parts.refuse(`${port} of ${parts.element.name} cannot come from the blackboard`, port, 'write the value itself')
      parts.set(parameter.name, REFUSED)
    } else parts.set(parameter.name, parameter.type === 'flag' ? flagIn(value) : literalIn(value), port)
  }
  return parts.node(manifest.type, children)
}

function flagIn(value: string): unknown {
  return value === '1' ? true : value === '0' ? false : literalIn(value)
}
