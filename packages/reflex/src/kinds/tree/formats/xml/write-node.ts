import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import type { Parameter } from '../../manifest/manifest.ts'
import type { NodeSource } from '../../model/source.ts'
import { textOf } from '../../model/text-of.ts'
import { baseId } from '../drafts.ts'
import { NAME } from '../names.ts'
import { type PaletteEntry, portsOf, POST_ATTRIBUTES, PRE_ATTRIBUTES } from './palette.ts'
import { assignmentOf, conditionOf, scriptOf, Unsayable } from './script-write.ts'
import { literalTo } from './ports.ts'
import { SPECIAL_WRITERS, type WrittenNode } from './write-special.ts'
import type { Attributes, WriteContext } from './write-context.ts'
import type { Written } from './text.ts'

/** Turns a node into an element. What XML cannot say is reported, and the element is written without it. */
export function writeNode(node: NodeSource, context: WriteContext): Written {
  const common = commonAttributes(node, context)
  const unsaid: WrittenNode = { attributes: [], name: node.type }
  const {
    attributes: own,
    name,
    children = node.children ?? [],
  } = context.tryTo(node, () => SPECIAL_WRITERS.get(node.type)?.(node, context) ?? generic(node, context.palette)) ?? unsaid
  const [identity, others] = common
  const first = own.filter(([attribute]) => attribute === 'ID')
  const rest = own.filter(([attribute]) => attribute !== 'ID')
  return { name, attributes: [...first, ...identity, ...rest, ...others], children: children.map((child) => writeNode(child, context)) }
}

/** Returns the name and the ids of a node, and its conditions. */
function commonAttributes(node: NodeSource, context: WriteContext): readonly [identity: Attributes, conditions: Attributes] {
  const { id, name, description, metadata, params = {} } = node
  const base = baseId(node.type, node.line)
  const isAutomatic = id === base || (id.startsWith(base) && /^_\d+$/.test(id.slice(base.length)))
  const needsId = name === undefined ? false : NAME.test(name) || !isAutomatic
  const identity: [string, string][] = []
  if (name !== undefined) identity.push(['name', name])
  else if (!isAutomatic) identity.push(['name', id])
  if (needsId) identity.push(['_id', id])
  if (description !== undefined) identity.push(['_description', description])
  if (metadata !== undefined && !isOfXml(metadata)) context.warn(node, `XML has no place for the metadata of ${id}`)
  if (params.contract !== undefined) context.refuse(node, `XML cannot say the contract of ${id}`)
  const conditions: [string, string][] = []
  for (const [attribute, key] of PRE_ATTRIBUTES) {
    const given = params[key]
    if (given === undefined) continue
    const script = context.tryTo(node, () => conditionOf(textOf(given)))
    if (script !== undefined) conditions.push([attribute, script])
  }
  for (const [attribute, key] of POST_ATTRIBUTES) {
    const given = params[key]
    if (given === undefined || !isObject(given)) continue
    const script = context.tryTo(node, () =>
      Object.entries(given)
        .map(([name, lua]) => assignmentOf(name, textOf(lua)))
        .join('; '),
    )
    if (script !== undefined) conditions.push([attribute, script])
  }
  return [identity, conditions]
}

/** True for what the reader notes about the element that a node came from. */
function isOfXml(metadata: JsonObject): boolean {
  return Object.keys(metadata).length === 1 && typeof metadata.xml === 'string'
}

function generic({ type, params = {} }: NodeSource, palette: ReadonlyMap<string, PaletteEntry>): WrittenNode {
  const found = [...palette].find(([, { manifest, implied }]) => manifest.type === type && Object.keys(implied).length === 0)
  if (found === undefined) throw new Unsayable(`BehaviorTree.CPP has no ${type}`)
  const [name, { manifest }] = found
  const ports = portsOf(manifest)
  const attributes: [string, string][] = []
  for (const parameter of manifest.parameters) {
    const value = params[parameter.name]
    if (value === undefined) continue
    const port = [...ports].find(([, { name }]) => name === parameter.name)?.[0]
    if (port !== undefined) attributes.push([port, portText(parameter, value)])
    else if (value !== parameter.default) throw new Unsayable(`${name} has no ${parameter.name}`)
  }
  return { name, attributes }
}

function portText({ name, type }: Parameter, value: Json): string {
  if (type !== 'condition' && type !== 'expression') return literalTo(value)
  if (typeof value === 'string') return type === 'condition' ? conditionOf(value) : scriptOf(value)
  throw new Unsayable(`${name} is a function`)
}
