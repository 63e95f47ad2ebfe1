import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { Fields } from '../dialects/loose.ts'
import type { Conversations } from './conversations.ts'
import type { ModelRequest } from './model-call.ts'
import type { StreamRequest } from './reply-stream.ts'

/** An agent that runs within a call of another one. */
export interface NestedAgent {
  /** What is declared of its tools. Default: the tools of the agent that runs it. */
  readonly tools?: readonly SkillTool[]
  readonly conversations?: Conversations
  readonly act: (session: AgentSession) => unknown
}

/** A turn, as the proxies of its agent see it. */
export interface AgentSession {
  tool(name: string, args: readonly unknown[], act: () => unknown): Promise<unknown>
  once(name: string, act: () => unknown): Promise<unknown>
  agent(name: string, args: readonly unknown[], nested: NestedAgent): Promise<unknown>
  ask(request: ModelRequest): Promise<unknown>
  stream(request: StreamRequest): Promise<AsyncIterableIterator<Fields>>
}

const SESSION = new AsyncLocalStorage<AgentSession | undefined>()

/** Returns the session in which the calling code runs; undefined outside of a turn, where every proxy passes its call through. */
export function currentSession(): AgentSession | undefined {
  return SESSION.getStore()
}

/** Runs the code of an agent within its session. */
export function inSession<Result>(session: AgentSession, act: () => Result): Result {
  return SESSION.run(session, act)
}

/**
 * Returns a function that runs code in the asynchronous context of the caller, without its session: what a tool does inside belongs to the
 * result of the tool, and is not recorded a second time.
 */
export function callerContext(): <Result>(act: () => Result) => Result {
  // A third of the time of AsyncLocalStorage.snapshot(), which binds a function: this happens at each call of an agent.
  const caller = new AsyncResource('reflex.call')
  return (act) => caller.runInAsyncScope(() => SESSION.run(undefined, act))
}
