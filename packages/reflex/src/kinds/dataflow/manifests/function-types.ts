import type { InputPort, Manifest, OutputPort, ParameterDeclaration } from '../model/manifest.ts'
import type { ComputeError, ContextReader } from '../model/primitive.ts'
import type { Outcome, TriggerEvent } from '../model/value.ts'

interface Values {
  readonly Number: number
  readonly Int: number
  readonly Series: readonly number[]
  readonly Bool: boolean
  readonly String: string
  readonly Enum: string
}

type ParameterOf<P extends ParameterDeclaration> = P extends { readonly type: 'Enum'; readonly values: readonly (infer Value)[] }
  ? Value
  : Values[P['type']]
type ValueOf<Type, Event> = Type extends keyof Values ? Values[Type] : Event
type OptionalInput<P extends InputPort> = P extends { readonly required: false } ? P : never

/** The inputs of a function: an optional one is absent while it is unconnected. */
type InputsOf<M extends Manifest, Event> = {
  readonly [P in Exclude<M['inputs'][number], OptionalInput<M['inputs'][number]>> as P['name']]: ValueOf<P['type'], Event>
} & { readonly [P in OptionalInput<M['inputs'][number]> as P['name']]?: ValueOf<P['type'], Event> }

type ParametersOf<M extends Manifest> = { readonly [P in M['parameters'][number] as P['name']]: ParameterOf<P> }
type OutputsOf<M extends Manifest> = { readonly [P in M['outputs'][number] as P['name']]: ValueOf<P['type'] & OutputPort['type'], never> }
type ErrorOf<M extends Manifest> = M['errors'] extends { readonly allowed: true; readonly types: readonly (infer Name)[] }
  ? Omit<ComputeError, 'error'> & { readonly error: Name }
  : never

interface Functions<M extends Manifest> {
  readonly source: (parameters: ParametersOf<M>, context: ContextReader) => OutputsOf<M>
  readonly compute: (inputs: InputsOf<M, never>, parameters: ParametersOf<M>) => OutputsOf<M> | ErrorOf<M>
  readonly trigger: (inputs: InputsOf<M, TriggerEvent>, parameters: ParametersOf<M>) => TriggerEvent
  readonly action: (inputs: InputsOf<M, 'Attempted'>, parameters: ParametersOf<M>) => Exclude<Outcome, 'Skipped'>
}

/** The function of a manifest: its inputs, parameters and outputs have the names and types that the manifest declares. */
export type FunctionOf<M extends Manifest> = Functions<M>[M['kind']]
