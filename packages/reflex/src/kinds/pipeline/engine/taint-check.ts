import type { Role, Safety } from '../model/operation-ports.ts'
import type { KeyRead } from '../model/node-keys.ts'
import { type Label, LEVELS, levelOf, SANITIZED } from '../../../policy/label.ts'
import { readsOfNode } from './labelling.ts'
import type { Halt, Middleware, Token } from './middleware.ts'

const DERIVED = LEVELS.indexOf('derived')
const UNTRUSTED = LEVELS.indexOf('untrusted')
const HOSTILE = LEVELS.indexOf('hostile')

/**
 * The hazards that are checked at the point of use: paths are confined to their roots when they are opened, values
 * reach a command only through its environment, addresses are checked before they are called (reference pipeline 5.3).
 */
const CHECKED_AT_USE: ReadonlySet<Safety> = new Set(['path_traversal', 'command_injection', 'ssrf'])

/**
 * Lets a node run only with values that are trusted enough for their use: no hostile value anywhere, no untrusted value
 * that decides what runs, and no value that was not made safe for its place (reference pipeline 5.3).
 */
export const taintCheck: Middleware = {
  name: 'taint_check',
  before(token) {
    for (const read of readsOfNode(token.context.node)) {
      const halt = judge(token, read)
      if (halt !== undefined) return halt
    }
    return undefined
  },
}

function judge(token: Token, { key, role, needs }: KeyRead): Halt | undefined {
  const label = token.label(key)
  if (label.level === 0) return undefined
  const problem = problemOf(label, role, needs)
  if (problem !== undefined) return { halt: `taint: ${token.context.node.id} reads ${key}, which is ${described(label)}; ${problem}` }
  if (role === 'control' && label.level >= DERIVED) {
    const { from = '' } = label
    token.note('taint_control', { key, level: levelOf(label), from })
  }
  return undefined
}

/** Returns the problem of a value in a place; undefined if it may be used there. */
function problemOf(label: Label, role: Role, needs: Safety | undefined): string | undefined {
  if (label.level >= HOSTILE) return 'nothing may use it'
  if (role === 'control' && label.level >= UNTRUSTED) return 'it would decide what runs'
  if (needs === undefined || label.level === 0 || CHECKED_AT_USE.has(needs)) return undefined
  return (label.bits & SANITIZED[needs]) === 0 ? `nothing has made it safe for ${needs.replaceAll('_', ' ')}` : undefined
}

function described(label: Label): string {
  return label.from === undefined ? levelOf(label) : `${levelOf(label)}, from ${label.from}`
}
