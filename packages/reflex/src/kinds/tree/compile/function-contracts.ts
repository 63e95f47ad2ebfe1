import { textOf } from '../model/text-of.ts'
import type { JsonObject } from '../../../kernel/index.ts'
import type { ContractSource, NodeSource, TreeSource } from '../model/source.ts'

/** The functions of a host, of which some have a contract. */
export type ContractedFunctions = Readonly<Record<string, object>>

/**
 * Returns a tree in which an action without a contract has that of its function. It is part of the pinned tree, so a later change of the function
 * changes no run that has begun.
 */
export function withFunctionContracts(source: TreeSource, functions: ContractedFunctions): TreeSource {
  if (!Object.values(functions).some((entry) => contractOf(entry) !== undefined)) return source
  const { root, on_failure, trees } = source
  return {
    ...source,
    root: nodeWith(root, functions),
    ...(on_failure === undefined ? {} : { on_failure: nodeWith(on_failure, functions) }),
    ...(trees === undefined
      ? {}
      : { trees: Object.fromEntries(Object.entries(trees).map(([id, tree]) => [id, withFunctionContracts(tree, functions)])) }),
  }
}

function contractOf(given: object | undefined): ContractSource | undefined {
  const entry: object | undefined = Array.isArray(given) ? (given as readonly object[]).at(-1) : given
  return entry !== undefined && typeof entry === 'object' && 'contract' in entry ? (entry.contract as ContractSource) : undefined
}

function nodeWith(node: NodeSource, functions: ContractedFunctions): NodeSource {
  const { type, params, children } = node
  const name = textOf(params?.fn)
  const contract =
    type === 'action' && params?.contract === undefined && Object.hasOwn(functions, name) ? contractOf(functions[name]) : undefined
  return {
    ...node,
    ...(contract === undefined ? {} : { params: { ...params, contract: contract as unknown as JsonObject } }),
    ...(children === undefined ? {} : { children: children.map((child) => nodeWith(child, functions)) }),
  }
}
