import { SaxesParser } from 'saxes'
import type { FormattedText, Source } from '../../../../text/index.ts'
import { parseXml } from './elements.ts'
import { escapeText, startTag } from './text.ts'

/** A part of a document in the order of the text. */
type Part =
  | { readonly is: 'line'; readonly text: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'blank' }
  | { readonly is: 'element'; readonly name: string; readonly attributes: readonly (readonly [string, string])[]; readonly parts: Part[] }

/**
 * Formats XML: two spaces for each level, one element a line, at most one empty line in a row. Comments, attributes and their order stay.
 * Formatted text stays unchanged. Text that cannot be read is returned as errors. Never throws.
 */
export function formatXml(text: string, file?: string): FormattedText {
  const { findings, source } = parseXml(text, file)
  if (findings.length > 0) return { findings }
  const end = /\r\n?|\n/.exec(text)?.[0] ?? '\n'
  const lines = partsOf(source).flatMap((part) => linesOf(part, 0))
  return { text: `${lines.join(end)}${end}`, findings }
}

function partsOf({ text }: Source): Part[] {
  const document: Part[] = []
  const open = [document]
  const add = (part: Part): void => void open.at(-1)?.push(part)
  const parser = new SaxesParser({ xmlns: false })
  parser.on('xmldecl', ({ version = '1.0', encoding }) => {
    add({ is: 'line', text: `<?xml version="${version}"${encoding === undefined ? '' : ` encoding="${encoding}"`}?>` })
  })
  parser.on('processinginstruction', ({ target, body }) => add({ is: 'line', text: `<?${target} ${body}?>` }))
  parser.on('comment', (comment) => add({ is: 'line', text: `<!--${comment}-->` }))
  parser.on('cdata', (cdata) => add({ is: 'line', text: `<![CDATA[${cdata}]]>` }))
  parser.on('text', (found) => {
    if (found.trim() !== '') add({ is: 'text', text: escapeText(found.trim()) })
    else if ((open.at(-1)?.length ?? 0) > 0 && /\n[^\S\n]*\n/.test(found.replaceAll('\r\n', '\n'))) add({ is: 'blank' })
  })
  parser.on('opentag', ({ name, attributes }) => {
    const parts: Part[] = []
    add({ is: 'element', name, attributes: Object.entries(attributes), parts })
    open.push(parts)
  })
  parser.on('closetag', () => {
    const closed = open.pop()
    if (closed?.at(-1)?.is === 'blank') closed.pop()
  })
  parser.write(text).close()
  if (document.at(-1)?.is === 'blank') document.pop()
  return document
}

function linesOf(part: Part, level: number): string[] {
  const indent = '  '.repeat(level)
  if (part.is === 'blank') return ['']
  if (part.is !== 'element') return [indent + part.text]
  const { name, attributes, parts } = part
  const start = startTag(name, attributes, { level, isEmpty: parts.length === 0 })
  if (parts.length === 0) return start
  const [only] = parts
  if (parts.length === 1 && only?.is === 'text') return [...start.slice(0, -1), `${start.at(-1) ?? ''}${only.text}</${name}>`]
  return [...start, ...parts.flatMap((inner) => linesOf(inner, level + 1)), `${indent}</${name}>`]
}
