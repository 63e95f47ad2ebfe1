import { canonicalJson, type JsonObject } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { checkedValue } from './node-board.ts'
import type { TreeStep } from './tree-step.ts'

/**
 * Makes the blackboard of a tree that of another version: a value whose key has the same schema stays, every other one is deleted, and keys
 * without a value get their defaults. Returns the keys whose values were deleted.
 */
export function adoptBoard(x: TreeStep, before: CompiledTree, def: CompiledTree): string[] {
  const dropped: string[] = []
  for (const key of before.schemas.keys()) {
    if (key.startsWith('_') || schemaText(before, key) === schemaText(def, key) || x.get(key) === undefined) continue
    if (x.delete(key)) dropped.push(key)
  }
  const gone = new Set(dropped)
  for (const [key, value] of Object.entries<JsonObject[string]>(def.defaults))
    if (gone.has(key) || x.get(key) === undefined) x.set(key, checkedValue({ tree: def, path: def.id }, key, value))
  return dropped
}

/** The schema of a key as text: its type as it is written, or that of the contract. */
function schemaText({ source, schemas }: CompiledTree, key: string): string | undefined {
  const { contract, board = {} } = source
  const lists = [contract?.inputs, contract?.optional_inputs, contract?.outputs, contract?.inouts]
  const type = board[key]?.type ?? lists.map((keys) => keys?.[key]).find((one) => one !== undefined)
  return type === undefined ? schemas.get(key)?.name : canonicalJson(type)
}
