import { argumentsOf, argumentsText, fieldsOf, listOf, textOf } from '../dialects/loose.ts'
import { currentSession, inSession } from '../session/context.ts'
import { faults } from '../session/faults.ts'
import { type AnyFunction, intercept, originalOf } from '../session/intercept.ts'
import type { DeclareTool, NoteRestore } from './contract.ts'

/** What a tool of the SDK gives its model for an error, unless it has an `errorFunction`. */
const DEFAULT_FAILURE = 'An error occurred while running the tool. Please try again.'

/**
 * Replaces in place the function by which the SDK calls a tool, and declares the tool. Tools that the provider performs have none and stay as
 * they are. Throws `R2150` for a tool that is frozen.
 */
export function wrapAgentsTool(tool: unknown, declare: DeclareTool, note: NoteRestore): void {
  const { type, name, invoke, agent } = fieldsOf(tool)
  if (typeof tool !== 'object' || tool === null || type !== 'function' || typeof invoke !== 'function') return
  const original = originalOf(invoke as AnyFunction)
  const own = textOf(name)
  declare({ name: own, facts: fieldsOf(tool), act: (args, { signal }) => actForSkill({ tool, name: own, original, args, signal }) })
  note(intercept(tool, 'invoke', (before) => invokeFunction(own, before, agent === true)))
}

/**
 * `invoke(runContext, arguments, details)`. The context and the details differ from run to run. The calls of an agent that is a tool belong to
 * the turn if the tool says `agent: true`: its own tools, which nothing leads to from here, must be known then.
 */
function invokeFunction(name: string, original: AnyFunction, isAgent: boolean): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    const act = (): unknown => original.apply(this, args)
    if (session === undefined) return act()
    const given = [argumentsOf(args[1])]
    return isAgent ? session.agent(name, given, { act: (nested) => inSession(nested, act) }) : session.tool(name, given, act)
  }
}

interface SkillCall {
  readonly tool: object
  readonly name: string
  readonly original: AnyFunction
  readonly args: unknown
  readonly signal: AbortSignal | undefined
}

/**
 * Calls a tool for a plan. The runner would ask a person for an approval and apply guardrails; a plan has no runner, so such a call is refused
 * with `R2164`. The SDK gives a text in place of an error; the one that it has by default is an error again.
 */
async function actForSkill({ tool, name, original, args, signal }: SkillCall): Promise<unknown> {
  const { needsApproval, inputGuardrails, outputGuardrails } = fieldsOf(tool)
  const asks = typeof needsApproval === 'function' && (await (needsApproval as AnyFunction).call(tool, undefined, args)) !== false
  const isGuarded = listOf(inputGuardrails).length + listOf(outputGuardrails).length > 0
  if (asks || isGuarded)
    throw faults.make('R2164', `the tool ${name} has ${asks ? 'to be approved by a person' : 'guardrails'}, which a plan cannot do`, {
      path: name,
    })
  const result = await original.call(tool, undefined, argumentsText(args), signal === undefined ? {} : { signal })
  if (result === DEFAULT_FAILURE) throw faults.make('R2165', `the tool ${name} has failed; the SDK does not say how`, { path: name })
  return result
}
