import { AsyncLocalStorage } from 'node:async_hooks'
import type { Reflex } from '../../app/reflex.ts'
import { checkArguments } from '../../text/index.ts'
import { fieldsOf } from '../dialects/loose.ts'
import { clientProxy } from './clients.ts'
import { SESSION_OPTIONS, splitOptions } from './forms.ts'
import type { AnyFunction } from './intercept.ts'
import { agentTools, type AgentTools } from './tools.ts'
import type { AgentContext, TurnOptions, Wrapped } from './wrap.ts'
import { wrapAgent, type WrapRest } from './wrap-agent.ts'

/** A turn that a host drives by hand: everything that is called through `llm` and `tools` belongs to it, until it is ended. */
export interface Session<Llm, Tools> extends AgentContext<Llm, Tools> {
  /** The name of the run; empty if Reflex could not begin one, and the session passes every call through. */
  readonly run: string
  /** Ends the turn. Resolves when its end is durable; rejects as `Wrapped.run` does. */
  end(value?: unknown): Promise<void>
}

/** The options of a session: what it uses, and those of its turn. */
export interface SessionOptions<Llm, Tools> extends WrapRest<Llm, Tools>, Omit<TurnOptions, 'onStart'> {
  /** Stands in the record as the input of the turn. */
  readonly input?: unknown
}

/** Begins a turn of a host that has no function for its agent. Throws `R2150` and `R2155` as `wrap` does; nothing is replaced in place. */
export async function openSession<Llm, Tools extends AgentTools>(
  reflex: Reflex,
  options: SessionOptions<Llm, Tools>,
): Promise<Session<Llm, Tools>> {
  checkArguments('session', { options: [options, SESSION_OPTIONS] })
  const ended = Promise.withResolvers<unknown>()
  const begun = Promise.withResolvers<Session<Llm, Tools>>()
  let run = ''
  const agent = (_: unknown, context: AgentContext<Llm, Tools>): Promise<unknown> => {
    const within = AsyncLocalStorage.snapshot()
    const end = async (value?: unknown): Promise<void> => {
      ended.resolve(value)
      await turn
    }
    begun.resolve({ ...context, run, end, llm: boundLlm(context.llm, within), tools: boundTools(context.tools, within) })
    return ended.promise
  }
  const [wrap, turnOptions] = splitOptions(options)
  const wrapped = wrapAgent(reflex, () => agent, { name: 'session', ...wrap }) as Wrapped
  const turn = wrapped.run(options.input ?? null, { ...turnOptions, onStart: (id) => (run = id) })
  turn.catch((thrown: unknown) => begun.reject(thrown))
  return begun.promise
}

type Within = <Result>(act: () => Result) => Result

function bound(original: AnyFunction, within: Within): AnyFunction {
  return (...args) => within(() => original(...args))
}

function boundLlm<Llm>(llm: Llm, within: Within): Llm {
  if (typeof llm === 'function') return bound(llm as unknown as AnyFunction, within) as unknown as Llm
  return (typeof llm === 'object' && llm !== null ? clientProxy(llm, (original) => bound(original, within)) : llm) as Llm
}

function boundTools<Tools>(tools: Tools, within: Within): Tools {
  const given = tools as AgentTools
  const replaced = agentTools(given, []).map(({ name, owner, key }) => {
    const act = bound((Reflect.get(owner, key) as AnyFunction).bind(owner), within)
    return [name, owner === given ? act : { ...fieldsOf(owner), [key]: act }] as const
  })
  return (Array.isArray(given) ? replaced.map(([, tool]) => tool) : Object.fromEntries(replaced)) as Tools
}
