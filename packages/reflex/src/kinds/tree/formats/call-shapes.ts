import type { NodeManifest, Parameter, Position } from '../manifest/manifest.ts'
import { luaNames } from './names.ts'
import { type Origin, type RawMistake, RawNode, RawTable, RawTree, typeName, withoutTables } from './raw.ts'

/** The shapes of functions of `BT` that a type does not declare: none. */
const NO_SHAPES: readonly (readonly Position[])[] = []

/**
 * Returns the node that a call of a function of `BT` means: `BT.retry(2, child, { backoff_ms = 500 })`. The first shape of the type that fits
 * the arguments counts; one table alone may always hold parameters by name and children by number. A call that fits no shape is a node with
 * a mistake.
 */
export function nodeOfCall(type: string, args: readonly unknown[], origin: Origin, manifest?: NodeManifest): RawNode {
  const call = new CallReader(type)
  if (manifest === undefined) for (const arg of args) call.takeAny(arg)
  else call.take(args, manifest)
  return new RawNode(type, { keys: call.keys, children: call.children, mistakes: call.mistakes, origin })
}

class CallReader {
  readonly keys = new Map<string, unknown>()
  readonly children: RawNode[] = []
  readonly mistakes: RawMistake[] = []
  readonly #type: string

  constructor(type: string) {
    this.#type = type
  }

  take(args: readonly unknown[], manifest: NodeManifest): void {
    const [only] = args
    if (args.length === 1 && only instanceof RawTable) {
      this.#takeTable(only)
      return
    }
    const shapes = manifest.lua?.shapes ?? NO_SHAPES
    const shape = shapes.find((positions) => positions.length === args.length && misfit(positions, args, manifest) === undefined)
    if (shape === undefined) this.#refuse(args, shapes, manifest)
    for (const [place, arg] of args.entries()) {
      const position = shape?.[place]
      if (position === undefined) this.takeAny(arg)
      else this.#takeAt(position, arg)
    }
  }

  /** Takes what an argument may mean, so that the nodes in it are checked, too. */
  takeAny(arg: unknown): void {
    if (arg instanceof RawNode) this.children.push(arg)
    else if (arg instanceof RawTable) this.#takeTable(arg)
  }

  #takeAt(position: Position, arg: unknown): void {
    if (position === 'child' || position === 'children' || position === 'config') this.takeAny(arg)
    // A name beside an explicit id is a name.
    else if (position === 'id') this.#set(this.keys.has('id') ? 'name' : 'id', arg)
    else this.#set(position, withoutTables(arg))
  }

  #takeTable({ list, keys }: RawTable): void {
    for (const [index, item] of list) this.#takeChild(item, `entry ${index}`)
    for (const [key, value] of keys) {
      if (key === 'children') this.#takeChildren(value)
      else if (key === 'child') this.#takeChild(value, key)
      else if (key === 'id' && this.keys.has('id')) {
        this.#set('name', this.keys.get('id'))
        this.keys.set('id', value)
      } else this.#set(key, withoutTables(value))
    }
  }

  #takeChildren(value: unknown): void {
    if (!(value instanceof RawTable) || value.keys.size > 0) this.#takeChild(value, 'children')
    else for (const [index, item] of value.list) this.#takeChild(item, `entry ${index} of children`)
  }

  #takeChild(value: unknown, where: string): void {
    if (value instanceof RawNode) this.children.push(value)
    else {
      const fix = value instanceof RawTree ? 'refer to the tree with BT.subtree_ref(name)' : 'write a node there, or give the value a key'
      this.mistakes.push({ message: `${where} of BT.${this.#type} must be a node, found ${typeName(value)}`, fix })
    }
  }

  #set(key: string, value: unknown): void {
    if (!this.keys.has(key)) this.keys.set(key, value)
    else if (key !== 'name') this.mistakes.push({ message: `BT.${this.#type} is given ${key} twice`, key, fix: 'remove one of them' })
  }

  #refuse(args: readonly unknown[], shapes: readonly (readonly Position[])[], manifest: NodeManifest): void {
    const fix = `write ${shapes.map((shape) => shapeText(this.#type, shape)).join(' or ')}`
    const nearest = shapes.find((shape) => shape.length === args.length)
    const place = nearest === undefined ? undefined : misfit(nearest, args, manifest)
    const message =
      nearest === undefined || place === undefined
        ? `BT.${this.#type} cannot be called with ${args.length} ${args.length === 1 ? 'argument' : 'arguments'}`
        : `argument ${place + 1} of BT.${this.#type} must be ${positionText(nearest[place] ?? '')}, found ${typeName(args[place])}`
    this.mistakes.push({ message, fix })
  }
}

/** Returns the place of the first argument that does not fit a shape of the same length; undefined if all do. */
function misfit(positions: readonly Position[], args: readonly unknown[], { parameters }: NodeManifest): number | undefined {
  const place = positions.findIndex((position, at) => !fits(position, args[at], parameters))
  return place < 0 ? undefined : place
}

function fits(position: Position, arg: unknown, parameters: readonly Parameter[]): boolean {
  switch (position) {
    case 'child':
      return arg instanceof RawNode
    case 'children':
    case 'config':
      return arg instanceof RawTable
    case 'id':
      return isScalar(arg)
    default: {
      const type = parameters.find(({ name }) => name === position)?.type
      if (type === 'condition') return isScalar(arg) || typeof arg === 'function' || (arg instanceof RawTable && arg.keys.has('fn'))
      return isScalar(arg) || (type === 'function' && typeof arg === 'function')
    }
  }
}

function isScalar(arg: unknown): boolean {
  return typeof arg === 'string' || typeof arg === 'number' || typeof arg === 'boolean'
}

function shapeText(type: string, shape: readonly Position[]): string {
  return `BT.${type}(${shape.map((position) => (position === 'children' ? '{ children }' : position === 'config' ? '{ … }' : position)).join(', ')})`
}

function positionText(position: Position): string {
  if (position === 'child') return 'a node'
  if (position === 'children') return 'a list of nodes'
  if (position === 'config') return 'a table of parameters'
  return position === 'id' ? 'a name' : `the value of ${position}`
}

/** Returns the tree that a call of `BT.tree` means: a name and a table. */
export function treeOfCall(args: readonly unknown[], origin: Origin): RawTree {
  const [name, config] = args
  const mistakes: RawMistake[] = []
  const fix = 'write BT.tree("name", { root = … })'
  if (args.length !== 2) mistakes.push({ message: `BT.tree takes a name and a table, and has ${args.length} arguments`, fix })
  else if (!(config instanceof RawTable)) {
    mistakes.push({ message: `argument 2 of BT.tree must be a table with root, found ${typeName(config)}`, fix })
  }
  const keys = new Map<string, unknown>()
  if (config instanceof RawTable) {
    for (const [key, value] of config.keys) keys.set(key, withoutTables(value))
    for (const [index, value] of config.list) {
      mistakes.push({ message: `entry ${index} of BT.tree has no key: ${typeName(value)}`, fix: 'write root = in front of the node' })
    }
  }
  if (mistakes.length > 0 && !keys.has('root')) keys.set('root', undefined)
  return new RawTree(typeof name === 'string' ? name : (name ?? ''), { keys, mistakes, origin })
}

/** The functions of `BT` by name, each with the type of node that it makes. */
export function callNames(manifests: readonly NodeManifest[]): ReadonlyMap<string, NodeManifest> {
  const names = new Map<string, NodeManifest>()
  for (const manifest of manifests) for (const name of luaNames(manifest)) if (!names.has(name)) names.set(name, manifest)
  return names
}
