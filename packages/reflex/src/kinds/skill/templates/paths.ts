/**
 * Returns what is wrong with the value of a slot of the type `path`; undefined for a relative path that stays inside its folder. The tool
 * resolves it inside its root, so a link that leads outside is refused there.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (path.includes('\0')) return 'has a NUL character'
  if (/^[/\\~]|^[A-Za-z]:/.test(path)) return 'is not relative'
  if (path.includes('\\')) return 'has a backslash'
  return countUps(path) > 0 ? 'has the segment ".."' : undefined
}

/** Returns the number of segments `..` of a path, with both kinds of slashes. */
export function countUps(path: string): number {
  return path.split(/[/\\]/).filter((segment) => segment === '..').length
}
