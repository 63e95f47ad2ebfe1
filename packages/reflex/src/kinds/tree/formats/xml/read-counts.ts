import type { RawNode } from '../raw.ts'
import type { NodeParts } from './node-parts.ts'
import { referenceIn } from './ports.ts'

/** Returns a whole number of a port; `initial` if it is absent, undefined and a finding if it is not one. */
function count(parts: NodeParts, port: string, initial: number | undefined): number | undefined {
  const value = parts.attribute(port)
  if (value === undefined) return initial ?? parts.refuse(`${parts.element.name} has no ${port}`)
  if (referenceIn(value, port) !== undefined)
    return parts.refuse(`${port} cannot come from the blackboard`, port, 'write the number itself')
  return /^-?\d{1,9}$/.test(value) ? Number(value) : parts.refuse(`${port} must be a whole number`, port)
}

/** Returns a number of children: -1 means all of them, -2 all but one. */
function ofChildren(parts: NodeParts, port: string, initial: number, children: number): number | undefined {
  const given = count(parts, port, initial)
  if (given === undefined) return undefined
  const meant = given < 0 ? children + given + 1 : given
  return meant >= 1 && meant <= children
    ? meant
    : parts.refuse(`${port} must be from 1 to ${children}, the number of children, or -1 for all`, port)
}

function readPolicy(parts: NodeParts, needed: number, children: number): void {
  parts.set('policy', needed === children ? 'require_all' : needed === 1 ? 'require_one' : 'require_n')
  if (needed !== children && needed !== 1) parts.set('n', needed)
  // There is one blackboard in BehaviorTree.CPP, and the last value stays in it.
  parts.set('merge_strategy', 'last_wins')
}

function refuseOthers(parts: NodeParts, known: readonly string[]): void {
  for (const [port] of parts.ports) if (!known.includes(port)) parts.refusePort(port, known)
}

/** `success_count` children decide SUCCESS; `failure_count`, or too few that are left, FAILURE. */
export function readParallel(parts: NodeParts, children: readonly RawNode[]): RawNode | undefined {
  refuseOthers(parts, ['success_count', 'failure_count'])
  const all = parts.element.children.length
  if (all === 0) return parts.node('parallel', [])
  const needed = ofChildren(parts, 'success_count', -1, all)
  const given = count(parts, 'failure_count', 1)
  if (needed === undefined || given === undefined) return undefined
  const allowed = given < 0 ? all + given + 1 : given
  if (allowed < 1) return parts.refuse('failure_count must be at least 1, or -1 for all', 'failure_count')
  readPolicy(parts, needed, all)
  if (allowed < all - needed + 1) parts.set('max_failures', allowed, 'failure_count')
  return parts.node('parallel', children)
}

/** All children end; `max_failures` of them make it FAILURE. */
export function readParallelAll(parts: NodeParts, children: readonly RawNode[]): RawNode | undefined {
  refuseOthers(parts, ['max_failures'])
  const all = parts.element.children.length
  if (all === 0) return parts.node('parallel', [])
  const failures = ofChildren(parts, 'max_failures', 1, all)
  if (failures === undefined) return undefined
  readPolicy(parts, all - failures + 1, all)
  parts.set('on_child_fail', 'continue')
  return parts.node('parallel', children)
}

/** `num_attempts` counts the first attempt, too; -1 is without an end. */
export function readRetry(parts: NodeParts, children: readonly RawNode[]): RawNode | undefined {
  refuseOthers(parts, ['num_attempts'])
  const attempts = count(parts, 'num_attempts', undefined)
  if (attempts === undefined) return undefined
  if (attempts === 0 || attempts < -1) return parts.refuse('num_attempts must be at least 1, or -1 for no end', 'num_attempts')
  parts.set('max_retries', attempts === -1 ? -1 : attempts - 1, 'num_attempts')
  return parts.node('retry', children)
}

/** `Repeat` with -1 and `KeepRunningUntilFailure` mean the same: the child is ticked again until it fails, and the node fails with it. */
export function readRepeat(parts: NodeParts, children: readonly RawNode[], name: string): RawNode | undefined {
  refuseOthers(parts, name === 'Repeat' ? ['num_cycles'] : [])
  if (name === 'Repeat') {
    const cycles = count(parts, 'num_cycles', undefined)
    if (cycles === undefined) return undefined
    if (cycles === 0 || cycles < -1) return parts.refuse('num_cycles must be at least 1, or -1 for no end', 'num_cycles')
    if (cycles > 0) parts.set('count', cycles, 'num_cycles')
  }
  return parts.node('repeater', children)
}
