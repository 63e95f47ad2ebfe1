import type { AgentContext } from '../session/wrap.ts'
import type { Fields } from '../dialects/loose.ts'

/** The frameworks whose agents are wrapped by their settings. Each is an optional peer; no file of `src` imports one. */
export const FRAMEWORKS = ['ai-sdk', 'mastra', 'openai-agents', 'langchain', 'langgraph'] as const
export type Framework = (typeof FRAMEWORKS)[number]

/** What the function of an agent gets in a turn: the settings of its framework with proxies in place of the model and the tools. */
export interface FrameworkContext<Settings = Fields, Model = unknown, Tools = unknown> extends AgentContext<Model, Tools> {
  readonly settings: Settings
}

/** How an agent of a framework performs a turn. */
export interface FrameworkTurn {
  /** The tools of the agent as it has them; undefined if it does not show them. */
  readonly tools?: unknown
  /** The models of the agent as it has them, for an adapter that replaces their functions in place. */
  readonly models?: readonly unknown[]
  readonly run: (input: unknown, context: FrameworkContext) => unknown
  /** Performs a turn whose output arrives in pieces. Absent: `run` does. */
  readonly stream?: (input: unknown, context: FrameworkContext) => unknown
}

/** A tool of an agent, as plans of skills call it: past its proxy. */
export interface DeclaredTool {
  readonly name: string
  /** The object that may say `sideEffects`, `idempotent` and `redact`; what it does not say is the worst. */
  readonly facts: Fields
  /** Calls the tool itself. */
  readonly act: (args: unknown, call: ToolCall) => unknown
}

/** What a plan passes to a tool beside its arguments. */
export interface ToolCall {
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
}

/** Notes a tool: skills can call it, and the turn knows what it changes. */
export type DeclareTool = (tool: DeclaredTool) => void

/** Notes how to restore a function that was replaced in place: when the agent is unwrapped, or cannot be wrapped. */
export type NoteRestore = (restore: () => void) => void

/**
 * How agents of one framework are wrapped. All that an adapter knows of its framework is the shape of its objects. What it does not know stays
 * as it is. An adapter gives copies of settings with proxies, unless its framework calls models and tools on themselves: then it replaces their
 * functions in place, and notes how to restore them.
 */
export interface Adapter {
  readonly framework: Framework
  /**
   * Returns the settings with proxies in place of their models and tools. Outside of a turn a proxy passes its call through; settings that
   * have proxies already keep them. Throws `R2150` for a model that cannot be intercepted and `R2160` for one of an unknown version.
   */
  adapt(settings: Fields, declare: DeclareTool, note: NoteRestore): Fields
  /** Returns how an object performs a turn; undefined if it is no agent of the framework. Throws `R2150` if it was built past the adapter. */
  turnOf(agent: object): FrameworkTurn | undefined
  /**
   * Resolves when an output is complete, with the part of it that the record of the turn keeps. Rejects with the failure of an output that
   * arrives in pieces. It is called before the reader gets the output.
   */
  complete(output: unknown, reader: OutputReader): Promise<unknown>
}

/**
 * The reader of an output that arrives in pieces: `reads` has it already, `waits` gets it after the turn, and `nobody` is the one of a resumed
 * turn. Some outputs can be read once only, which an adapter must leave to the reader.
 */
export type OutputReader = 'reads' | 'waits' | 'nobody'
