import type { Frame, Entry } from '../../../kernel/index.ts'
import { type ReadableScope, ScopedBlackboardReader } from './blackboard.ts'
import { type CompiledWorkflow, nodeAt } from '../model/compile.ts'
import type { BlackboardSource } from '../types/index.ts'
import { versionedId } from '../model/versioned-id.ts'

/** Returns the name of the workflow of a frame, for the sources of its entries. */
export type WorkflowNames = (frame: Frame) => string

/** Returns the node id of entries that no node wrote: seeds of `init`, and inputs of a caller (reference workflow 8). */
export function reservedNode(depth: number): string {
  return depth === 0 ? '__init__' : '__push__'
}

/** Returns the author of an entry of a frame: its node, or the reserved node of the start of the frame. */
function sourceOf(frame: Frame, names: WorkflowNames, entry: Entry): BlackboardSource {
  return Object.freeze({ workflowId: names(frame), nodeId: nodeAt(entry.label) ?? reservedNode(frame.depth), stackDepth: frame.depth })
}

/** Returns the own scope of a frame, as of a record. */
export function frameScope(frame: Frame, names: WorkflowNames, bound = Number.POSITIVE_INFINITY): ReadableScope {
  return { scope: frame.scope, bound, source: (entry) => sourceOf(frame, names, entry) }
}

/** Returns the scopes that a frame reads beyond its own, nearest first, as of a record. */
export function callerScopes(frame: Frame, names: WorkflowNames, bound = Number.POSITIVE_INFINITY): ReadableScope[] {
  const scopes: ReadableScope[] = []
  let limit = bound
  for (let at = frame; at.outer !== undefined; at = at.outer) {
    const { outer, link } = at
    // A strand sees the scopes of the frame that spawned it as of the record that spawned it, from its inner scope outward.
    if (link?.sees === 'past') limit = Math.min(limit, link.record)
    const source = (entry: Entry): BlackboardSource => sourceOf(outer, names, entry)
    for (let inner = outer.subs?.get(link?.under ?? ''); inner !== undefined; inner = outer.subs?.get(inner.under ?? '')) {
      scopes.push({ scope: inner.scope, bound: limit, source })
    }
    scopes.push(frameScope(outer, names, limit))
  }
  return scopes
}

const UNNAMED: WorkflowNames = () => ''

function withoutNames(scope: ReadableScope): ReadableScope {
  return { ...scope, isUnnamed: true }
}

/** Returns the board of a frame for guards, which read values and not sources. */
export function frameReader(frame: Frame): ScopedBlackboardReader {
  return new ScopedBlackboardReader([frameScope(frame, UNNAMED), ...callerScopes(frame, UNNAMED)].map(withoutNames))
}

/** Returns the id of the workflow of a compiled program, with its version; an empty text for programs of other kinds. */
export function workflowName(def: unknown): string {
  return typeof def === 'object' && def !== null && 'workflow' in def ? versionedId((def as CompiledWorkflow).workflow) : ''
}
