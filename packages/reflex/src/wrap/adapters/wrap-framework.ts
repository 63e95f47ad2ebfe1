import type { Reflex } from '../../app/reflex.ts'
import { canonicalJson } from '../../kernel/index.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { checkArguments, OBJECT, quote, suggest } from '../../text/index.ts'
import { type Fields, fieldsOf, jsonOf, textOf, without } from '../dialects/loose.ts'
import { offer } from '../session/agent.ts'
import { faults } from '../session/faults.ts'
import type { AnyFunction } from '../session/intercept.ts'
import { AgentSkills } from '../session/skills.ts'
import { agentTools } from '../session/tools.ts'
import { nameOf, partsOf, type WrapOptions } from '../session/wrap-agent.ts'
import { aiSdk } from './ai-sdk.ts'
import { chatAgents } from './chat-agents.ts'
import { type Adapter, type DeclareTool, type Framework, FRAMEWORKS, type FrameworkTurn } from './contract.ts'
import { FrameworkAgent } from './framework-agent.ts'
import { type ChatMiddleware, chatMiddleware } from './chat-middleware.ts'
import { mastra } from './mastra.ts'
import { openAiAgents } from './openai-agents.ts'
import { Restores } from './restores.ts'

const ADAPTERS: Readonly<Record<Framework, Adapter>> = {
  'ai-sdk': aiSdk,
  mastra,
  'openai-agents': openAiAgents,
  langchain: chatAgents('langchain'),
  langgraph: chatAgents('langgraph'),
}

/** The options of Reflex among the settings of a framework. `name` is an option of both. */
const OPTIONS = ['framework', 'agent', 'carrier', 'kCards', 'maxSkillRounds', 'strictIntercept', 'env'] as const

/** The objects that are wrapped, so that none is wrapped twice. */
const KNOWN = new WeakMap<Reflex, WeakMap<object, FrameworkAgent>>()

/** What the tools change that were in settings of an alias, for agents that do not show their tools. */
const ALIASED = new WeakMap<Reflex, Partial<Record<Framework, SkillTool[]>>>()

/** Returns the settings of a framework with proxies in place of their models and tools. Throws `R2150`, and `R2160` for an unknown model. */
export function adaptSettings<Settings extends object>(reflex: Reflex, framework: Framework, settings: Settings): Settings {
  checkArguments(framework, { settings: [settings, OBJECT] })
  const restores = new Restores()
  const declare = declaring(reflex, aliasedTools(reflex, framework))
  return restores.guard(() => ADAPTERS[framework].adapt(settings as Fields, declare, restores.note)) as Settings
}

/** Returns a middleware of LangChain by which the models and the tools of an agent are wrapped when they are first used. */
export function adaptingMiddleware(reflex: Reflex): ChatMiddleware {
  return chatMiddleware(declaring(reflex, aliasedTools(reflex, 'langchain')))
}

function aliasedTools(reflex: Reflex, framework: Framework): SkillTool[] {
  const aliased = ALIASED.get(reflex) ?? {}
  ALIASED.set(reflex, aliased)
  return (aliased[framework] ??= [])
}

/**
 * Wraps an agent of a framework: a function that gets the settings beside its input, an object that was built of adapted settings, or, as the
 * first of two arguments, a function that builds either of the settings. Throws `R2150`, `R2155` and `R2160`; then nothing was changed.
 */
export function wrapFramework(reflex: Reflex, what: unknown, rest?: unknown): FrameworkAgent {
  const given = rest === undefined ? fieldsOf(what) : { ...fieldsOf(rest), agent: what }
  if (given['agent'] instanceof FrameworkAgent) return given['agent']
  const adapter = adapterOf(given['framework'])
  const restores = new Restores()
  return restores.guard(() =>
    wrapGiven({ reflex, adapter, given, ...(rest === undefined ? {} : { factory: what as AnyFunction }) }, restores),
  )
}

interface GivenAgent {
  readonly reflex: Reflex
  readonly adapter: Adapter
  readonly given: Fields
  /** Makes the agent of the settings. */
  readonly factory?: AnyFunction
}

