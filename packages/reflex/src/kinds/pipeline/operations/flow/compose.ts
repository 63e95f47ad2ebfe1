import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { isOn, listOf, textOf } from '../../dot/graph.ts'
import { fileUri, INVOKE } from '../../model/capability-uris.ts'
import { type Output, writesAt } from '../../model/operation-ports.ts'
import type { WrittenNode } from '../../model/written-node.ts'
import { callProgram, type CallResult, callSource } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { inputProblem } from '../../contract/inputs.ts'
import { mappedKeys } from '../../language/result-mapping.ts'
import { unfenced } from '../people/gate.ts'

export function* composeGraph(nodeContext: NodeContext, sourceKey: string): Steps {
  const { attributes, node } = nodeContext
  const returned = yield* callChild(
    nodeContext,
    inputsOf(nodeContext),
    textOf(attributes, sourceKey) ?? (sourceKey === 'source_key' ? 'last_response' : undefined),
  )
  if ('refused' in returned) return refusal(`${node.id}: ${returned.refused}`)
  const { status, context, error } = childResultOf(returned)
  const prefix = `subgraph.${node.id}`
  const updates: JsonObject = {
    ...mappedUpdates(nodeContext, context),
    [`${prefix}.status`]: status,
    [`${prefix}.nodes_completed`]: stepsOf(returned.value),
    ...(error === undefined ? {} : { [`${prefix}.error`]: error }),
  }
  if (status === 'fail' && !isOn(attributes, 'ignore_child_failure'))
    return refusal(`${node.id}: the child failed: ${error ?? 'no reason'}`, { context_updates: updates })
  return status === 'partial_success' ? { status, context_updates: updates } : success(updates)
}

type ChildCall = CallResult | { readonly refused: string }

export function* callChild(nodeContext: NodeContext, inputs: JsonObject, sourceKey: string | undefined): Generator<Ask, ChildCall, Answer> {
  const reference = referenceOf(nodeContext)
  const shadowedInput = Object.entries(inputs).flatMap(([key, value]) => inputProblem(key, value) ?? [])[0]
  if (shadowedInput !== undefined && reference?.startsWith('pipeline:') !== false)
    return { refused: `an input cannot be passed: ${shadowedInput}` }
  if (reference !== undefined) return yield* callProgram(reference, inputs)
  if (sourceKey === undefined) return { refused: 'no program: write program, graph_name or graph_file' }
  const dot = unfenced(nodeContext.text(sourceKey))
  if (dot.trim() === '') return { refused: `the context has no ${sourceKey}` }
  // Text from the context has no trusted author: it runs with the lowest trust (reference pipeline 5.6).
  return yield* callSource('pipeline', `${nodeContext.typed.graph.id}.${nodeContext.node.id}`, { dot, author: 'untrusted' }, inputs)
}

/** The keys for the values that a called program returns. */
export const CHILD: Output = writesAt('inputs', 'result_prefix', 'subgraph.<id>.')

/** Returns the capabilities of a call; `file` is the attribute with the file of the program. */
export function callNeeds(node: WrittenNode, file: string): readonly string[] {
  const path = node.text(file)
  return path === undefined ? [INVOKE] : [INVOKE, fileUri('read', path)]
}

/** Returns the program that a node names, as `kind:id`. */
export function referenceOf({ attributes }: Pick<NodeContext, 'attributes'>): string | undefined {
  const name = [
    textOf(attributes, 'program'),
    textOf(attributes, 'graph_name'),
    textOf(attributes, 'graph_file'),
    textOf(attributes, 'source_file'),
  ].find((one) => one !== undefined && one !== '')
  return name === undefined ? undefined : referenceTo(name)
}

/** Returns a program name as `kind:id`; a name without a kind is a pipeline. */
export function referenceTo(name: string): string {
  return /^[a-z][\w-]*:/.test(name) ? name : `pipeline:${name}`
}

/** Returns the inputs of a child: the named keys, or all keys that the engine does not set. */
function inputsOf(nodeContext: NodeContext): JsonObject {
  const { attributes } = nodeContext
  const keys = isOn(attributes, 'pass_all_context')
    ? nodeContext.keys().filter((key) => !isEngineKey(key))
    : listOf(attributes, 'pass_context')
  const values = keys.flatMap((key): [string, Json][] => {
    const value = nodeContext.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return Object.fromEntries(values)
}

interface ChildResult {
  readonly status: 'success' | 'partial_success' | 'fail'
  readonly context: JsonObject
  readonly error?: string
}

export function childResultOf({ returned, value }: CallResult): ChildResult {
  const object = isObject(value) ? value : value === null || value === undefined ? {} : { value }
  if (returned !== 'done') {
    const message = object['message']
    return { status: 'fail', context: {}, error: typeof message === 'string' ? message : returned }
  }
  const { context, status } = object
  return { status: status === 'partial_success' ? 'partial_success' : 'success', context: isObject(context) ? context : object }
}

/** Returns the values from a child: the mapped ones, or otherwise all that the engine does not set, under a prefix. */
function mappedUpdates({ attributes, node }: NodeContext, context: JsonObject): JsonObject {
  const pairs = mappedKeys(attributes)
  if (pairs.length > 0)
    return Object.fromEntries(pairs.flatMap(([child, parent]) => (Object.hasOwn(context, child) ? [[parent, context[child] ?? null]] : [])))
  const prefix = textOf(attributes, 'result_prefix') ?? `subgraph.${node.id}.`
  const passed = Object.entries(context).filter(([key, value]) => isScalar(value) && !isEngineKey(key))
  return Object.fromEntries(passed.map(([key, value]) => [`${prefix}${prefix.endsWith('.') ? '' : '.'}${key}`, value]))
}

function isEngineKey(key: string): boolean {
  return key.startsWith('graph.') || key.startsWith('internal.') || key.startsWith('__') || key.startsWith('#')
}

export function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

export function stepsOf(value: Json): number {
  return isObject(value) && typeof value['steps'] === 'number' ? value['steps'] : 0
}
