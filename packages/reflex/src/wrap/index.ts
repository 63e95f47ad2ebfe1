// Agents of any library behind a Reflex: import { Reflex } from 'reflex-runtime/skill', then reflex.wrap({ agent, tools, llm }).
import { Reflex } from '../app/reflex.ts'
import { wrap } from './session/wrap-agent.ts'

export * from '../kinds/skill/index.ts'
export type { FunctionDialect } from './session/clients.ts'
export type { AgentTools } from './session/tools.ts'
export type { Agent, AgentContext, TurnOptions, Wrapped } from './session/wrap.ts'
export type { WrapOptions, WrapParts, WrapRest } from './session/wrap-agent.ts'
export { Reflex }

declare module '../app/reflex.ts' {
  interface Reflex<Modules> {
    /** Wraps an agent: its calls are recorded, and it is offered the active skills. */
    readonly wrap: typeof wrap
  }
}

Object.defineProperty(Reflex.prototype, 'wrap', { value: wrap, configurable: true })
