import { displayJson } from './display-json.ts'
import { printable } from './printable.ts'

/** Returns a value as JSON on one line, at most `limit` characters. A longer text is cut in the middle and followed by its full size. */
export function shortJson(value: unknown, limit = 40): string {
  const text = printable(jsonText(value))
  if (text.length <= limit) return text
  const head = Math.max(1, Math.ceil((limit - 1) / 2))
  const tail = Math.max(0, limit - 1 - head)
  return `${text.slice(0, head)}…${tail === 0 ? '' : text.slice(-tail)} ${size(new TextEncoder().encode(text).length)}`
}

function jsonText(value: unknown): string {
  try {
    return displayJson(value)
  } catch {
    return 'a value that cannot be shown'
  }
}

function size(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
