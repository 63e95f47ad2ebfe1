import type { Json, JsonObject, Repeat, Validator } from '../kernel/index.ts'

/** Where a run works. Both are absolute and real: no link is left in them. */
export interface Place {
  /** Where paths begin. */
  readonly workdir: string
  /** The run's own folder; it may not be there yet. */
  readonly runFolder: string
  /** The agent on whose behalf the run acts. */
  readonly agentId?: string | undefined
}

/** One call of a tool. */
export interface ToolCall extends Place {
  /** Aborted when the run gives the call up. */
  readonly signal: AbortSignal
  /** The idempotency key: the same when the call is repeated after a crash. */
  readonly key: string
  /** Progress, for who watches. */
  part(delta: Json, begins?: boolean): void
  /**
   * Asks the policy about one capability, at the moment at which the tool knows what it really touches. With `exactly`, a
   * grant with a star does not count.
   */
  allows(capability: string, exactly?: boolean): boolean
  /** Asks the policy whether one of its rules denies a capability; a capability without a grant is not denied by that. */
  denies(capability: string): boolean
}

/**
 * Something that can be called by name. A tool states facts (does something leave, may it be repeated, what does it
 * need), the policy and the runtime act on them. What it throws becomes the failure of the effect.
 */
export interface Tool<Args = unknown, Result = Json> {
  readonly name: string
  readonly description: string
  /** Something leaves: everything before it is durable first. */
  readonly leaves: boolean
  /** After a crash: again freely, again under the same key, or only after a person said so. */
  readonly repeat: Repeat
  /** The same of one call, where it depends on the arguments. */
  repeats?(args: Args): Repeat
  /** Checks the arguments and completes them; any Standard Schema validator that answers at once. */
  readonly input?: Validator | undefined
  /** Arguments that an author writes as they are: whoever calls the tool puts nothing of a board, an input or a model into them. */
  readonly authored?: readonly string[] | undefined
  /** The capabilities of this call, beside that of the tool itself. Never throws for arguments that `input` let pass. */
  needs?(args: Args, place: Place): readonly string[]
  run(args: Args, call: ToolCall): Result | Promise<Result>
  /** What stands in for a result where nothing may leave: of the shape that a result has. */
  simulates?(args: Args): Result
  /** One line for who reads the trace, such as `v1.4.2..HEAD, 14 commits`. */
  says?(args: Args, result: Result): string
}

/** What a validator lets through, if its type tells. */
type Output<Input> = Input extends { readonly '~standard': { readonly types?: { readonly output: infer Out } | undefined } }
  ? unknown extends Out
    ? JsonObject
    : Out
  : JsonObject

/** A tool whose arguments have the type that its validator gives. Without a validator they are any JSON object. */
export function defineTool<Input extends Validator, Result extends Json>(
  tool: Tool<Output<Input>, Result> & { readonly input?: Input | undefined },
): Tool {
  return tool
}
