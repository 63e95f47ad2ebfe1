import type { WrapOptions } from '../session/wrap-agent.ts'
import type { Framework, FrameworkContext } from './contract.ts'

/** The settings of an agent: its model, its tools, and what else its framework knows. */
export interface FrameworkSettings {
  readonly model?: unknown
  readonly tools?: unknown
}

/** The framework of an agent, and the options of Reflex. They stand beside the settings of the framework. */
export interface FrameworkRest extends WrapOptions {
  readonly framework: Framework
}

/** The settings that an agent gets beside its input. Those that are not named here are there as well. */
export interface AdaptedSettings<Model, Tools> {
  readonly model: Model
  readonly tools: Tools
}

/** An agent that is a function, with the settings of its framework. */
export interface FrameworkFunction<Input, Output, Model, Tools> extends FrameworkRest {
  readonly model?: Model
  readonly tools?: Tools
  readonly agent: (input: Input, context: FrameworkContext<AdaptedSettings<Model, Tools>, Model, Tools>) => Output | Promise<Output>
  readonly [setting: string]: unknown
}

/** An agent that is an object of the framework. */
export interface FrameworkObject<Built> extends FrameworkRest {
  readonly agent: Built
  readonly [setting: string]: unknown
}

/**
 * What a turn of an object of a framework begins with: a text, a list of messages, or what its method takes. For a method that takes messages
 * and options, one object has both.
 */
export type InputOf<Built> =
  | string
  | readonly object[]
  | (Built extends { generate(input: infer Input): unknown }
      ? string extends Input
        ? { readonly messages: Input; readonly [option: string]: unknown }
        : Input
      : never)
  | (Built extends { invoke(input: infer Input, ...rest: never[]): unknown } ? Input : never)
/** What a turn of an object of a framework gives. */
export type OutputOf<Built> = Built extends { generate(...args: never[]): infer Output }
  ? Awaited<Output>
  : Built extends { invoke(...args: never[]): infer Output }
    ? Awaited<Output>
    : Built extends { asTool(...args: never[]): unknown }
      ? RunnerResult
      : unknown
/** What a turn of an object of a framework gives whose output arrives in pieces. */
export type StreamedOf<Built> = Built extends { stream(...args: never[]): infer Streamed }
  ? Awaited<Streamed>
  : Built extends { asTool(...args: never[]): unknown }
    ? RunnerResult & AsyncIterable<unknown>
    : unknown

/** What a runner of the OpenAI Agents SDK gives, as far as it is known without its types. */
export interface RunnerResult {
  readonly finalOutput?: unknown
  readonly history: readonly unknown[]
}
