/** An element that is written. */
export interface Written {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  readonly children: readonly Written[]
}

/** The width of a line in characters; an element that is longer has each attribute on a line of its own. */
const WIDTH = 140
const INDENT = '  '

/** Returns elements as XML text, indented by two spaces. */
export function xmlText(element: Written): string {
  const lines: string[] = ['<?xml version="1.0" encoding="UTF-8"?>']
  write(element, 0, lines)
  return `${lines.join('\n')}\n`
}

function write({ name, attributes, children }: Written, level: number, lines: string[]): void {
  lines.push(...startTag(name, attributes, { level, isEmpty: children.length === 0 }))
  if (children.length === 0) return
  for (const child of children) write(child, level + 1, lines)
  lines.push(`${INDENT.repeat(level)}</${name}>`)
}

/** Returns the lines of a start tag. */
export function startTag(
  name: string,
  attributes: readonly (readonly [name: string, value: string])[],
  { level, isEmpty }: { readonly level: number; readonly isEmpty: boolean },
): string[] {
  const indent = INDENT.repeat(level)
  const written = attributes.map(([attribute, value]) => `${attribute}="${escapeAttribute(value)}"`)
  const end = isEmpty ? '/>' : '>'
  const line = `${indent}${[`<${name}`, ...written].join(' ')}${end}`
  if (line.length <= WIDTH || written.length < 2) return [line]
  return [`${indent}<${name}`, ...written.map((attribute, at) => `${indent}${INDENT}${attribute}${at === written.length - 1 ? end : ''}`)]
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' }

/** Escapes the value of an attribute. `>` stays, because scripts compare with it. */
export function escapeAttribute(value: string): string {
  return value.replace(/[&<"\n\r\t]/g, (char) => ESCAPES[char] ?? char)
}

export function escapeText(text: string): string {
  return text.replace(/[&<]/g, (char) => ESCAPES[char] ?? char).replaceAll(']]>', ']]&gt;')
}
