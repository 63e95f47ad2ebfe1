import type { TypedGraph } from '../model/typed.ts'
import type { Halt, Middleware, Token } from './middleware.ts'

/**
 * Every capability of a node is granted, or it does not run: those of its type, of its alias and of what it does. A grant
 * on terms counts once somebody has allowed it, and as often as it says (reference pipeline 5.2). It goes by what the
 * operator has settled, and cannot be left out.
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

/** What the operator was asked for when the pipeline began; whatever is not among it has not been granted. */
function requestedCapabilities(typed: TypedGraph): ReadonlySet<string> {
  const found = needs.get(typed) ?? new Set(typed.capabilities)
  needs.set(typed, found)
  return found
}

function judge(token: Token, need: string): Halt | undefined {
  const { permissions, typed } = token.context
  const { denied, terms = {} } = permissions
  if (!requestedCapabilities(typed).has(need)) return { halt: `unauthorized: nobody was asked for ${need}` }
  if (Object.hasOwn(denied, need)) return { halt: `unauthorized: ${need} is not granted (${denied[need]})` }
  const term = Object.hasOwn(terms, need) ? terms[need] : undefined
  if (term === undefined) return undefined
  if (term.ask === true && token.permitted(term.grant) !== true) return { halt: `unauthorized: ${need} was asked for and not allowed` }
  if (term.most !== undefined && token.uses(term.grant) >= term.most)
    return { halt: `unauthorized: ${need} was used as often as ${term.by} grants it (${term.most})` }
  return undefined
}
