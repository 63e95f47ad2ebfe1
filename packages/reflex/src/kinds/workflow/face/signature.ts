import type { JsonObject } from '../../../kernel/index.ts'
import type { ProgramSignature } from '../../../programs/kind-view.ts'
import { schemaSource } from '../model/board-schemas/board-schemas.ts'
import type { CompiledWorkflow } from '../model/compile.ts'

/**
 * Returns the inputs and outputs of a workflow. Inputs are the keys that its nodes inherit, and keys of its board that no node writes; those
 * that the entry requires are required. Outputs are what its last nodes declare.
 */
export function workflowSignature({ workflow, nodes }: CompiledWorkflow): ProgramSignature {
  const { board = {}, metadata, entry } = workflow
  const all = [...nodes.values()]
  const written = new Set(all.flatMap(({ node }) => (node.outputs ?? []).map(({ key }) => key)))
  const inherited = all.flatMap(({ node }) => (node.inputs ?? []).filter((input) => input.inherited === true))
  const schemaOf = (key: string, description?: string): JsonObject => {
    const source = Object.hasOwn(board, key) ? schemaSource(board[key] ?? {}) : { schema: {} }
    return { ...('schema' in source ? source.schema : {}), ...(description === undefined ? {} : { description }) }
  }
  const inputs = new Map([
    ...Object.keys(board).flatMap((key) => (written.has(key) ? [] : [[key, schemaOf(key)] as const])),
    ...inherited.map(({ key, description }) => [key, schemaOf(key, description)] as const),
  ])
  const required = (nodes.get(entry)?.node.inputs ?? []).filter((input) => input.required && input.inherited === true)
  const ends = all.filter(({ edges }) => edges.length === 0).flatMap(({ node }) => node.outputs ?? [])
  const about = typeof metadata?.description === 'string' ? metadata.description : nodes.get(entry)?.node.description
  return {
    inputs: {
      type: 'object',
      properties: Object.fromEntries(inputs),
      ...(required.length === 0 ? {} : { required: required.map(({ key }) => key) }),
    },
    ...(ends.length === 0
      ? {}
      : {
          output: { type: 'object', properties: Object.fromEntries(ends.map(({ key, description }) => [key, schemaOf(key, description)])) },
        }),
    ...(about === undefined ? {} : { about }),
  }
}
