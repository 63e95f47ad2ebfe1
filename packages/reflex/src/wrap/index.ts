// Agents of any library behind a Reflex: import { Reflex } from 'reflex-runtime/skill', then reflex.wrap({ agent, tools, llm }).
import { Reflex } from '../app/reflex.ts'
import { openSession, type Session, type SessionOptions } from './session/manual.ts'
import type { AgentTools } from './session/tools.ts'
import type { Agent, Wrapped } from './session/wrap.ts'
import { type WrapParts, type WrapRest, wrapAgent } from './session/wrap-agent.ts'

export * from '../kinds/skill/index.ts'
export type { FunctionDialect } from './session/clients.ts'
export type { Session, SessionOptions } from './session/manual.ts'
export type { AgentTools } from './session/tools.ts'
export type { Agent, AgentContext, ResumeOptions, TurnOptions, Wrapped } from './session/wrap.ts'
export type { WrapOptions, WrapParts, WrapRest } from './session/wrap-agent.ts'
export { Reflex }

declare module '../app/reflex.ts' {
  interface Reflex<Modules> {
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
    /** Begins a turn that the host drives by hand, through `llm` and `tools` of the session, until its `end`. */
    session<Llm, Tools extends AgentTools>(options: SessionOptions<Llm, Tools>): Promise<Session<Llm, Tools>>
  }
}

Object.defineProperty(Reflex.prototype, 'wrap', {
  configurable: true,
  value(this: Reflex, what: unknown, rest?: WrapRest<unknown, AgentTools>): Wrapped<never> {
    return wrapAgent(this, what, rest)
  },
})

Object.defineProperty(Reflex.prototype, 'session', {
  configurable: true,
  value(this: Reflex, options: SessionOptions<unknown, AgentTools>): Promise<Session<unknown, AgentTools>> {
    return openSession(this, options)
  },
})
