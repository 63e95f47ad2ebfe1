import type { TextSpan } from '../../../text/index.ts'

/** A part of a text and its offset in that text. */
export interface Part {
  readonly text: string
  readonly offset: number
}

/** Splits `a.port -> b.port` into its ends; undefined for a text without exactly one arrow. */
export function splitEdge(text: string): readonly [from: Part, to: Part] | undefined {
  const arrow = text.indexOf('->')
  if (arrow < 0 || text.includes('->', arrow + 2)) return undefined
  return [trimmed(text.slice(0, arrow), 0), trimmed(text.slice(arrow + 2), arrow + 2)]
}

/** Splits `node.port` at its first dot; undefined without a dot. */
export function splitPort({ text, offset }: Part): { readonly node: Part; readonly port: Part } | undefined {
  const dot = text.indexOf('.')
  if (dot < 0) return undefined
  return { node: { text: text.slice(0, dot), offset }, port: { text: text.slice(dot + 1), offset: offset + dot + 1 } }
}

/** Splits `id@selector` at its first `@`; without one the selector is empty. */
export function splitTarget(text: string): { readonly id: Part; readonly selector: Part } {
  const at = text.indexOf('@')
  const end = at < 0 ? text.length : at
  return { id: { text: text.slice(0, end), offset: 0 }, selector: { text: text.slice(end + 1), offset: end + (at < 0 ? 0 : 1) } }
}

/** Returns the span of a part, one character long for an empty part. */
export function spanOf({ text, offset }: Part): TextSpan {
  return { offset, length: Math.max(1, text.length) }
}

function trimmed(text: string, offset: number): Part {
  const start = text.trimStart()
  return { text: start.trimEnd(), offset: offset + text.length - start.length }
}
