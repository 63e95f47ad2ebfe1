import { type Frame, isObject } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { branchOf } from './branch.ts'
import { nodeOf } from './position.ts'
import { reachable } from './skip.ts'

/** Returns the folder of a round: the root for the first, then `logs-v2`, `logs-v3` (seed pipeline 3.7). */
export function folderOfRound(root: string, round: number): string {
  if (round === 0) return root
  const [, before = root, number = '1'] = /^(.*)-v(\d+)$/s.exec(root) ?? []
  return `${before}-v${Number(number) + round}`
}

/** Returns the folder of the run for a frame. Only restarts of the outermost pipeline change the folder. */
export function folderAt(root: string, frame: Frame): string {
  let outermost = frame
  while (outermost.link !== undefined) outermost = outermost.link.caller
  const round = isObject(outermost.position) ? outermost.position['round'] : undefined
  return folderOfRound(root, typeof round === 'number' ? round : 0)
}

/** Returns a name as a safe path component: replaces characters that could lead to another folder. */
export function safeName(name: string): string {
  return name.replace(/[^\w.[\]-]/g, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length)) || '_'
}

/**
 * Returns the folder of a stage inside the folder of its run: its name, below its branch if other branches execute the same
 * node, and below the calling pipelines (reference pipeline 6.3).
 */
export function stagePath(frame: Frame, node: string, definition: (frame: Frame) => unknown): string {
  const parts: string[] = [safeName(node)]
  let inner = node
  for (let at = frame; at.link !== undefined; at = at.link.caller) {
    const caller = nodeOf(at.link.caller.position) ?? ''
    const branch = branchOf(at)
    if (branch === undefined) parts.unshift(at.link.role === 'call' ? `subgraph_${safeName(caller)}` : safeName(String(at.id)))
    else if (branch.spec.item !== undefined || isShared(definition(at), caller, inner))
      parts.unshift('parallel', safeName(caller), safeName(branch.spec.id))
    inner = caller
  }
  return parts.join('/')
}

const SHARED = new WeakMap<TypedGraph, Map<string, ReadonlySet<string>>>()

/** True if several branches of a parallel node can execute a node. */
function isShared(definition: unknown, parallel: string, node: string): boolean {
  if (!isTyped(definition)) return false
  const known = SHARED.get(definition) ?? new Map<string, ReadonlySet<string>>()
  SHARED.set(definition, known)
  const shared = known.get(parallel) ?? sharedBy(definition, parallel)
  known.set(parallel, shared)
  return shared.has(node)
}

function sharedBy(typed: TypedGraph, parallel: string): ReadonlySet<string> {
  const once = new Set<string>()
  const shared = new Set<string>()
  for (const { edge } of typed.outgoing.get(parallel) ?? [])
    for (const id of reachable(typed, [edge.to], typed.joins.get(parallel))) (once.has(id) ? shared : once).add(id)
  return shared
}

function isTyped(definition: unknown): definition is TypedGraph {
  return isObject(definition) && 'outgoing' in definition && 'joins' in definition
}
