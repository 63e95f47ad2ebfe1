import type { Fault } from '../kernel/index.ts'
import { faults } from './faults.ts'
import type { ModelRequest, ModelTry, ToolCall } from './types.ts'

type Answer = Pick<ModelTry, 'text' | 'calls' | 'finish' | 'usage'>

/**
 * Returns the fault `R4019` of an answer that is empty or was cut by the token limit; undefined for a complete answer.
 * A structured answer is checked against its schema instead. A call whose arguments may have been cut is never made.
 */
export function incompleteFault(name: string, answer: Answer, request: ModelRequest): Fault | undefined {
  const { text, calls = [], finish } = answer
  if (finish === 'length' && (calls.length > 0 || (request.output === undefined && request.partial !== true)))
    return cut(name, answer, request)
  if (text.trim() !== '' || calls.length > 0 || request.output !== undefined || request.partial === true) return undefined
  return faults.make('R4019', `the answer of ${name} is empty`, {
    verdict: 'retry',
    data: { model: name },
    fix: 'ask again, or name another model',
  })
}

function cut(name: string, answer: Answer, request: ModelRequest): Fault {
  return faults.make('R4019', `the answer of ${name} was ${cutText(answer, request)}`, {
    data: { model: name },
    fix: 'raise `maxTokens` of the node (`max_tokens` in a pipeline), or ask for a shorter answer',
  })
}

/** Describes where an answer was cut: `cut at 4,096 tokens`. */
export function cutText({ usage }: Pick<Answer, 'usage'>, { maxTokens }: Pick<ModelRequest, 'maxTokens'>): string {
  const tokens = maxTokens ?? usage?.output
  return tokens === undefined ? 'cut by its limit of tokens' : `cut at ${tokens.toLocaleString('en-US')} tokens`
}

/** Returns calls as they can be made: only a tool without parameters may be called without arguments. */
export function validCalls(calls: readonly ToolCall[], { tools = [] }: Pick<ModelRequest, 'tools'>): readonly ToolCall[] {
  return calls.map((call) => {
    if (call.invalid?.trim() !== '') return call
    const { properties, required } = tools.find(({ name }) => name === call.name)?.schema ?? { properties: true }
    const takesNone = isEmpty(properties) && isEmpty(required)
    const { invalid: _invalid, ...valid } = call
    return takesNone ? valid : call
  })
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}
