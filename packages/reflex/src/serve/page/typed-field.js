import { el, newId } from './dom.js'
import { frameOf } from './field-frame.js'
/** @import { Json, JsonObject } from './documents.ts' */
/** @import { Field, FieldPlace } from './field-frame.js' */

/**
 * Returns the field of a value that is typed: a text, a number, or JSON for everything that has no field of its own.
 * @param {JsonObject} schema
 * @param {FieldPlace} place
 * @param {'text' | 'number' | 'json'} what
 * @returns {Field}
 */
export function typedField(schema, place, what) {
  const frame = frameOf(schema, place, 'div')
  const id = newId()
  const control = controlOf(schema, what, {
    id,
    'aria-describedby': frame.described,
    required: place.required,
    spellcheck: what === 'text',
  })
  const initial = schema['default']
  if (initial !== undefined) control.value = what === 'text' && typeof initial === 'string' ? initial : JSON.stringify(initial)
  control.addEventListener('input', () => frame.show(undefined))
  const more = what === 'json' ? el('p', { class: 'hint' }, 'JSON') : undefined
  frame.element.append(
    ...[el('label', { for: id }, ...frame.name), frame.hintElement, more, control, frame.problem].filter((one) => one !== undefined),
  )
  /** @type {Field} */
  const field = {
    element: frame.element,
    read() {
      const text = control.value
      const isEmpty = text.trim() === ''
      if (isEmpty && place.required) return { problem: 'Fill this in.', at: field }
      if (isEmpty) return { none: true }
      if (what === 'text') return { value: text }
      if (what === 'number')
        return Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: `“${text}” is not a number.`, at: field }
      try {
        return { value: /** @type {Json} */ (JSON.parse(text)) }
      } catch (thrown) {
        return { problem: `This is not JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}`, at: field }
      }
    },
    show: (_, message) => frame.show(message),
    focus: () => control.focus(),
    draft: () => control.value,
    restore(draft) {
      if (typeof draft === 'string') control.value = draft
    },
  }
  return field
}

const INPUT_TYPES = new Map([
  ['email', 'email'],
  ['uri', 'url'],
  ['date', 'date'],
  ['time', 'time'],
])

/**
 * @param {JsonObject} schema
 * @param {'text' | 'number' | 'json'} what
 * @param {Readonly<Record<string, string | boolean>>} attributes
 */
function controlOf(schema, what, attributes) {
  const { format, maxLength, pattern } = schema
  const isShort = format !== undefined || pattern !== undefined || (typeof maxLength === 'number' && maxLength <= 120)
  if (what === 'json' || (what === 'text' && !isShort))
    return el('textarea', { ...attributes, spellcheck: String(attributes['spellcheck']), rows: what === 'json' ? 4 : 2, class: what })
  // Not type=number: it drops what is no number, changes on a turn of the wheel, and rounds.
  const type = what === 'number' ? 'text' : (INPUT_TYPES.get(typeof format === 'string' ? format : '') ?? 'text')
  return el('input', {
    ...attributes,
    spellcheck: String(attributes['spellcheck']),
    type,
    autocomplete: 'off',
    inputmode: what === 'number' ? 'decimal' : undefined,
  })
}
