import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { givenFunction, type HostPart, type HostParts, partsOf } from '../../../programs/host-parts.ts'
import { schemaName } from '../board/schema-names.ts'
import { versionsOf } from '../compile/pure-functions.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { NODES } from '../nodes/table.ts'
import type { TreeOptions } from './host-options.ts'

const BUILT_IN: ReadonlySet<string> = new Set(NODES.map(({ type }) => type))

/** Returns the functions, types of nodes and schemas of a host, and those that trees name. `services` have no names in trees. */
export function treeParts({ functions = {}, nodes = [], schemas = {} }: TreeOptions, table: ReadonlyMap<string, NodeManifest>): HostParts {
  const own = new Set(nodes.map(({ type }) => type))
  return {
    given: () => [
      ...Object.entries(functions).flatMap(([name, given]) =>
        givenFunction(
          name,
          versionsOf(given).map(({ version }) => [version]),
        ),
      ),
      ...partsOf('node', own),
      ...partsOf('schema', Object.keys(schemas)),
    ],
    named: (source) => [
      ...inTree(
        source,
        (type) => table.get(type),
        (type) => own.has(type) || !BUILT_IN.has(type),
      ),
    ],
  }
}

type Find = (type: string) => NodeManifest | undefined

function* inTree(tree: Json | undefined, find: Find, isOfHost: (type: string) => boolean): Generator<HostPart> {
  if (!isObject(tree)) return
  yield* partsOf('schema', schemasIn(tree))
  yield* inNode(tree['root'], find, isOfHost)
  yield* inNode(tree['on_failure'], find, isOfHost)
  const { trees } = tree
  if (isObject(trees)) for (const one of Object.values(trees)) yield* inTree(one, find, isOfHost)
}

function* inNode(node: Json | undefined, find: Find, isOfHost: (type: string) => boolean): Generator<HostPart> {
  if (!isObject(node) || typeof node['type'] !== 'string') return
  const { type, params, children } = node
  if (isOfHost(type)) yield { part: 'node', name: type }
  const values = isObject(params) ? params : {}
  for (const parameter of find(type)?.parameters ?? []) {
    const name = functionIn(parameter.type, values[parameter.name])
    if (name !== undefined) yield { part: 'function', name }
  }
  const { contract } = values
  if (isObject(contract)) yield* partsOf('schema', schemasOf(contract))
  if (isList(children)) for (const child of children) yield* inNode(child, find, isOfHost)
}

function functionIn(type: string, value: Json | undefined): string | undefined {
  const name = type === 'function' ? value : type === 'condition' && isObject(value) ? value['fn'] : undefined
  return typeof name === 'string' ? name : undefined
}

function schemasIn({ board, contract }: Readonly<Record<string, Json>>): readonly string[] {
  const types = isObject(board) ? Object.values(board).map((key) => (isObject(key) ? key['type'] : undefined)) : []
  return [...named(types), ...(isObject(contract) ? schemasOf(contract) : [])]
}

function schemasOf({ inputs, optional_inputs, outputs, inouts }: Readonly<Record<string, Json>>): readonly string[] {
  return named([inputs, optional_inputs, outputs, inouts].flatMap((keys) => (isObject(keys) ? Object.values(keys) : [])))
}

/** The names of schemas among types, without those that every tree knows. */
function named(types: readonly (Json | undefined)[]): readonly string[] {
  return types.filter((type) => typeof type === 'string').filter((type) => schemaName(type) === undefined)
}
