import type { EffectAnswer, Json, JsonObject, Repeat, Validator } from '../kernel/index.ts'

/** The folders of a run. Both paths are absolute and real, without links. */
export interface Place {
  /** The folder at which paths start. */
  readonly workdir: string
  /** The run's folder; it may not exist yet. */
  readonly runFolder: string
  /** The agent on whose behalf the run acts. */
  readonly agentId?: string | undefined
  /** Capabilities that the run may not use freely, by the rules under which it began. */
  readonly restricted?: readonly string[]
}

/** One call of a tool. */
export interface ToolCall extends Place {
  /** Aborted when the run cancels the call. */
  readonly signal: AbortSignal
  /** The idempotency key: the same when the call is repeated after a crash. */
  readonly key: string
  /** The answers to questions that this call has asked so far, by throwing a `questionInterruption`. Absent where nothing records them. */
  readonly answers?: readonly EffectAnswer[] | undefined
  /** The run of the call. Absent outside of runs. */
  readonly run?: string | undefined
  /** Reports progress to observers. */
  part(delta: Json, begins?: boolean): void
  /**
   * Asks the policy for one capability, at the moment when the tool knows what it really accesses. With `exactly`, a
   * grant with a star does not count.
   */
  allows(capability: string, exactly?: boolean): boolean
  /** True if a rule of the policy denies a capability; a missing grant is not a denial. */
  denies(capability: string): boolean
}

/**
 * A tool that can be called by name. A tool declares facts (whether something leaves, whether it can be repeated, which
 * capabilities it needs); the policy and the runtime act on them. Its errors become the failure of the effect.
 */
export interface Tool<Args = unknown, Result = Json> {
  readonly name: string
  readonly description: string
  /** True if its results are text from outside, whatever its arguments are: they get that label. */
  readonly outside?: boolean | undefined
  /** True if something leaves; everything before the call is then durable first. */
  readonly leaves: boolean
  /** The rule for repeating a call after a crash: freely, under the same key, or only after a person decides it. */
  readonly repeat: Repeat
  /** The same rule for one call, if it depends on the arguments. */
  repeats?(args: Args): Repeat
  /** Checks and completes the arguments: any synchronous Standard Schema validator. */
  readonly input?: Validator | undefined
  /** Checks the result, like `input` the arguments: a call whose result does not fit has failed (`R4103`). */
  readonly output?: Validator | undefined
  /** The arguments that an author writes literally: callers put no value of a board, an input or a model into them. */
  readonly authored?: readonly string[] | undefined
  /**
   * The call that undoes a call, for skills that are learned. Texts in `args` may name parts of the call: `{{args.order}}`,
   * `{{result.refund_id}}`.
   */
  readonly undo?: { readonly tool: string; readonly args: JsonObject } | undefined
  /**
   * Returns the capabilities of this call, besides that of the tool itself. Never throws for arguments that `input`
   * accepts.
   */
  needs?(args: Args, place: Place): readonly string[]
  run(args: Args, call: ToolCall): Result | Promise<Result>
  /** Returns the result in a run where nothing may leave, in the form of a real result. */
  simulates?(args: Args): Result
  /** Returns one line for readers of the trace, such as `v1.4.2..HEAD, 14 commits`. */
  says?(args: Args, result: Result): string
}

/** The type of the values that a validator returns, if it declares one. */
type Output<Input> = Input extends { readonly '~standard': { readonly types?: { readonly output: infer Out } | undefined } }
  ? unknown extends Out
    ? JsonObject
    : Out
  : JsonObject

/** Defines a tool whose arguments have the type of its validator. Without a validator they are any JSON object. */
export function defineTool<Input extends Validator, Result extends Json>(
  tool: Tool<Output<Input>, Result> & { readonly input?: Input | undefined },
): Tool {
  return tool
}
