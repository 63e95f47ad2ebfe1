import { equalJson, isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import type { NodeSource } from '../../model/source.ts'
import { textOf } from '../../model/text-of.ts'
import { LIST_LOOP, listIn } from './loop-list.ts'
import { ABSENT, LOOPS, SPECIAL } from './palette.ts'
import { literalTo, referenceIn, referenceTo } from './ports.ts'
import { assignmentOf, conditionOf, Unsayable } from './script-write.ts'
import { writeParallel, writeRepeater, writeRetry } from './write-counts.ts'
import type { Attributes, WriteContext } from './write-context.ts'
import { onlyParams } from './write-params.ts'

/** The name and the attributes of an element. `children`: the nodes in it, if they are not those of the node. */
export interface WrittenNode {
  readonly name: string
  readonly attributes: Attributes
  readonly children?: readonly NodeSource[]
}

/** Writes a node whose ports mean something else than its parameters; undefined leaves it to the common form. */
type SpecialWriter = (node: NodeSource, context: WriteContext) => WrittenNode | undefined

/** Returns a map of names to names; an empty one for anything else. */
function namesIn(value: Json | undefined): [string, string][] {
  return value !== undefined && isObject(value) ? Object.entries(value).map(([key, name]): [string, string] => [key, textOf(name)]) : []
}

function writeLeaf(kind: 'Action' | 'Condition', call: JsonObject, context: WriteContext): WrittenNode {
  const { fn, args = {}, inputs, outputs, ...others } = call
  onlyParams(others, [])
  if (!isObject(args)) throw new Unsayable('its arguments are not named')
  const id = textOf(fn)
  const known = context.models.get(id)
  if (known !== undefined && known.kind !== kind) throw new Unsayable(`${id} is an action and a condition`)
  context.model(kind, id)
  const ports = new Map<string, string>()
  for (const [name, value] of Object.entries(args)) {
    checkPort(name)
    ports.set(name, literalTo(value))
    context.port(kind, id, name, 'in', undefined)
  }
  for (const [name, key] of namesIn(inputs)) addPort(ports, name, key)
  for (const [name, key] of namesIn(outputs)) addPort(ports, name, key)
  for (const [name, key] of namesIn(inputs)) context.port(kind, id, name, 'in', context.typeOf(key))
  for (const [name, key] of namesIn(outputs)) context.port(kind, id, name, 'out', context.typeOf(key))
  const isPlainName =
    /^[A-Za-z][\w]*$/.test(id) && !context.palette.has(id) && !ABSENT.has(id) && !SPECIAL.includes(id) && !LOOPS.includes(id)
  return isPlainName ? { name: id, attributes: [...ports] } : { name: kind, attributes: [['ID', id], ...ports] }
}

function addPort(ports: Map<string, string>, name: string, key: string): void {
  checkPort(name)
  const value = reference(key)
  const known = ports.get(name)
  if (known !== undefined && known !== value) throw new Unsayable(`the port ${name} has two values`)
  ports.set(name, value)
}

function reference(key: string): string {
  const value = referenceTo(key)
  if (referenceIn(value, '') !== key) throw new Unsayable(`the key ${JSON.stringify(key)} cannot stand in { }`)
  return value
}

function checkPort(name: string): void {
  if (!/^[A-Za-z][\w.-]*$/.test(name) || name === 'name' || name === 'ID') throw new Unsayable(`${JSON.stringify(name)} cannot be a port`)
}

const writeAction: SpecialWriter = ({ params = {} }, context) => {
  const { contract: _, ...own } = params
  return writeLeaf('Action', own, context)
}

const writeCondition: SpecialWriter = ({ params = {} }, context) => {
  const { condition } = params
  if (typeof condition === 'string') return undefined
  return writeLeaf('Condition', condition !== undefined && isObject(condition) ? condition : {}, context)
}

const writeGuard: SpecialWriter = ({ params = {} }) => {
  if (typeof params.condition !== 'string') throw new Unsayable('its condition is a function')
  return {
    name: 'Precondition',
    attributes: [
      ['if', conditionOf(params.condition)],
      ['else', 'FAILURE'],
    ],
  }
}

const writeSet: SpecialWriter = ({ params = {} }) => {
  const { key, expression, value, global } = params
  const name = `${global === true ? '@' : ''}${textOf(key)}`
  if (expression !== undefined) return { name: 'Script', attributes: [['code', assignmentOf(name, textOf(expression))]] }
  if (referenceIn(name, '') !== undefined) throw new Unsayable(`the key ${JSON.stringify(name)} cannot be written`)
  return {
    name: 'SetBlackboard',
    attributes: [
      ['output_key', name],
      ['value', literalTo(value ?? null)],
    ],
  }
}

/** A sequence that was a script with several statements, or a loop over a list of its own, is one again. */
const writeSequence: SpecialWriter = ({ metadata, params = {}, children = [] }) => {
  if (metadata?.xml === LIST_LOOP) return writeListLoop(children)
  if (metadata?.xml !== 'Script') return undefined
  onlyParams(params, [])
  const statements = children.map(({ type, params: own = {} }) => {
    const { key, expression, global, ...others } = own
    if (type !== 'set' || expression === undefined || Object.keys(others).length > 0) throw new Unsayable('it is no script any more')
    return assignmentOf(`${global === true ? '@' : ''}${textOf(key)}`, textOf(expression))
  })
  return { name: 'Script', attributes: [['code', statements.join('; ')]], children: [] }
}

function writeListLoop([set, loop, other]: readonly NodeSource[]): WrittenNode {
  const { key, value: items = null, ...rest } = set?.params ?? {}
  const { params = {}, metadata, children = [] } = loop ?? {}
  const name = textOf(metadata?.xml ?? '')
  const isLoop = set?.type === 'set' && loop?.type === 'for_each' && params.collection_key === key && LOOPS.includes(name)
  if (!isLoop || other !== undefined || !isList(items)) throw new Unsayable('it is no loop over a list any more')
  onlyParams(rest, [])
  onlyParams(params, ['collection_key', 'item_key'])
  const queue = items.map(String).join(';')
  if (!equalJson(listIn(queue, name) ?? null, items)) throw new Unsayable('the items of its list cannot be written')
  return {
    name,
    attributes: [
      ['queue', queue],
      ['value', referenceTo(textOf(params.item_key ?? 'item'))],
    ],
    children,
  }
}

const writeSwitch: SpecialWriter = ({ params = {} }) => {
  const { key, cases } = params
  const values = isList(cases) ? cases : []
  if (values.length < 2 || values.length > 6) throw new Unsayable('a Switch has 2 to 6 cases')
  const named = values.map((value, at): [string, string] => {
    const text = textOf(value)
    if (referenceIn(text, '') !== undefined) throw new Unsayable(`the case ${text} looks like a key`)
    return [`case_${at + 1}`, text]
  })
  return { name: `Switch${values.length}`, attributes: [['variable', reference(textOf(key))], ...named] }
}

const writeLoop: SpecialWriter = ({ params = {}, metadata }) => {
  const name = textOf(metadata?.xml ?? '')
  if (!LOOPS.includes(name)) throw new Unsayable('a loop of XML has items of one type, and for_each has items of any')
  onlyParams(params, ['collection_key', 'item_key'])
  const { collection_key, item_key = 'item' } = params
  return {
    name,
    attributes: [
      ['queue', reference(textOf(collection_key))],
      ['value', reference(textOf(item_key))],
    ],
  }
}

const writeSubtree: SpecialWriter = ({ params = {} }) => {
  onlyParams(params, ['tree_name', 'bind', 'export', 'values', 'autoremap'], (_, value) => value === false)
  const { tree_name, bind, export: exported, values, autoremap } = params
  const exports = new Map(isList(exported) ? exported.map((key): [string, string] => [textOf(key), textOf(key)]) : namesIn(exported))
  if (exported === undefined) throw new Unsayable('it exports what the tree declares; write export')
  const ports: [string, string][] = []
  for (const [inner, outer] of namesIn(bind)) {
    checkPort(inner)
    if (exports.get(outer) !== inner) throw new Unsayable(`${inner} is bound and not exported, and a port is both`)
    exports.delete(outer)
    if (/[.{}]/.test(outer)) throw new Unsayable(`${inner} is bound to a field, ${outer}`)
    if (autoremap !== true || inner !== outer) ports.push([inner, reference(outer)])
  }
  const [left] = exports
  if (left !== undefined) throw new Unsayable(`${left[1]} is exported and not bound, and a port is both`)
  for (const [name, value] of Object.entries(values !== undefined && isObject(values) ? values : {})) {
    checkPort(name)
    ports.push([name, literalTo(value)])
  }
  const automatic: Attributes = autoremap === true ? [['_autoremap', 'true']] : []
  return { name: 'SubTree', attributes: [['ID', textOf(tree_name)], ...ports, ...automatic] }
}

export const SPECIAL_WRITERS: ReadonlyMap<string, SpecialWriter> = new Map<string, SpecialWriter>([
  ['action', writeAction],
  ['condition', writeCondition],
  ['guard', writeGuard],
  ['set', writeSet],
  ['sequence', writeSequence],
  ['switch', writeSwitch],
  ['for_each', writeLoop],
  ['subtree_ref', writeSubtree],
  ['parallel', writeParallel],
  ['retry', writeRetry],
  ['repeater', writeRepeater],
])
