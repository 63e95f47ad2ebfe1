import type { TypedGraph } from '../model/typed.ts'
import type { Halt, Middleware, Token } from './middleware.ts'

/**
 * Halts a node unless every capability of it is granted: those of its type, of its alias and of its operation. The operator's
 * permissions decide, and no node can skip this member. The kernel asks about grants with terms when the chain has let the node pass
 * (reference pipeline 5.2).
 */
export const capabilityCheck: Middleware = {
  name: 'capability_check',
  before(token) {
    for (const need of token.context.node.capabilitiesRequired) {
      const halt = judge(token, need)
      if (halt !== undefined) return halt
    }
    return undefined
  },
}

const needs = new WeakMap<TypedGraph, ReadonlySet<string>>()

/**
 * Returns the capabilities that were requested from the operator when the pipeline began; no other capability is
 * granted.
 */
function requestedCapabilities(typed: TypedGraph): ReadonlySet<string> {
  const found = needs.get(typed) ?? new Set(typed.capabilities)
  needs.set(typed, found)
  return found
}

function judge(token: Token, need: string): Halt | undefined {
  const { permissions, typed } = token.context
  const { denied } = permissions
  if (!requestedCapabilities(typed).has(need)) return { halt: `unauthorized: ${need} was not requested when the pipeline began` }
  if (Object.hasOwn(denied, need)) return { halt: `unauthorized: ${need} is not granted (${denied[need]})` }
  return undefined
}
