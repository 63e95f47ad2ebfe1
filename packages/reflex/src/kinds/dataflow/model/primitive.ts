import type { Manifest, ParameterValue } from './manifest.ts'
import type { Outcome, Scalar, TriggerEvent } from './value.ts'

export type Parameters = Readonly<Record<string, ParameterValue>>
/** The connected inputs by port. A trigger sees an event as `Emitted` or `NotEmitted`, an action as `Attempted`. */
export type Inputs = Readonly<Record<string, Scalar>>
export type Outputs = Readonly<Record<string, Scalar>>

/** The context that a source reads: the merged payload of the event. */
export interface ContextReader {
  /** Returns a value of the context; undefined for an absent key. */
  value(key: string): Scalar | undefined
}

/** The errors of computes (reference 4.6). They end the pass. */
export interface ComputeError {
  readonly error: 'DivisionByZero' | 'NonFiniteResult' | 'InvalidParameter' | (string & {})
  /** The parameter, or another detail. */
  readonly about?: string
}

export type SourceFunction = (parameters: Parameters, context: ContextReader) => Outputs
export type ComputeFunction = (inputs: Inputs, parameters: Parameters) => Outputs | ComputeError
export type TriggerFunction = (inputs: Inputs, parameters: Parameters) => TriggerEvent
export type ActionFunction = (inputs: Inputs, parameters: Parameters) => Outcome

/** A manifest with its function. The function is synchronous and pure: it sees what it is given and nothing else. */
export type Primitive = { readonly manifest: Manifest } & (
  | { readonly kind: 'source'; readonly run: SourceFunction }
  | { readonly kind: 'compute'; readonly run: ComputeFunction }
  | { readonly kind: 'trigger'; readonly run: TriggerFunction }
  | { readonly kind: 'action'; readonly run: ActionFunction }
) & {
    /**
     * The operation of a built-in primitive by which the grouped and the generated pass compute it without calling `run`; absent: the
     * function is called. Both give equal bits.
     */
    readonly op?: string
    /** The SHA-256 of the text of a function of the host. A built-in primitive has none: its version names it. */
    readonly digest?: string
  }
