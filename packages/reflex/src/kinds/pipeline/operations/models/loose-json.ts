import type { Json } from '../../../../kernel/index.ts'
import { parseJson } from '../../language/parse-json.ts'

/** Returns the JSON in the answer of a model: in a code fence, after a sentence, or plain. Undefined if there is none. */
export function looseJson(text: string): Json | undefined {
  for (const candidate of [text, fencedJson(text)]) {
    const value = parseJson(candidate.trim()) ?? parseFirstBracket(candidate)
    if (value !== undefined) return value
  }
  return undefined
}

/** Returns the content of the first code fence that may be JSON; an empty text if there is none. */
export function fencedJson(text: string): string {
  return /```(?:json)?[ \t]*\r?\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

/** Parses the text from the first brace or bracket up to the matching one. */
function parseFirstBracket(text: string): Json | undefined {
  const start = text.search(/[{[]/)
  if (start < 0) return undefined
  const end = closingBracket(text, start)
  return end < 0 ? undefined : parseJson(text.slice(start, end + 1))
}

/** Returns the index of the bracket that matches the one at `start`, ignoring quoted text; -1 if there is none. */
function closingBracket(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (quoted) {
      if (char === '\\') i++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return i
  }
  return -1
}
