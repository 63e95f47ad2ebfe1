import type { AskedModel } from '../../../programs/language.ts'
import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { llmCall } from '../nodes/llm-call.ts'

/** Returns the models that the nodes of a tree, and of the trees of its file, ask. */
export function modelsNamed({ root, trees }: CompiledTree): readonly AskedModel[] {
  return [root, ...[...trees.values()].map((tree) => tree.root)].flatMap(modelsBelow)
}

function modelsBelow({ manifest, params, children }: CompiledNode): readonly AskedModel[] {
  const { model } = params
  const asked = manifest.type !== llmCall.type ? [] : typeof model === 'string' && model !== '' ? [{ name: model }] : [{}]
  return [...asked, ...children.flatMap(modelsBelow)]
}
