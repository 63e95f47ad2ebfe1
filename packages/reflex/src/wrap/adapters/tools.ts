import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { type AnyFunction, cannotIntercept, originalOf } from '../session/intercept.ts'
import type { DeclareTool, ToolCall } from './contract.ts'
import { isWrapper, lastOf, toolFunction } from './functions.ts'
import { standIn } from './stand-in.ts'

/** How the tools of a framework are wrapped. */
export interface ToolForm {
  readonly declare: DeclareTool
  /** Returns the second argument of a tool that a plan of a skill calls. */
  readonly callOf: (call: ToolCall) => Fields
  /** Returns what a tool says of itself. Default: its own fields. */
  readonly factsOf?: (tool: Fields) => Fields
}

/**
 * Returns tools with an `execute`, by name, whose calls belong to the turn of their caller. Tools without such a function are performed by the
 * provider or by the caller, and stay as they are.
 */
export function wrapTools(tools: Fields, { declare, callOf, factsOf = fieldsOf }: ToolForm): Fields {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const { execute } = fieldsOf(tool)
      if (typeof execute !== 'function' || typeof tool !== 'object' || tool === null) return [name, tool]
      const original = originalOf(execute as AnyFunction)
      declare({ name, facts: factsOf(fieldsOf(tool)), act: (args, call) => lastOf(original.call(tool, args, callOf(call))) })
      if (isWrapper(execute)) return [name, tool]
      const isAgent = fieldsOf(tool)['agent'] === true
      return [name, standIn(tool, { execute: toolFunction(name, original.bind(tool), isAgent) })]
    }),
  )
}

/** Throws `R2150` for a tool that its agent has without a proxy. */
export function checkTools(tools: unknown, fix: string): void {
  const past = Object.entries(fieldsOf(tools)).find(([, tool]) => {
    const { execute } = fieldsOf(tool)
    return typeof execute === 'function' && !isWrapper(execute)
  })
  if (past !== undefined) throw cannotIntercept('agent', `its tool ${past[0]} was given to it without Reflex`, fix)
}
