import type { Reflex, TurnOptions } from '../../src/wrap/index.ts'
import type { Fields } from '../../src/wrap/dialects/loose.ts'
import type { Fixture, Said } from './dialects/fixture.ts'

/** How an agent reads its model. */
export type Mode = 'whole' | 'stream'

/** The model of a driven agent: it replies what its test says. */
export interface DrivenModel {
  /** Returns the reply to a request, as the model's interface has it. The agent's client waits for it, and says it with the driver's fixture. */
  reply(request: Fields): Promise<readonly Said[]>
}

/** A tool of a driven agent, by its name. `search` is also declared to the model (`TOOL` of the fixtures); others are for skills alone. */
export interface DrivenTool {
  readonly sideEffects: 'none' | 'external'
  readonly idempotent?: boolean
  execute(args: Fields): Promise<string>
}

/** What a driven agent is made of. Its system text is `Be brief.`; its model is asked without other parameters that change. */
export interface DrivenParts {
  readonly reflex: Reflex
  readonly mode: Mode
  readonly carrier: 'text' | 'tool'
  readonly model: DrivenModel
  readonly tools: Readonly<Record<string, DrivenTool>>
  readonly strictIntercept?: boolean
  /** True: everything is wrapped twice, one wrapper about the other, as far as the framework allows. */
  readonly isWrappedTwice?: boolean
  /** True: the agent asks its model past the proxies. */
  readonly isBypassing?: boolean
}

/** A turn of a driven agent. */
export interface DrivenTurn {
  readonly text: string
  /** The conversation that the turn continues; the agent keeps the messages of each. Default: one of its own. */
  readonly chat?: string
  readonly options?: TurnOptions
}

/** A wrapped agent of one framework: it asks its model, calls the tools that the model calls, and repeats that until the model only talks. */
export interface DrivenAgent {
  /** Runs a turn, and returns the last text of the model as the agent has it. */
  run(turn: DrivenTurn): Promise<string>
  /** Continues a turn after a crash, with the input and chat of that turn. */
  resume(run: string): Promise<string>
  /** Returns the agent's own messages of a conversation, as JSON text. */
  history(chat: string): string
  /** Changes each occurrence of a text in the agent's own messages of a conversation. */
  edit(chat: string, from: string, to: string): void
  unwrap(): void
  /** True if what was wrapped in place is as it was; undefined for a framework in which nothing is replaced in place. */
  isOriginal?(): boolean
}

/** A framework as the conformance suite drives it. */
export interface Driver {
  readonly name: string
  /** How the dialect of its model says requests and replies. */
  readonly fixture: Fixture
  readonly modes: readonly Mode[]
  /** Makes an agent of the framework's own parts, with its model and tools behind proxies. */
  make(parts: DrivenParts): DrivenAgent
  /** Tries to wrap a client that is frozen; absent where no client is replaced in place. Throws what wrapping throws. */
  readonly wrapFrozen?: (reflex: Reflex) => unknown
}
