import { quote } from '../../../text/index.ts'
import type { Effect } from '../model/effect.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import type { ContextReader, Inputs, Outputs } from '../model/primitive.ts'
import { type PassValue, type Scalar, type ScalarType, typeOf } from '../model/value.ts'
import { type Called, callFunction, isPassError, readValue } from './call-function.ts'
import { decidingInputs } from './deciding.ts'
import { copyOut, effectsOf } from './effects.ts'
import type { PassIds } from './intent-id.ts'
import { nodeError, type PassError, passError } from './pass-error.ts'
import { type Plan, type PlannedNode, planOf } from './plan.ts'

/** The boundary outputs in their declared order and the effects in the order of evaluation, or the first error: then there are neither. */
export type PassResult =
  | { readonly outputs: Readonly<Record<string, PassValue>>; readonly effects: readonly Effect[] }
  | { readonly error: PassError }

/** The values of a node in a pass. */
export interface NodeTrace {
  /** The index of the node. */
  readonly node: number
  /** The connected inputs. An event is `Emitted` or `NotEmitted`, also at an action. */
  readonly inputs: Inputs
  /** Empty for the node whose error ended the pass. */
  readonly outputs: Outputs
  /** The gates that did not emit, for an action that was skipped. */
  readonly held: readonly string[]
  /** The inputs that decided the outputs: the branch that a choice took, the operand that is false for `and`, the gates that held. */
  readonly decided: readonly string[]
}

export interface EvaluateOptions {
  /** Takes the nodes in the order of evaluation. */
  readonly trace?: (node: NodeTrace) => void
  /** The results of functions of the host that this pass has already called. They are not called again. */
  readonly called?: ReadonlyMap<number, Called>
}

/**
 * Evaluates a graph on a context, node by node, with every check. Pure: equal arguments give equal bits. `ids` are needed if an action has
 * an intent.
 */
export function evaluate(graph: ValidatedGraph, context: ContextReader, ids?: PassIds, options: EvaluateOptions = {}): PassResult {
  return evaluatePlan(planOf(graph), context, ids, options)
}

/** Evaluates a plan: the same for a graph with many passes. */
export function evaluatePlan(plan: Plan, context: ContextReader, ids?: PassIds, options: EvaluateOptions = {}): PassResult {
  if (plan.needsIds && ids === undefined) return { error: missingIds() }
  const values: Outputs[] = []
  const effects: Effect[] = []
  for (const planned of plan.nodes) {
    const inputs = gather(planned, values)
    const held = heldGates(planned, inputs)
    const outputs = held.length > 0 ? skipped(planned) : evaluateNode(planned, inputs, context, options.called)
    const error = isPassError(outputs) ? outputs : undefined
    options.trace?.({
      node: planned.index,
      inputs,
      outputs: error === undefined ? (outputs as Outputs) : {},
      held,
      decided: held.length > 0 ? held : decidingInputs(planned.node.primitive.op, inputs),
    })
    if (error !== undefined) return { error }
    values[planned.index] = outputs as Outputs
    if (planned.node.primitive.kind === 'action' && held.length === 0)
      effects.push(...effectsOf(planned, (port) => inputs[port] as Scalar, ids))
  }
  const outputs = plan.graph.outputs.map(({ name, node, port }) => [name, copyOut(values[node]?.[port] as Scalar)] as const)
  return { outputs: Object.fromEntries(outputs), effects }
}

/** Returns the error of a pass with intents and without ids. */
export function missingIds(): PassError {
  return passError('IntentMetadataRequired', 'the pass has no ids, and an action of the graph has an intent')
}

function gather({ inputs }: PlannedNode, values: readonly Outputs[]): Inputs {
  const gathered: Record<string, Scalar> = {}
  for (const { port, from } of inputs) gathered[port] = values[from.node]?.[from.port] as Scalar
  return gathered
}

/** Returns the event inputs of an action that did not emit: one is enough to skip it (rule R.7). */
function heldGates({ node, inputs }: PlannedNode, values: Inputs): readonly string[] {
  if (node.primitive.kind !== 'action') return []
  return inputs.filter(({ port, type }) => type === 'Event' && values[port] === 'NotEmitted').map(({ port }) => port)
}

function skipped({ node }: PlannedNode): Outputs {
  return Object.fromEntries(node.primitive.manifest.outputs.map(({ name }) => [name, 'Skipped']))
}

function evaluateNode(planned: PlannedNode, inputs: Inputs, context: ContextReader, called: EvaluateOptions['called']): Called {
  const before = called?.get(planned.index)
  if (before !== undefined) return before
  const error = planned.error ?? contextError(planned, context)
  if (error !== undefined) return error
  return callFunction(planned, planned.node.primitive.kind === 'action' ? attempted(planned, inputs) : inputs, context)
}

/** Returns the inputs as an action sees them: each event is `Attempted`. */
export function attempted({ inputs }: Pick<PlannedNode, 'inputs'>, values: Inputs): Inputs {
  return Object.fromEntries(inputs.map(({ port, type }) => [port, type === 'Event' ? 'Attempted' : (values[port] as Scalar)]))
}

/** Returns the error of a source whose key is absent or of another type. */
export function contextError({ node, keys }: PlannedNode, context: ContextReader): PassError | undefined {
  for (const { key, type, required } of keys) {
    const value = context.value(key)
    if (value === undefined) {
      if (required) return nodeError('MissingRequiredContextKey', node, `needs the key ${quote(key)}, which is absent`, { port: key })
    } else if (!hasType(value, type))
      return nodeError(
        'ContextKeyTypeMismatch',
        node,
        `needs the key ${quote(key)} as ${type}, and it is ${typeOf(value) ?? 'of no type'}`,
        { port: key },
      )
  }
  return undefined
}

/** True for a value of a type. A number that is not finite has the type Number: the source that emits it is at fault. */
function hasType(value: Scalar, type: ScalarType): boolean {
  return readValue(value, type) !== 'TypeConversionFailed'
}
