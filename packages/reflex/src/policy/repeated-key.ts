/** Returns a key that stands twice in one object of a JSON text, of which only the last would count. The text is valid JSON. */
export function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = []
  for (const [token, key] of text.matchAll(/("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    if (key === undefined) continue
    const name = JSON.parse(key) as string
    if (open.at(-1)?.has(name) === true) return name
    open.at(-1)?.add(name)
  }
  return undefined
}
