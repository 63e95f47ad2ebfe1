/** A read or write of a key that stands in the text: bb.key, bb["key"], bb.get("key"), also of `blackboard` and `ctx.bb`. */
const ACCESS =
  /\b(?:bb|blackboard)\s*(?:\.\s*(?:get|has|set|delete)\s*(?:\(\s*)?(["'])((?:(?!\1)[^\\\n])*)\1|\.\s*([A-Za-z_]\w*)|\[\s*(["'])((?:(?!\4)[^\\\n])*)\4\s*\])/g
const METHODS: ReadonlySet<string> = new Set(['get', 'set', 'has', 'delete'])

/**
 * Returns the keys of the blackboard that a script seems to use, in the order of the text: these travel along with a call. A key that is missed is
 * read while the script runs, and one too many does no harm.
 */
export function boardKeys(code: string): readonly string[] {
  const keys = [...code.matchAll(ACCESS)].map((match) => match[2] ?? match[3] ?? match[5])
  return [...new Set(keys.filter((key) => key !== undefined && !METHODS.has(key)))] as string[]
}
