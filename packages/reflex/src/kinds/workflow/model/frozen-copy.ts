import { isValidator } from './board-schemas/board-findings.ts'
import { copyCallees } from './define.ts'
import type { Workflow } from '../types/index.ts'

const copies = new WeakMap<Workflow, Workflow>()
const frozenCopies = new WeakSet<Workflow>()

/**
 * Returns the frozen copy of a definition from which programs are made. Later edits of the definition change no program, and the
 * definition itself is not frozen. The copy of a copy is the copy itself. An unchanged definition returns the same copy again.
 * Plain objects and lists are copied. Functions and instances belong to their creators and are shared, as are guards that are
 * functions: a restored engine sets their functions, and a host can repair one that failed.
 */
export function frozenCopy(workflow: Workflow): Workflow {
  if (frozenCopies.has(workflow)) return workflow
  const known = copies.get(workflow)
  if (known !== undefined && isSame(known, workflow, new Set())) return known
  const shared = workflow.edges.flatMap(({ guard }) => (guard?.type === 'custom' ? [guard] : []))
  const copy = copyInto(workflow, new Map(shared.map((guard) => [guard, guard]))) as Workflow
  freezeDeep(copy, new Set<unknown>(shared))
  copyCallees(workflow, copy)
  copies.set(workflow, copy)
  frozenCopies.add(copy)
  return copy
}

/** Copies plain objects and lists at every depth, and shares everything else. Cycles stay cycles. */
function copyInto(value: unknown, copied: Map<object, object>): unknown {
  if (!isCopyable(value)) return value
  const known = copied.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const list: unknown[] = []
    copied.set(value, list)
    for (const item of value) list.push(copyInto(item, copied))
    return list
  }
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>
  copied.set(value, copy)
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: copyInto(inner, copied), enumerable: true, writable: true, configurable: true })
    else copy[key] = copyInto(inner, copied)
  }
  return copy
}

function isCopyable(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === null || prototype === Object.prototype) && !isValidator(value)
}

function freezeDeep(value: unknown, seen: Set<unknown>): void {
  if (!isCopyable(value) || seen.has(value)) return
  seen.add(value)
  Object.freeze(value)
  for (const inner of Object.values(value)) freezeDeep(inner, seen)
}

function isSame(a: unknown, b: unknown, seen: Set<unknown>): boolean {
  if (Object.is(a, b)) return true
  if (!isCopyable(a) || !isCopyable(b) || Array.isArray(a) !== Array.isArray(b)) return false
  if (seen.has(b)) return true
  seen.add(b)
  const entries = Object.entries(b)
  if (entries.length !== Object.keys(a).length) return false
  return entries.every(([key, inner]) => Object.hasOwn(a, key) && isSame((a as Record<string, unknown>)[key], inner, seen))
}
