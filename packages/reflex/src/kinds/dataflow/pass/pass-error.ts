import type { Fault } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { type GraphNode, nodeName } from '../model/graph.ts'
import type { RunTermination } from '../model/termination.ts'
import { faults } from './faults.ts'

/** The errors of a pass (reference 4.6). */
export type PassErrorName =
  | 'ComputeFailed'
  | 'NonFiniteOutput'
  | 'MissingRequiredContextKey'
  | 'ContextKeyTypeMismatch'
  | 'MissingOutput'
  | 'UndeclaredOutput'
  | 'TypeConversionFailed'
  | 'ParameterTypeConversionFailed'
  | 'ParameterOutOfRange'
  | 'ActionSkipViolation'
  | 'IntentMetadataRequired'
  | 'FunctionThrew'

/** The error that ended a pass: the first in the order of evaluation. */
export interface PassError {
  readonly name: PassErrorName
  /** The runtime id of the node; absent if no node ran. */
  readonly node?: string
  readonly port?: string
  /** The error of a compute, such as `DivisionByZero`. */
  readonly detail?: string
  readonly fault: Fault
}

type FaultCode = keyof typeof faults.entries

const FIRST: Readonly<Record<PassErrorName, readonly [code: FaultCode, rule: string | undefined]>> = {
  ComputeFailed: ['R1370', 'CMP-12'],
  NonFiniteOutput: ['R1371', 'NUM-FINITE-1'],
  MissingRequiredContextKey: ['R1372', 'SRC-10'],
  ContextKeyTypeMismatch: ['R1372', 'SRC-11'],
  MissingOutput: ['R1373', 'CMP-11'],
  UndeclaredOutput: ['R1373', undefined],
  TypeConversionFailed: ['R1373', 'V.4'],
  ParameterTypeConversionFailed: ['R1375', 'I.4'],
  ParameterOutOfRange: ['R1375', 'X.11'],
  ActionSkipViolation: ['R1373', 'R.7'],
  IntentMetadataRequired: ['R1376', 'GW-EFX-META-1'],
  FunctionThrew: ['R1374', undefined],
}

/** The errors of a calculation, of the context and of a function that threw: they mean something, so a retry is of no use. */
const MEANT: ReadonlySet<PassErrorName> = new Set([
  'ComputeFailed',
  'NonFiniteOutput',
  'MissingRequiredContextKey',
  'ContextKeyTypeMismatch',
  'FunctionThrew',
])

/** Returns how an attempt ended by an error (reference 4.6). A supervisor may retry a `RuntimeError`, never a `SemanticError`. */
export function terminationOf({ name }: PassError): RunTermination {
  return { Failed: MEANT.has(name) ? 'SemanticError' : 'RuntimeError' }
}

export interface PassErrorDetails {
  readonly port?: string
  readonly detail?: string
  readonly fix?: string
  readonly cause?: unknown
}

/** Returns the error of a node; `problem` completes a sentence whose subject is the node. */
export function nodeError(name: PassErrorName, node: GraphNode, problem: string, details: PassErrorDetails = {}): PassError {
  const { port, detail, fix, cause } = details
  const place = nodeName(node)
  const where = place === node.id ? quote(place) : `${quote(place)} (${node.id})`
  const stated = { ...(port === undefined ? {} : { port }), ...(detail === undefined ? {} : { detail }) }
  return {
    name,
    node: node.id,
    ...stated,
    fault: passFault(name, `node ${where} ${problem}`, {
      path: place,
      data: { error: name, node: node.id, ...stated },
      ...(fix === undefined ? {} : { fix }),
      ...(cause === undefined ? {} : { cause }),
    }),
  }
}

/** Returns the error of a pass that no node began. */
export function passError(name: PassErrorName, message: string): PassError {
  return { name, fault: passFault(name, message, { data: { error: name } }) }
}

function passFault(name: PassErrorName, message: string, details: Parameters<typeof faults.finding>[2]): Fault {
  const [code, rule] = FIRST[name]
  return faults.finding(code, message, { ...(rule === undefined ? {} : { rule }), ...details })
}
