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
/** A line that holds nothing but the beginning or end of a section leaves no empty line behind. */
const SECTION_LINE = /^[ \t]*(\{\{[#^/][^{}]*\}\})[ \t]*(?:\r?\n|$)/gm
const DEEPEST = 16
const LONGEST = 1_000_000
/** Sections inside sections may write nothing and still never end. */
const MOST_PARTS = 1_000_000

/** What a template has become so far. */
interface Rendering {
  text: string
  parts: number
  readonly show: (value: Json) => string
}

/** What is wrong with a template, or undefined. */
export function templateProblem(text: string): string | undefined {
  const parts = parse(text)
  if (typeof parts === 'string') return parts
  const unclosed = /\{\{[#^/]?\s*[\w.-]*/.exec(text.replace(TAG, ''))
  return unclosed === null ? undefined : `${unclosed[0]} is never ended with }}`
}

/** A name that a template looks up. What a section asks for may be missing, and so may what stands inside one. */
export interface TemplateRead {
  readonly path: string
  readonly optional: boolean
  /** It stands in a section, whose items are looked up first. */
  readonly ofItem: boolean
}

/** The names that a template looks up, in their order; one that cannot be read has none. */
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
 * Fills a template. `{{path}}` is a value; `{{#path}}…{{/path}}` stands once for each item of a list (names are looked up
 * in the item first, `{{.}}` is the item itself), once for any other value, and not at all for a value that is missing,
 * null, false, 0, empty text or an empty list; `{{^path}}…{{/path}}` stands exactly then. What is filled in is never read as
 * a template. Throws `R2110` for a value that is missing.
 */
export function fill(text: string, view: ValueView, where: string, show: (value: Json) => string = valueText): string {
  const parts = parse(text)
  if (typeof parts === 'string') throw faults.make('R2100', `${where}: ${parts}`, { path: where })
  const rendering = { text: '', parts: 0, show }
  render(parts, view, where, rendering)
  return rendering.text
}

/** Whether a text has something to fill in. */
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
    if (path === '') return `${whole} names no value`
    if (sign === '') parts.push({ type: 'value', path })
    else if (sign === '/') {
      if (open.pop()?.path !== path) return `${whole} ends no section that is open`
    } else {
      const inner: Part[] = []
      parts.push({ type: sign === '#' ? 'section' : 'without', path, parts: inner })
      open.push({ path, parts: inner })
      if (open.length > DEEPEST) return `sections lie more than ${DEEPEST} deep`
    }
  }
  if (open.length > 0) return `{{#${open.at(-1)?.path}}} is never ended`
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

/** Missing, null, false, empty text or an empty list. */
export function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === false || value === '' || (isList(value) && value.length === 0)
}

/** A value as a template shows it. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value.startsWith('data:') ? (JSON.parse(displayJson(value)) as string) : value
  if (value === null) return ''
  if (isList(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return displayJson(value)
}
