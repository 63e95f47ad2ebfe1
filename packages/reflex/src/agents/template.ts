import { isList, type Json } from '../kernel/index.ts'
import { shownJson } from '../text/index.ts'
import { faults } from './faults.ts'
import { need, type View, within } from './lookup.ts'

/** A part of a template: text, a value, or a section with parts of its own. */
type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'value'; readonly path: string }
  | { readonly is: 'section' | 'without'; readonly path: string; readonly parts: readonly Part[] }

const TAG = /\{\{([#^/]?)([^{}]*)\}\}/g
/** A line that holds nothing but the beginning or end of a section leaves no empty line behind. */
const ALONE = /^[ \t]*(\{\{[#^/][^{}]*\}\})[ \t]*(?:\r?\n|$)/gm
const DEEPEST = 16
const LONGEST = 1_000_000
/** Sections inside sections may write nothing and still never end. */
const MOST_PARTS = 1_000_000

/** What a template has become so far. */
interface Made {
  text: string
  parts: number
  readonly show: (value: Json) => string
}

/** What is wrong with a template, or undefined. */
export function templateProblem(text: string): string | undefined {
  const parts = parse(text)
  if (typeof parts === 'string') return parts
  const begun = /\{\{[#^/]?\s*[\w.-]*/.exec(text.replace(TAG, ''))
  return begun === null ? undefined : `${begun[0]} is never ended with }}`
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

function readsOfParts(parts: readonly Part[], inside: Omit<TemplateRead, 'path'>): TemplateRead[] {
  return parts.flatMap((part) => {
    if (part.is === 'text' || part.path === '.') return []
    if (part.is === 'value') return [{ path: part.path, ...inside }]
    const ofItem = inside.ofItem || part.is === 'section'
    return [{ path: part.path, optional: true, ofItem: inside.ofItem }, ...readsOfParts(part.parts, { optional: true, ofItem })]
  })
}

/**
 * Fills a template. `{{path}}` is a value; `{{#path}}…{{/path}}` stands once for each item of a list (names are looked up
 * in the item first, `{{.}}` is the item itself), once for any other value, and not at all for a value that is missing,
 * null, false, 0, empty text or an empty list; `{{^path}}…{{/path}}` stands exactly then. What is filled in is never read as
 * a template. Throws `R2110` for a value that is missing.
 */
export function fill(text: string, view: View, where: string, show: (value: Json) => string = shown): string {
  const parts = parse(text)
  if (typeof parts === 'string') throw faults.make('R2100', `${where}: ${parts}`, { path: where })
  const made = { text: '', parts: 0, show }
  render(parts, view, where, made)
  return made.text
}

/** Whether a text has something to fill in. */
export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

function parse(source: string): readonly Part[] | string {
  const text = source.replace(ALONE, '$1')
  const root: Part[] = []
  const open: { readonly path: string; readonly parts: Part[] }[] = []
  let at = 0
  for (const match of text.matchAll(TAG)) {
    const [whole, sign, name = ''] = match
    const path = name.trim()
    const parts = open.at(-1)?.parts ?? root
    if (match.index > at) parts.push({ is: 'text', text: text.slice(at, match.index) })
    at = match.index + whole.length
    if (path === '') return `${whole} names no value`
    if (sign === '') parts.push({ is: 'value', path })
    else if (sign === '/') {
      if (open.pop()?.path !== path) return `${whole} ends no section that is open`
    } else {
      const inner: Part[] = []
      parts.push({ is: sign === '#' ? 'section' : 'without', path, parts: inner })
      open.push({ path, parts: inner })
      if (open.length > DEEPEST) return `sections lie more than ${DEEPEST} deep`
    }
  }
  if (open.length > 0) return `{{#${open.at(-1)?.path}}} is never ended`
  if (at < text.length) root.push({ is: 'text', text: text.slice(at) })
  return root
}

function render(parts: readonly Part[], view: View, where: string, made: Made): void {
  if (++made.parts > MOST_PARTS) throw faults.make('R2113', `${where} has more than ${MOST_PARTS} parts to fill in`, { path: where })
  for (const part of parts) {
    if (part.is === 'text') made.text += part.text
    else if (part.is === 'value') made.text += made.show(need(view, part.path, where))
    else section(part, view, where, made)
    if (made.text.length > LONGEST) throw faults.make('R2113', `${where} becomes longer than ${LONGEST} characters`, { path: where })
  }
}

function section(part: Part & { readonly is: 'section' | 'without' }, view: View, where: string, made: Made): void {
  const value = view.find(part.path)
  if (value === undefined || value === 0 || isNothing(value)) {
    if (part.is === 'without') render(part.parts, view, where, made)
  } else if (part.is === 'section') {
    for (const item of isList(value) ? value : [value]) render(part.parts, within(item, view), where, made)
  }
}

/** Missing, null, false, empty text or an empty list. */
export function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === false || value === '' || (isList(value) && value.length === 0)
}

/** A value as a template shows it. */
export function shown(value: Json): string {
  if (typeof value === 'string') return value.startsWith('data:') ? (JSON.parse(shownJson(value)) as string) : value
  if (value === null) return ''
  if (isList(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return shownJson(value)
}
