/**
 * The references that a command may change: branches, tags, stashes, notes. Replacements of objects and references of a
 * server are excluded.
 */
const TAKEN_OVER = /^refs\/(?:heads\/|tags\/|notes\/|stash$)/

/** Characters without a special meaning to a shell, a terminal or git. */
const PLAIN = /^[\p{L}\p{N}\p{M}._/@+#=,-]+$/u

/** True if a command's change of the reference with this name is applied. */
export function isTakenOver(name: string): boolean {
  return TAKEN_OVER.test(name) && isRefName(name)
}

/** True if git accepts this name for a reference, and people can read it. */
export function isRefName(name: string): boolean {
  if (!PLAIN.test(name) || name.length > 250 || name.includes('..') || name.includes('@{')) return false
  return name
    .split('/')
    .every(
      (step) => step !== '' && !/^[.-]/.test(step) && !/(?:\.|\.lock)$/.test(step) && !/^(?:HEAD|@|[\da-f]{40}|[\da-f]{64})$/i.test(step),
    )
}

/** A hash of either length. */
export const HASH = /^(?:[\da-f]{40}|[\da-f]{64})$/
