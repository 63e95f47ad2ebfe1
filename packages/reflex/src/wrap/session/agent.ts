import type { Reflex } from '../../app/reflex.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { TurnSource } from '../../kinds/skill/model/turn.ts'
import { faults } from './faults.ts'
import { clientProxy, FUNCTION_DIALECTS, type FunctionDialect, modelFunctions } from './clients.ts'
import { currentSession, inSession } from './context.ts'
import { type AnyFunction, branded, intercept, originalOf } from './intercept.ts'
import { modelFunction } from './model-function.ts'
import { plainDialect } from './plain-dialect.ts'
import { type AgentTool, agentTools, type AgentTools, skillTool } from './tools.ts'

/** An agent with everything that it uses, every option with its value. */
export interface AgentParts extends Pick<TurnSource, 'carrier'> {
  readonly agent: unknown
  /** True if `agent` makes the agent of the proxies that it is given. */
  readonly isFactory: boolean
  readonly name: string
  readonly llm: unknown
  readonly tools: AgentTools
  readonly dialect: FunctionDialect
  readonly kCards: number
  readonly maxSkillRounds: number
  readonly strictIntercept: boolean
  /** Names of variables of the environment that skills may read. */
  readonly env: readonly string[]
  readonly variable: (name: string) => string | undefined
  /** The agent of a framework behind its proxies, if its settings have them already. */
  readonly adapted?: AgentProxies
  /** Waits for an output that arrives in pieces, and returns what the record keeps of it. Default: all of it. */
  readonly complete?: (output: unknown) => Promise<unknown>
}

/** An agent behind its proxies. */
export interface AgentProxies {
  readonly agent: unknown
  readonly llm: unknown
  readonly tools: unknown
  readonly facts: readonly SkillTool[]
  restore(): void
}

/**
 * Puts proxies before the model and the tools of an agent: in place, so that an agent which keeps them needs no change, or, for a factory, as
 * objects of their own. Throws `R2150` for what cannot be intercepted; then everything is as before.
 */
export function proxiesOf(reflex: Reflex, parts: AgentParts, declared: readonly SkillTool[]): AgentProxies {
  if (parts.adapted !== undefined) return parts.adapted
  const tools = agentTools(parts.tools, declared)
  for (const tool of tools) offer(reflex, tool)
  const facts = tools.map((tool) => tool.facts)
  if (parts.isFactory) {
    const [llm, own] = [llmProxy(parts), toolProxies(parts.tools, tools)]
    const agent: unknown = (parts.agent as AnyFunction)({ llm, tools: own })
    return { agent, llm, tools: own, facts, restore: () => undefined }
  }
  const restores: (() => void)[] = []
  const restore = (): void => {
    for (const one of restores.splice(0)) one()
  }
  try {
    const llm = typeof parts.llm === 'function' ? llmProxy(parts) : parts.llm
    if (typeof llm === 'object' && llm !== null)
      for (const { owner, key, dialect } of modelFunctions(llm))
        restores.push(intercept(owner, key, (original) => modelFunction(original, dialect)))
    for (const tool of tools.filter(({ isWrapped }) => !isWrapped))
      restores.push(intercept(tool.owner, tool.key, (original) => toolFunction(tool, original)))
    return { agent: parts.agent, llm, tools: parts.tools, facts, restore }
  } catch (thrown) {
    restore()
    throw thrown
  }
}

/** Lets plans of skills call a tool of the agent. A tool of Reflex, or of another agent, that has its name stays. */
export function offer(reflex: Reflex, tool: AgentTool): void {
  const made = skillTool(tool)
  const known = reflex.tools.find(tool.name)
  if (known !== undefined) {
    if (!OFFERED.has(known))
      reflex.report(faults.finding('R2152', `there is a tool ${tool.name} already; skills call that one`, { path: tool.name }))
    return
  }
  OFFERED.add(made)
  reflex.addTool(made)
}

const OFFERED = new WeakSet<object>()

function llmProxy({ llm, dialect }: AgentParts): unknown {
  if (typeof llm === 'function') return modelFunction(originalOf(llm as AnyFunction), plainDialect(FUNCTION_DIALECTS[dialect]))
  if (typeof llm !== 'object' || llm === null) return llm
  return clientProxy(llm, modelFunction)
}

function toolProxies(given: AgentTools, tools: readonly AgentTool[]): unknown {
  const proxied = (tool: AgentTool): unknown => {
    if (tool.isWrapped) return tool.owner
    const replaced = toolFunction(tool, originalOf(Reflect.get(tool.owner, tool.key) as AnyFunction).bind(tool.owner))
    return tool.owner === given ? replaced : { ...tool.owner, [tool.key]: replaced }
  }
  if (Array.isArray(given)) return tools.map(proxied)
  return Object.fromEntries(tools.map((tool) => [tool.name, proxied(tool)]))
}

function toolFunction({ name, isAgent }: AgentTool, original: AnyFunction): AnyFunction {
  return branded(function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    const act = (): unknown => original.apply(this, args)
    if (session === undefined) return act()
    return isAgent ? session.agent(name, args, { act: (nested) => inSession(nested, act) }) : session.tool(name, args, act)
  }, original)
}