function wrapGiven({ reflex, adapter, given, factory }: GivenAgent, restores: Restores): FrameworkAgent {
  const facts: SkillTool[] = []
  const declare = declaring(reflex, facts)
  const settings = adapter.adapt(without(given, ...OPTIONS), declare, restores.note)
  const agent = factory === undefined ? given['agent'] : factory(settings)
  checkAgent(agent)
  const known = knownOf(reflex)
  const earlier = known.get(agent)
  if (earlier !== undefined) {
    restores.restore()
    return earlier
  }
  const turn = turnOf(adapter, agent)
  const { tools, models } = turn
  if (tools !== undefined || models !== undefined) adapter.adapt({ tools, models }, declare, restores.note)
  if (tools === undefined && settings['tools'] === undefined)
    for (const fact of ALIASED.get(reflex)?.[adapter.framework] ?? []) note(facts, fact)
  const options = { ...(given as WrapOptions), name: turnName(given, agent) }
  const parts = partsOf({ given: options, agent, isFactory: false, reflex })
  const { restore } = restores
  const onUnwrap = (): void => void known.delete(agent)
  const wrapped = new FrameworkAgent({ reflex, adapter, parts, settings, facts, turn, restore, onUnwrap })
  // A function can be the agent of several settings.
  if (typeof agent === 'object') known.set(agent, wrapped)
  return wrapped
}

function turnOf(adapter: Adapter, agent: object): FrameworkTurn {
  const turn = adapter.turnOf(agent)
  if (turn !== undefined) return turn
  if (typeof agent === 'function') return { run: agent as FrameworkTurn['run'] }
  const { run } = fieldsOf(agent)
  if (typeof run === 'function') return { run: (run as FrameworkTurn['run']).bind(agent) }
  throw faults.make('R2155', `the agent is neither a function nor an agent of ${adapter.framework}`, {
    path: 'agent',
    fix: 'give the object of the framework, or a function (input, { settings }) => output',
  })
}

function checkAgent(agent: unknown): asserts agent is object {
  if (typeof agent === 'function' || (typeof agent === 'object' && agent !== null)) return
  throw faults.make('R2155', 'there is no agent', { path: 'agent', fix: 'give the object of the framework, or a function' })
}

function adapterOf(framework: unknown): Adapter {
  const known = FRAMEWORKS.find((name) => name === framework)
  if (known !== undefined) return ADAPTERS[known]
  const near = suggest(textOf(framework), FRAMEWORKS)
  throw faults.make('R2155', `there is no adapter of ${quote(textOf(framework))}`, {
    path: 'framework',
    fix: near === undefined ? `write one of ${FRAMEWORKS.join(', ')}` : `write ${near}`,
  })
}

/** Lets skills call the tools of an agent, and collects what each changes. */
function declaring(reflex: Reflex, facts: SkillTool[]): DeclareTool {
  const declared = new AgentSkills(reflex).host.tools
  return ({ name, facts: about, act }) => {
    const { sideEffects, idempotent, redact } = about
    const given = { [name]: { sideEffects, idempotent, redact, execute: act } }
    for (const tool of agentTools(given, declared)) {
      offer(reflex, tool)
      note(facts, tool.facts)
    }
  }
}

/** Of two tools of one name, the worst is said of both. */
function note(facts: SkillTool[], fact: SkillTool): void {
  const at = facts.findIndex(({ name }) => name === fact.name)
  const earlier = facts[at]
  if (earlier === undefined) facts.push(fact)
  else if (canonicalJson(jsonOf(earlier)) !== canonicalJson(jsonOf(fact)))
    facts[at] = {
      name: fact.name,
      sideEffects: 'external',
      idempotent: false,
      redact: [...new Set([...(earlier.redact ?? []), ...(fact.redact ?? [])])],
    }
}

function knownOf(reflex: Reflex): WeakMap<object, FrameworkAgent> {
  const known = KNOWN.get(reflex) ?? new WeakMap<object, FrameworkAgent>()
  KNOWN.set(reflex, known)
  return known
}

/** Returns the name of an agent in runs: its name or id in letters that a program can have, else that of its function or class. */
function turnName({ name, id }: Fields, agent: object): string {
  const given = textOf(name) || textOf(id) || textOf(fieldsOf(agent)['name']) || textOf(fieldsOf(agent)['id'])
  const plain = given.replaceAll(/[^\w-]/g, '-').slice(0, 100)
  return /^[A-Za-z]/.test(plain) ? plain : nameOf(agent)
}
