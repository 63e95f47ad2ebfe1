import { isList, type Json } from '../kernel/index.ts'
import { displayJson } from '../text/index.ts'
import { faults } from './faults.ts'
import { requiredValue, type ValueView, itemView } from './lookup.ts'

/** A part of a template: text, a value, or a section with parts of its own. */
type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'value'; readonly path: string }
  | { readonly type: 'section' | 'without'; readonly path: string; readonly parts: readonly Part[] }

const TAG = /\{\{([#^/]?)([^{}]*)\}\}/g
/** Matches a line that has only the beginning or end of a section: it leaves no empty line behind. */
const SECTION_LINE = /^[ \t]*(\{\{[#^/][^{}]*\}\})[ \t]*(?:\r?\n|$)/gm
const DEEPEST = 16
const LONGEST = 1_000_000
/** The limit of rendered parts: nested sections can write nothing and still take endless time. */
const MOST_PARTS = 1_000_000

/** The state of filling in a template. */
interface Rendering {
  text: string
  parts: number
  readonly show: (value: Json) => string
}

/** Returns the mistake in a template, or undefined. */
export function templateProblem(text: string): string | undefined {
  const parts = parse(text)
  if (typeof parts === 'string') return parts
  const unclosed = /\{\{[#^/]?\s*[\w.-]*/.exec(text.replace(TAG, ''))
  return unclosed === null ? undefined : `${unclosed[0]} is not closed with }}`
}

/** A name that a template looks up. The name of a section, and names inside a section, may be missing. */
export interface TemplateRead {
  readonly path: string
  readonly optional: boolean
  /** True inside a section: its items are looked up first. */
  readonly ofItem: boolean
}

/** Returns the names that a template looks up, in order; none for a template that cannot be read. */
export function templateReads(text: string): readonly TemplateRead[] {
  const parts = parse(text)
  return typeof parts === 'string' ? [] : readsOfParts(parts, { optional: false, ofItem: false })
}

function readsOfParts(parts: readonly Part[], context: Omit<TemplateRead, 'path'>): TemplateRead[] {
  return parts.flatMap((part) => {
    if (part.type === 'text' || part.path === '.') return []
    if (part.type === 'value') return [{ path: part.path, ...context }]
    const ofItem = context.ofItem || part.type === 'section'
    return [{ path: part.path, optional: true, ofItem: context.ofItem }, ...readsOfParts(part.parts, { optional: true, ofItem })]
  })
}

/**
 * Fills a template. `{{path}}` is a value. `{{#path}}…{{/path}}` appears once for each item of a list (names are looked up in
 * the item first, `{{.}}` is the item itself), once for any other value, and not at all for a value that is missing, null,
 * false, 0, an empty text or an empty list; `{{^path}}…{{/path}}` appears exactly then. Filled-in text is never read as a
 * template. Throws `R2110` for a missing value.
 */
export function fill(text: string, view: ValueView, where: string, show: (value: Json) => string = valueText): string {
  const parts = parse(text)
  if (typeof parts === 'string') throw faults.make('R2100', `${where}: ${parts}`, { path: where })
  const rendering = { text: '', parts: 0, show }
  render(parts, view, where, rendering)
  return rendering.text
}

/** True if a text has values to fill in. */
export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

function parse(source: string): readonly Part[] | string {
  const text = source.replace(SECTION_LINE, '$1')
  const root: Part[] = []
  const open: { readonly path: string; readonly parts: Part[] }[] = []
  let at = 0
  for (const match of text.matchAll(TAG)) {
    const [whole, sign, name = ''] = match
    const path = name.trim()
    const parts = open.at(-1)?.parts ?? root
    if (match.index > at) parts.push({ type: 'text', text: text.slice(at, match.index) })
    at = match.index + whole.length
    if (path === '') return `${whole} has no name`
    if (sign === '') parts.push({ type: 'value', path })
    else if (sign === '/') {
      if (open.pop()?.path !== path) return `${whole} closes a section that is not open`
    } else {
      const inner: Part[] = []
      parts.push({ type: sign === '#' ? 'section' : 'without', path, parts: inner })
      open.push({ path, parts: inner })
      if (open.length > DEEPEST) return `sections are nested more than ${DEEPEST} deep`
    }
  }
  if (open.length > 0) return `{{#${open.at(-1)?.path}}} is not closed`
  if (at < text.length) root.push({ type: 'text', text: text.slice(at) })
  return root
}

function render(parts: readonly Part[], view: ValueView, where: string, rendering: Rendering): void {
  if (++rendering.parts > MOST_PARTS) throw faults.make('R2113', `${where} has more than ${MOST_PARTS} parts to fill in`, { path: where })
  for (const part of parts) {
    if (part.type === 'text') rendering.text += part.text
    else if (part.type === 'value') rendering.text += rendering.show(requiredValue(view, part.path, where))
    else renderSection(part, view, where, rendering)
    if (rendering.text.length > LONGEST) throw faults.make('R2113', `${where} becomes longer than ${LONGEST} characters`, { path: where })
  }
}

function renderSection(part: Part & { readonly type: 'section' | 'without' }, view: ValueView, where: string, rendering: Rendering): void {
  const value = view.find(part.path)
  if (value === undefined || value === 0 || isNothing(value)) {
    if (part.type === 'without') render(part.parts, view, where, rendering)
  } else if (part.type === 'section') {
    for (const item of isList(value) ? value : [value]) render(part.parts, itemView(item, view), where, rendering)
  }
}

/** True for a value that is missing, null, false, an empty text or an empty list. */
export function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === false || value === '' || (isList(value) && value.length === 0)
}

/** Returns a value as a template shows it. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value.startsWith('data:') ? (JSON.parse(displayJson(value)) as string) : value
  if (value === null) return ''
  if (isList(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return displayJson(value)
}
