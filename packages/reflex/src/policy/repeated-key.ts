/** Returns a key that stands twice in one object of a JSON text, of which only the last would count. The text is valid JSON. */
export function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') open.push(new Set())
    else if (text[at] === '}') open.pop()
    if (text[at] !== '"') continue
    const end = endOf(text, at)
    if (isKey(text, end)) {
      const name = JSON.parse(text.slice(at, end)) as string
      const keys = open.at(-1)
      if (keys?.has(name) === true) return name
      keys?.add(name)
    }
    at = end - 1
  }
  return undefined
}

/** The place behind the text in quotes that begins at a place. */
function endOf(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1
    if (text[at] === '\\') at++
  }
  return text.length
}

function isKey(text: string, from: number): boolean {
  let at = from
  while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  return text[at] === ':'
}
