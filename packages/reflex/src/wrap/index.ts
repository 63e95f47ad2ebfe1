// Agents of any library behind a Reflex: import { Reflex } from 'reflex-runtime/skill', then reflex.wrap({ agent, tools, llm }).
import { Reflex } from '../app/reflex.ts'
import type {
  FrameworkFunction,
  FrameworkObject,
  FrameworkRest,
  FrameworkSettings,
  InputOf,
  OutputOf,
  StreamedOf,
} from './adapters/types.ts'
import type { WrappedFramework } from './adapters/framework-agent.ts'
import type { ChatMiddleware } from './adapters/chat-middleware.ts'
import { adaptingMiddleware, adaptSettings, wrapFramework } from './adapters/wrap-framework.ts'
import { fieldsOf } from './dialects/loose.ts'
import { openSession, type Session, type SessionOptions } from './session/manual.ts'
import type { AgentTools } from './session/tools.ts'
import type { Agent, Wrapped } from './session/wrap.ts'
import { type WrapParts, type WrapRest, wrapAgent } from './session/wrap-agent.ts'

export * from '../kinds/skill/index.ts'
export type { ChatMiddleware } from './adapters/chat-middleware.ts'
export type { Framework, FrameworkContext } from './adapters/contract.ts'
export type { WrappedFramework } from './adapters/framework-agent.ts'
export type {
  AdaptedSettings,
  FrameworkFunction,
  FrameworkObject,
  FrameworkRest,
  FrameworkSettings,
  InputOf,
  OutputOf,
  StreamedOf,
} from './adapters/types.ts'
export type { FunctionDialect } from './session/clients.ts'
export type { Session, SessionOptions } from './session/manual.ts'
export type { AgentTools } from './session/tools.ts'
export type { Agent, AgentContext, ResumeOptions, TurnOptions, Wrapped } from './session/wrap.ts'
export type { WrapOptions, WrapParts, WrapRest } from './session/wrap-agent.ts'
export { Reflex }

declare module '../app/reflex.ts' {
  interface Reflex<Modules> {
    // Before the others: these name their framework, so nothing else fits them.
    /**
     * Wraps an agent of a framework: a function that gets the settings beside its input, or an object that was built of adapted settings. Its
     * model and tools get proxies in copies of the settings; nothing is replaced in place. Throws `R2150`, `R2155`, and `R2160` for a model of
     * an unknown version.
     */
    wrap<Input, Output, Model, Tools = Record<string, never>>(
      parts: FrameworkFunction<Input, Output, Model, Tools>,
    ): WrappedFramework<Input, Output>
    wrap<Built extends object>(parts: FrameworkObject<Built>): WrappedFramework<InputOf<Built>, OutputOf<Built>, StreamedOf<Built>>
    /** Wraps the agent of a framework that a factory builds of the settings. */
    wrap<Built extends object, Settings extends FrameworkSettings>(
      factory: (settings: Settings) => Built,
      rest: FrameworkRest & Settings,
    ): WrappedFramework<InputOf<Built>, OutputOf<Built>, StreamedOf<Built>>
    /**
     * Wraps an agent: its client and its tools are replaced in place by proxies that record each call of a turn and offer the active skills.
     * Outside of a turn, every proxy passes its call through. Wrapping twice gives the same object. Throws `R2150` for what cannot be
     * intercepted and `R2155` for what is no agent; then nothing was changed.
     */
    wrap<Input, Output>(agent: Wrapped<Input, Output>): Wrapped<Input, Output>
    wrap<Input, Output, Llm, Tools extends AgentTools>(parts: WrapParts<Input, Output, Llm, Tools>): Wrapped<Input, Output>
    /** Wraps the agent that a factory makes of the proxies; nothing is replaced in place. */
    wrap<Input, Output, Llm, Tools extends AgentTools>(
      factory: (proxies: { readonly llm: Llm; readonly tools: Tools }) => Agent<Input, Output, Llm, Tools>,
      rest: WrapRest<Llm, Tools>,
    ): Wrapped<Input, Output>
    /** Returns settings of the AI SDK, for `generateText`, `streamText` and `ToolLoopAgent`, whose calls belong to the turn of their caller. */
    aiSdk<Settings extends object>(settings: Settings): Settings
    /** Returns the settings of an agent of Mastra, whose calls belong to the turn of their caller. */
    mastra<Settings extends object>(settings: Settings): Settings
    /** Replaces in place the function by which a provider of the OpenAI Agents SDK gives models, and returns the provider, for a `Runner`. */
    openaiAgents<Provider extends object>(provider: Provider): Provider
    /** Returns a middleware for `createAgent` of LangChain: the model and the tools of the agent belong to the turn of their caller. */
    langchain(): ChatMiddleware
    /** Replaces in place the functions of a chat model and of tools for the nodes of a LangGraph graph, and returns them. */
    langgraph<Settings extends FrameworkSettings>(settings: Settings): Settings
    /** Begins a turn that the host drives by hand, through `llm` and `tools` of the session, until its `end`. */
    session<Llm, Tools extends AgentTools>(options: SessionOptions<Llm, Tools>): Promise<Session<Llm, Tools>>
  }
}

Object.defineProperty(Reflex.prototype, 'wrap', {
  configurable: true,
  value(this: Reflex, what: unknown, rest?: WrapRest<unknown, AgentTools>): Wrapped<never> {
    return isFramework(what, rest) ? wrapFramework(this, what, rest) : wrapAgent(this, what, rest)
  },
})

Object.defineProperty(Reflex.prototype, 'session', {
  configurable: true,
  value(this: Reflex, options: SessionOptions<unknown, AgentTools>): Promise<Session<unknown, AgentTools>> {
    return openSession(this, options)
  },
})

Object.defineProperty(Reflex.prototype, 'aiSdk', {
  configurable: true,
  value(this: Reflex, settings: object): object {
    return adaptSettings(this, 'ai-sdk', settings)
  },
})

Object.defineProperty(Reflex.prototype, 'mastra', {
  configurable: true,
  value(this: Reflex, settings: object): object {
    return adaptSettings(this, 'mastra', settings)
  },
})

Object.defineProperty(Reflex.prototype, 'openaiAgents', {
  configurable: true,
  value<Provider extends object>(this: Reflex, provider: Provider): Provider {
    adaptSettings(this, 'openai-agents', { modelProvider: provider })
    return provider
  },
})

Object.defineProperty(Reflex.prototype, 'langchain', {
  configurable: true,
  value(this: Reflex): ChatMiddleware {
    return adaptingMiddleware(this)
  },
})

Object.defineProperty(Reflex.prototype, 'langgraph', {
  configurable: true,
  value(this: Reflex, settings: object): object {
    return adaptSettings(this, 'langgraph', settings)
  },
})

function isFramework(what: unknown, rest: unknown): boolean {
  return 'framework' in fieldsOf(rest ?? what)
}
