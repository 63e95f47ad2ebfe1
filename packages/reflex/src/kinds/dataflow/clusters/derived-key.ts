import type { AuthoringPath } from '../model/graph.ts'

const PREFIX = '__reflex'
const UTF8 = new TextEncoder()

/**
 * Returns the key of a slot at a place: `__reflex/4:root/6:once_a/9:has_fired`. Each segment has its length in bytes, so two places or
 * slots never have one key, whatever characters their names contain (reference 3.4).
 */
export function derivedKey(path: AuthoringPath, slot: string): string {
  return [PREFIX, ...[...path.flat(), slot].map((segment) => `${UTF8.encode(segment).length}:${segment}`)].join('/')
}
