import { isList, isObject } from '../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../text/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import type { LeafParts } from './leaf-parts.ts'
import type { CheckedNode } from './subject.ts'

/** Checks what goes into the tree of a reference and what comes back: declared keys, and inputs that have a value. */
export function checkReference(checked: CheckedNode, parts: LeafParts): void {
  const { tree, treeOf, reads, values, findings } = parts
  const { params, source } = checked.node
  const bind = isObject(params.bind) ? params.bind : {}
  for (const from of Object.values(bind)) reads.read(checked, rootKey(isList(from) ? textOf(from[0]) : textOf(from)), 'strict', 'bind')
  const called = treeOf(textOf(params.tree_name))
  if (called === undefined || params.share === true) return
  for (const key of Object.keys(bind)) if (!called.schemas.has(key)) undeclared(checked, parts, key, called, 'bind')
  for (const key of exportedTo(checked, called)) if (!tree.schemas.has(key)) undeclared(checked, parts, key, tree, 'export')
  for (const key of Object.keys(called.source.contract?.inputs ?? {})) {
    // A key that is not bound is read from the tree around it.
    if (bind[key] !== undefined || called.defaults[key] !== undefined || !values.known(key).isMissing) continue
    findings.add('R1288', checked, key, () => ({
      message: `${source.id} does not give ${called.id} its input ${key}`,
      note: `${key} is not bound`,
      fix: `bind it: bind = { ${key} = "…" }`,
      data: { key, tree: called.id },
    }))
  }
}

function rootKey(path: string): string {
  return path.split('.')[0] ?? path
}

/** The keys that are written in the tree around the reference. Those of an export as a map are declared by it. */
function exportedTo({ node }: CheckedNode, called: CompiledTree): readonly string[] {
  const { export: chosen } = node.params
  if (isList(chosen)) return chosen.map(textOf).filter((key) => called.schemas.has(key))
  return isObject(chosen) ? [] : (called.outputs ?? [])
}

function undeclared(checked: CheckedNode, { findings }: LeafParts, key: string, tree: CompiledTree, parameter: 'bind' | 'export'): void {
  findings.add('R1289', checked, `${parameter} ${key}`, () => {
    const guess = suggest(key, tree.schemas.keys())
    const hint = didYouMean(guess)
    const verb = parameter === 'bind' ? 'gives' : 'returns'
    return {
      message: `${checked.node.source.id} ${verb} ${key} to ${tree.id}, which does not declare it${hint === undefined ? '' : `; ${hint}`}`,
      note: hint ?? `${tree.id} does not declare ${key}`,
      ...(checked.node.source.params?.[parameter] === undefined ? {} : { parameter }),
      fix: guess === undefined ? `declare ${key} in the blackboard of ${tree.id}` : `write ${quote(guess)}`,
      data: { key, tree: tree.id },
    }
  })
}
