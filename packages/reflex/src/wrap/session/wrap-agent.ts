import type { Reflex } from '../../app/reflex.ts'
import { checkArguments, quote } from '../../text/index.ts'
import { WRAP_OPTIONS } from './forms.ts'
import { faults } from './faults.ts'
import { fieldsOf } from '../dialects/loose.ts'
import type { AgentParts } from './agent.ts'
import { FUNCTION_DIALECTS, type FunctionDialect } from './clients.ts'
import type { AgentTools } from './tools.ts'
import type { Agent, Wrapped } from './wrap.ts'
import { WrappedAgent } from './wrapped-agent.ts'

/** The options of a wrapped agent that have defaults. */
export interface WrapOptions {
  /** The name of the agent in runs. Default: that of its function or class, else `agent`. */
  readonly name?: string
  /** How the model proposes skills: a block in its text, a constant tool, or either. Default: `text`. */
  readonly carrier?: 'text' | 'tool' | 'both'
  /** The most skills that a turn shows, from 1 to 5. Default: 5. */
  readonly kCards?: number
  /** The most rounds of one request that the agent does not see. Default: 4. */
  readonly maxSkillRounds?: number
  /** True: a turn without a call of its model throws `R2151` in place of reporting it. */
  readonly strictIntercept?: boolean
  /** The interface of an `llm` that is a function. Default: `openai-chat`. */
  readonly dialect?: FunctionDialect
  /** Names of variables of the environment that skills may read, below `env`. */
  readonly env?: readonly string[]
  /** True: a turn begins with what the last turn of its conversation, which needs a name, has left below `work`. Default: false. */
  readonly carryWork?: boolean
}

/** What an agent uses. */
export interface WrapRest<Llm, Tools> extends WrapOptions {
  /** A client of OpenAI or Anthropic, or a function `(request) => reply`. */
  readonly llm?: Llm
  readonly tools?: Tools
}

export interface WrapParts<Input, Output, Llm, Tools> extends WrapRest<Llm, Tools> {
  readonly agent: Agent<Input, Output, Llm, Tools>
}

const MOST_ROUNDS = 4
const CARDS = 5

/** The agents that are wrapped, so that none is wrapped twice. */
const KNOWN = new WeakMap<Reflex, WeakMap<object, Wrapped<never>>>()

/** Wraps an agent, the parts of one, or a factory of one, whose second argument is what it uses. Throws `R1090`, `R2150` and `R2155`. */
export function wrapAgent(reflex: Reflex, what: unknown, rest?: WrapRest<unknown, AgentTools>): Wrapped<never> {
  if (what instanceof WrappedAgent) return what
  const isFactory = typeof what === 'function' && rest !== undefined
  const given = (isFactory ? { ...rest, agent: what } : what) as WrapParts<never, unknown, unknown, AgentTools>
  const agent: unknown = fieldsOf(given)['agent']
  if (agent instanceof WrappedAgent) return agent
  checkAgent(agent)
  checkArguments('reflex.wrap', { parts: [given, WRAP_OPTIONS] })
  const known = knownOf(reflex)
  const earlier = known.get(agent)
  if (earlier !== undefined) return earlier
  const parts = partsOf({ given, agent, isFactory, reflex })
  const wrapped = new WrappedAgent<never, unknown>(reflex, parts, () => known.delete(agent))
  known.set(agent, wrapped)
  return wrapped
}

function knownOf(reflex: Reflex): WeakMap<object, Wrapped<never>> {
  const known = KNOWN.get(reflex) ?? new WeakMap<object, Wrapped<never>>()
  KNOWN.set(reflex, known)
  return known
}

function checkAgent(agent: unknown): asserts agent is object {
  if (typeof agent === 'function' || typeof fieldsOf(agent)['run'] === 'function') return
  throw faults.make('R2155', 'the agent is neither a function nor an object with `run`', {
    path: 'agent',
    fix: 'write reflex.wrap({ agent, tools, llm })',
  })
}

/** What is wrapped, as it was given. */
export interface Given {
  readonly given: WrapRest<unknown, AgentTools>
  readonly agent: object
  readonly isFactory: boolean
  readonly reflex: Reflex
}

/** Returns the parts of an agent with the defaults of its options. Throws `R2155` for an unknown dialect. */
export function partsOf({ given, agent, isFactory, reflex }: Given): AgentParts {
  const { llm, tools = {}, carrier = 'text', kCards = CARDS, strictIntercept = false, dialect = 'openai-chat', env = [] } = given
  const { name = nameOf(agent), maxSkillRounds = MOST_ROUNDS, carryWork = false } = given
  if (!Object.hasOwn(FUNCTION_DIALECTS, dialect))
    throw faults.make('R2155', `there is no dialect ${quote(dialect)}`, {
      path: 'dialect',
      fix: `write one of ${Object.keys(FUNCTION_DIALECTS).join(', ')}`,
    })
  const rounds = Number.isInteger(maxSkillRounds) && maxSkillRounds >= 0 ? maxSkillRounds : MOST_ROUNDS
  const variable = (key: string): string | undefined => reflex.variable(key)
  return { agent, isFactory, name, llm, tools, dialect, carrier, kCards, maxSkillRounds: rounds, strictIntercept, env, carryWork, variable }
}

/** Returns a name that a program can have. */
export function nameOf(agent: object): string {
  const name = typeof agent === 'function' ? agent.name : agent.constructor.name
  return /^[A-Za-z][\w-]{0,99}$/.test(name) && name !== 'Object' ? name : 'agent'
}
