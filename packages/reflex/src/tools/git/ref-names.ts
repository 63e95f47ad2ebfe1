/** The references that a command may change: branches, tags, stashes, notes. Not replacements of objects, and not the references of a server. */
const TAKEN_OVER = /^refs\/(?:heads\/|tags\/|notes\/|stash$)/

/** Characters of names that have no special meaning to a shell, a terminal or git. */
const PLAIN = /^[\p{L}\p{N}\p{M}._/@+#=,-]+$/u

/** True if a reference of this name is taken over from a command. */
export function isTakenOver(name: string): boolean {
  return TAKEN_OVER.test(name) && isRefName(name)
}

/** True if git takes this for a reference, and people see what it is. */
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
