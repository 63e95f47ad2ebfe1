import type { Frame } from '../kernel/frame.ts'
import type { Entry, Scope } from '../kernel/scope.ts'
import { type CompiledWorkflow, nodeAt } from './compile.ts'
import { type ReadableScope, ScopedBlackboardReader } from './blackboard.ts'
import type { BlackboardSource } from './types.ts'

/** Names the workflow of a frame, for the sources of its entries. */
export type WorkflowNames = (frame: Frame) => string

/** Who wrote an entry of a frame: the node that it left, or how the frame began (reference workflow 8). */
export function sourceOf(frame: Frame, names: WorkflowNames, entry: Entry): BlackboardSource {
  const nodeId = nodeAt(entry.label) ?? (frame.depth === 0 ? '__init__' : '__push__')
  return Object.freeze({ workflowId: names(frame), nodeId, stackDepth: frame.depth })
}

/** The scopes that a frame reads, its own first, its own and those of its callers as of a record. */
export function frameScopes(frame: Frame, names: WorkflowNames, bound = Number.POSITIVE_INFINITY, callers = bound): ReadableScope[] {
  const scopes: ReadableScope[] = [frameScope(frame, names, bound)]
  for (let at = frame.outer; at !== undefined; at = at.outer) scopes.push(frameScope(at, names, callers))
  return scopes
}

/** One frame's own scope, as of a record. */
export function frameScope(frame: Frame, names: WorkflowNames, bound = Number.POSITIVE_INFINITY): ReadableScope {
  return { scope: frame.scope as Scope, bound, source: (entry) => sourceOf(frame, names, entry) }
}

const UNNAMED: WorkflowNames = () => ''

/** The board of a frame for guards, which read values and not sources. */
export function frameReader(frame: Frame): ScopedBlackboardReader {
  return new ScopedBlackboardReader(frameScopes(frame, UNNAMED))
}

/** The workflow of a compiled program, if it is one. */
export function workflowName(def: unknown): string {
  return typeof def === 'object' && def !== null && 'workflow' in def ? (def as CompiledWorkflow).workflow.id : ''
}
