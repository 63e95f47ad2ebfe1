import { isFault } from '../../../kernel/index.ts'
import { quote, quoteAll } from '../../../text/index.ts'
import type { ContextReader, Inputs, Outputs } from '../model/primitive.ts'
import { type Outcome, OUTCOMES, type Scalar, type ScalarType, typeOf } from '../model/value.ts'
import { nodeError, type PassError, type PassErrorName } from './pass-error.ts'
import type { PlannedNode } from './plan.ts'

/** The values of the outputs of a node, or the error that ends the pass. */
export type Called = Outputs | PassError

/** True for the error of a call. */
export function isPassError(called: Called): called is PassError {
  return isFault(called.fault)
}

/**
 * Calls the function of a node and checks what it returns.
 *
 * A function of the host gets copies of series, so that nothing it changes reaches another node. Every number that it returns must be finite;
 * −0 becomes 0, and series are copied. An exception, a promise, a missing output, one that is not declared or one of another type is an error.
 */
export function callFunction(planned: PlannedNode, inputs: Inputs, context: ContextReader): Called {
  const { primitive } = planned.node
  const isHost = primitive.op === undefined
  let returned: unknown
  try {
    returned = call(planned, isHost ? copies(inputs) : inputs, isHost ? copyingReader(context) : context)
    if (isHost && isThenable(returned)) return promiseError(planned, returned)
    return primitive.kind === 'source' || primitive.kind === 'compute' ? readOutputs(planned, returned) : readEvent(planned, returned)
  } catch (thrown) {
    return nodeError('FunctionThrew', planned.node, `threw in the function of ${quote(primitive.manifest.id)}`, { cause: thrown })
  }
}

function call({ node: { primitive }, parameters }: PlannedNode, inputs: Inputs, context: ContextReader): unknown {
  switch (primitive.kind) {
    case 'source':
      return primitive.run(parameters, context)
    case 'compute':
      return primitive.run(inputs, parameters)
    case 'trigger':
      return primitive.run(inputs, parameters)
    default:
      return primitive.run(inputs, parameters)
  }
}

function copies(inputs: Inputs): Inputs {
  return Object.freeze(Object.fromEntries(Object.entries(inputs).map(([port, value]) => [port, copy(value)])))
}

function copy(value: Scalar): Scalar {
  return typeof value === 'object' ? value.slice() : value
}

function copyingReader(context: ContextReader): ContextReader {
  return Object.freeze({
    value: (key: string) => {
      const value = context.value(key)
      return value === undefined ? undefined : copy(value)
    },
  })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function promiseError({ node }: PlannedNode, promise: PromiseLike<unknown>): PassError {
  // A promise that is rejected later must not end the process.
  promise.then(undefined, () => undefined)
  return nodeError('TypeConversionFailed', node, 'returned a promise; a pass does not wait', { fix: 'return the value' })
}

/** Returns the outputs of a source or compute. Each property is read once. */
function readOutputs(planned: PlannedNode, returned: unknown): Called {
  const { node } = planned
  const { outputs } = node.primitive.manifest
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned))
    return wrong('TypeConversionFailed', planned, 'returned no outputs', outputs[0]?.name)
  const given = returned as Readonly<Record<string, unknown>>
  const names = Object.keys(given)
  const other = names.find((name) => !outputs.some((output) => output.name === name))
  if (other !== undefined) {
    if (node.primitive.kind === 'compute' && names.includes('error') && !outputs.some(({ name }) => name === 'error'))
      return computeError(planned, given['error'], given['about'])
    return nodeError('UndeclaredOutput', node, `returned output ${quote(other)}, which is not declared`, {
      port: other,
      fix: `return only ${quoteAll(outputs.map(({ name }) => name))}`,
    })
  }
  const checked: Record<string, Scalar> = {}
  for (const { name, type } of outputs) {
    if (!names.includes(name)) return wrong('MissingOutput', planned, `returned no output ${quote(name)}`, name)
    const value = readValue(given[name], type as ScalarType)
    if (value === 'NonFiniteOutput') return wrong(value, planned, `emitted a number that is not finite at ${quote(name)}`, name)
    if (value === 'TypeConversionFailed') return wrong(value, planned, `returned no ${type} at ${quote(name)}`, name)
    checked[name] = value.scalar
  }
  return checked
}

function wrong(name: PassErrorName, { node }: PlannedNode, problem: string, port: string | undefined): PassError {
  return nodeError(name, node, problem, port === undefined ? {} : { port })
}

function computeError({ node }: PlannedNode, error: unknown, about: unknown): PassError {
  if (typeof error !== 'string') return nodeError('TypeConversionFailed', node, 'returned an error that is not a text')
  const detail = typeof about === 'string' ? `${error}(${quote(about)})` : error
  return nodeError('ComputeFailed', node, `failed: ${detail}`, { detail })
}

/** Returns a value of a port without −0, or the error of one that the port cannot hold. Series are copied. */
export function readValue(value: unknown, type: ScalarType): { readonly scalar: Scalar } | 'NonFiniteOutput' | 'TypeConversionFailed' {
  if (type === 'Number') {
    if (typeof value !== 'number') return 'TypeConversionFailed'
    return Number.isFinite(value) ? { scalar: value + 0 } : 'NonFiniteOutput'
  }
  if (type !== 'Series') return typeOf(value) === type ? { scalar: value as Scalar } : 'TypeConversionFailed'
  if (!Array.isArray(value)) return 'TypeConversionFailed'
  const series: number[] = []
  let isFinite = true
  // Holes are read, too.
  for (const item of value as readonly unknown[]) {
    if (typeof item !== 'number') return 'TypeConversionFailed'
    isFinite &&= Number.isFinite(item)
    series.push(item + 0)
  }
  return isFinite ? { scalar: series } : 'NonFiniteOutput'
}

const RETURNED_OUTCOMES = OUTCOMES.filter((outcome) => outcome !== 'Skipped')

/** Returns the output of a trigger or an action. */
function readEvent({ node }: PlannedNode, returned: unknown): Called {
  const { primitive } = node
  const port = primitive.manifest.outputs[0]?.name ?? ''
  const allowed: readonly string[] = primitive.kind === 'trigger' ? ['Emitted', 'NotEmitted'] : RETURNED_OUTCOMES
  if (typeof returned === 'string' && allowed.includes(returned)) return { [port]: returned }
  const isSkip = returned === ('Skipped' satisfies Outcome) && primitive.kind === 'action'
  return isSkip
    ? nodeError('ActionSkipViolation', node, 'returned "Skipped"; only a gate skips an action', { port })
    : nodeError('TypeConversionFailed', node, `returned none of ${quoteAll(allowed)}`, { port })
}
