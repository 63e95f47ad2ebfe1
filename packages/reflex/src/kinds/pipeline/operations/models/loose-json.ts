import type { Json } from '../../../../kernel/journal/json.ts'
import { parseJson } from '../../language/parse-json.ts'

/**
 * JSON as models write it: in a code fence, after a sentence, or plain. Nothing if there is none.
 */
export function looseJson(text: string): Json | undefined {
  for (const candidate of [text, fencedJson(text)]) {
    const value = parseJson(candidate.trim()) ?? parseFirstBracket(candidate)
    if (value !== undefined) return value
  }
  return undefined
}

/** What stands in the first code fence that can be JSON, or nothing. */
export function fencedJson(text: string): string {
  return /```(?:json)?[ \t]*\r?\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

/** What begins with the first brace or bracket, up to where it closes. */
function parseFirstBracket(text: string): Json | undefined {
  const start = text.search(/[{[]/)
  if (start < 0) return undefined
  const end = closingBracket(text, start)
  return end < 0 ? undefined : parseJson(text.slice(start, end + 1))
}

/** Where the bracket at `start` closes; text in quotes does not count. */
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
