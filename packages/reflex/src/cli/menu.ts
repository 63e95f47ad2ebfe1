import type { Key } from './world.ts'

/** A line of a menu. */
export interface MenuItem<Value> {
  readonly value: Value
  readonly label: string
  readonly detail?: string | undefined
  /** The key that selects it. */
  readonly key?: string | undefined
}

/** A menu with the index of the selected line. A key gives a new menu or an end. */
export interface Menu<Value> {
  readonly items: readonly MenuItem<Value>[]
  readonly selected: number
}

export type MenuStep<Value> = { readonly menu: Menu<Value> } | { readonly chosen: Value } | { readonly left: true }

/**
 * Returns the effect of a key: arrows, tab, a digit, a line's own key or its first letter select; enter chooses; escape
 * leaves.
 */
export function pressMenu<Value>(menu: Menu<Value>, key: Key): MenuStep<Value> {
  const { items, selected } = menu
  const move = (by: number): MenuStep<Value> => ({ menu: { items, selected: (selected + by + items.length) % items.length } })
  switch (key.name) {
    case 'up':
      return move(-1)
    case 'down':
      return move(1)
    case 'tab':
      return move(1)
    case 'home':
      return { menu: { items, selected: 0 } }
    case 'end':
      return { menu: { items, selected: items.length - 1 } }
    case 'escape':
      return { left: true }
    case 'return':
    case 'enter': {
      const item = items[selected]
      return item === undefined ? { left: true } : { chosen: item.value }
    }
    default:
      return { menu: { items, selected: lineFor(menu, key.text) } }
  }
}

/** Returns the line that a key, its number or its first letter names; else the selected line. */
function lineFor<Value>({ items, selected }: Menu<Value>, text: string): number {
  if (text.trim() === '') return selected
  const keyed = items.findIndex(({ key }) => key?.toLowerCase() === text.toLowerCase())
  if (keyed >= 0) return keyed
  const number = /^[1-9]$/.test(text) ? Number(text) - 1 : -1
  if (items[number] !== undefined) return number
  const begins = (index: number): boolean => items[index]?.label.toLowerCase().startsWith(text.toLowerCase()) === true
  const order = items.map((_, i) => (selected + 1 + i) % items.length)
  return order.find(begins) ?? selected
}

/** A line of text that is being typed; the cursor stands after `before`. */
export interface Line {
  readonly before: string
  readonly after: string
}

export type LineStep = { readonly line: Line } | { readonly entered: string } | { readonly left: true }

/** Returns the effect of a key on a line of text: the common keys of a shell. */
export function pressLine(line: Line, key: Key): LineStep {
  const { before, after } = line
  const at = (left: string, right: string): LineStep => ({ line: { before: left, after: right } })
  switch (key.ctrl ? `ctrl-${key.name}` : key.name) {
    case 'return':
    case 'enter':
      return { entered: before + after }
    case 'escape':
      return { left: true }
    case 'backspace':
    case 'ctrl-h':
      return at(withoutLast(before), after)
    case 'delete':
      return at(before, withoutFirst(after))
    case 'left':
      return at(withoutLast(before), lastOf(before) + after)
    case 'right':
      return at(before + firstOf(after), withoutFirst(after))
    case 'home':
    case 'ctrl-a':
      return at('', before + after)
    case 'end':
    case 'ctrl-e':
      return at(before + after, '')
    case 'ctrl-u':
      return at('', after)
    case 'ctrl-k':
      return at(before, '')
    case 'ctrl-w':
      return at(before.replace(/\S+\s*$/, ''), after)
    case 'ctrl-d':
      return before + after === '' ? { left: true } : at(before, withoutFirst(after))
    default:
      return key.ctrl ? { line } : at(before + typed(key.text), after)
  }
}

/** Returns the text that a key or a paste adds; a control character adds nothing. */
function typed(text: string): string {
  return text.replace(/[\r\n\t]/g, ' ').replace(/[\u0000-\u001f\u007f]/g, '')
}

const LETTERS = new Intl.Segmenter()

/** Returns the letters of a text as people see them: an accent is a part of its letter, and a flag is one letter. */
function letters(text: string): string[] {
  return Array.from(LETTERS.segment(text), ({ segment }) => segment)
}

const firstOf = (text: string): string => letters(text)[0] ?? ''
const lastOf = (text: string): string => letters(text).at(-1) ?? ''
const withoutFirst = (text: string): string => letters(text).slice(1).join('')
const withoutLast = (text: string): string => letters(text).slice(0, -1).join('')
