import type { Json } from '../../kernel/index.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { Tool } from '../../tools/index.ts'
import { quote } from '../../text/index.ts'
import { faults } from './faults.ts'
import { fieldsOf, jsonOf, textOf } from '../dialects/loose.ts'
import { type AnyFunction, originalOf, WRAPPED } from './intercept.ts'

/** What an agent calls: functions by name, objects with such a function, or a list of these with names. */
export type AgentTools = Readonly<Record<string, unknown>> | readonly unknown[]

/** A tool of an agent, and the property through which it is called. */
export interface AgentTool {
  readonly name: string
  readonly owner: object
  readonly key: string
  readonly facts: SkillTool
  /** True if the calls within are calls of the turn: the tool is another agent, and says so. */
  readonly isAgent: boolean
  /** True for a wrapped agent, which needs no proxy. */
  readonly isWrapped: boolean
}

/** The names under which libraries keep the function of a tool. */
const METHODS = ['execute', 'invoke', 'call', 'run', 'func', 'handler'] as const

/** Returns the tools of an agent with what is declared of each. Throws `R2155` for a value that is no tool. */
export function agentTools(tools: AgentTools, declared: readonly SkillTool[]): readonly AgentTool[] {
  const named = Array.isArray(tools)
    ? (tools as readonly unknown[]).map((tool, i) => [textOf(fieldsOf(tool)['name']) || String(i), String(i), tool] as const)
    : Object.entries(tools).map(([key, tool]) => [key, key, tool] as const)
  return named.map(([name, property, tool]) => {
    const facts = declared.find((one) => one.name === name) ?? factsOf(name, tool)
    if (typeof tool === 'function' && !Array.isArray(tools))
      return { name, owner: tools, key: property, facts, isAgent: false, isWrapped: false }
    const key = METHODS.find((method) => typeof fieldsOf(tool)[method] === 'function')
    if (typeof tool !== 'object' || tool === null || key === undefined)
      throw faults.make('R2155', `the tool ${quote(name)} is no function and has none of ${METHODS.join(', ')}`, {
        path: `tools.${name}`,
        fix: 'give a function, or an object with `execute`',
      })
    return { name, owner: tool, key, facts, isAgent: fieldsOf(tool)['agent'] === true, isWrapped: WRAPPED in tool }
  })
}

/** What a tool says of itself; what it does not say is the worst (reference skill 1.6). */
function factsOf(name: string, tool: unknown): SkillTool {
  const { sideEffects, idempotent, redact } = fieldsOf(tool)
  return {
    name,
    sideEffects: sideEffects === 'none' || sideEffects === 'local' ? sideEffects : 'external',
    idempotent: idempotent === true || sideEffects === 'none',
    ...(Array.isArray(redact) ? { redact: redact.filter((one) => typeof one === 'string') } : {}),
  }
}

/** Returns a tool of an agent as plans of skills call it: the agent's own function, past its proxy. */
export function skillTool({ name, owner, key, facts }: AgentTool): Tool {
  const act = originalOf(Reflect.get(owner, key) as AnyFunction)
  return {
    name,
    description: `a tool of a wrapped agent`,
    leaves: facts.sideEffects !== 'none',
    repeat: facts.sideEffects === 'none' ? 'free' : facts.idempotent ? 'keyed' : 'ask',
    run: async (args, { signal, key: idempotencyKey }) => jsonOf(await act.call(owner, args, { signal, idempotencyKey })),
  }
}

/** Stands in a record for a value that no record may hold. */
const REDACTED = '‹redacted›'

/** Returns a value without what JSON pointers name. */
export function redacted(value: Json, pointers: readonly string[] = []): Json {
  return pointers.reduce<Json>((all, pointer) => replaceAt(all, pointer.split('/').slice(1)), value)
}

function replaceAt(value: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined) return REDACTED
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value
  if (Array.isArray(value)) return value.map((item: Json, i) => (String(i) === name ? replaceAt(item, rest) : item))
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, inner]) => [key, key === name ? replaceAt(inner, rest) : inner]),
  )
}
