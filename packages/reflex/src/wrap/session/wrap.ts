import type { WRAPPED } from './intercept.ts'

/** What an agent gets beside its input. */
export interface AgentContext<Llm = unknown, Tools = unknown> {
  /** The model and the tools of the agent, as proxies: calls through them are recorded, and skills are offered. */
  readonly llm: Llm
  readonly tools: Tools
  readonly signal: AbortSignal | undefined
  /** Runs code with an effect of its own once: after a crash its result comes from the record. */
  once<Value>(name: string, act: () => Value): Promise<Awaited<Value>>
}

/** An agent: a function, or an object with `run`. */
export type Agent<Input, Output, Llm = unknown, Tools = unknown> =
  | ((input: Input, context: AgentContext<Llm, Tools>) => Output | Promise<Output>)
  | { run(input: Input, context: AgentContext<Llm, Tools>): Output | Promise<Output> }

/** The options of one turn. */
export interface TurnOptions {
  /** The name of the run. */
  readonly id?: string
  /** Called with the name of the run when it begins. */
  readonly onStart?: (run: string) => void
  /** Cancels the turn: the call in progress is aborted, and a skill undoes what it did. */
  readonly signal?: AbortSignal
  /** The conversation to which the turn belongs. Default: it is known by its messages. */
  readonly conversation?: string
  /** Values below ctx, env and work for skills, from the framework and from the caller: the caller's win. */
  readonly state?: unknown
  readonly blackboard?: unknown
  readonly goalLabels?: readonly string[]
  /**
   * What happens when a person has to answer. `wait`: the turn waits, and keeps the process alive until the answer comes, from this process or
   * another. `none`, as `reflex run --answers none`: the turn is left open, and its call rejects with `R2157`; resume it when the answer is
   * there. Default: `wait`.
   */
  readonly answers?: 'wait' | 'none'
}

/** The options of a turn that is resumed. */
export interface ResumeOptions extends Pick<TurnOptions, 'signal' | 'conversation' | 'answers'> {
  /**
   * True: a call that the record does not have, while recorded ones are unused, throws `R2154`. Default: it is noted, and a person is asked
   * before a call that may do a thing twice.
   */
  readonly strict?: boolean
}

/** A wrapped agent. */
export interface Wrapped<Input = unknown, Output = unknown> {
  /**
   * Runs one turn. Rejects with what the agent throws, and with the reason of the signal if that has cancelled the turn. Called by the code
   * of another wrapped agent, it is part of that agent's turn, and of its options only the signal counts. Rejects with `R1090` for an
   * unknown option.
   */
  run(input: Input, options?: TurnOptions): Promise<Output>
  /**
   * Continues a turn whose process has ended: the agent's code starts over with the input of the turn, and calls that the record has are
   * answered from it. Rejects with `R5001` if its process is alive, with `R2001` for a turn that has ended, and with `R2155` for another run.
   */
  resume(run: string, options?: ResumeOptions): Promise<Output>
  /** Restores the client and the tools as they were. */
  unwrap(): void
  readonly [WRAPPED]: unknown
}
