import { el } from './dom.js'
import { frameOf } from './field-frame.js'
import { isList } from './value.js'
/** @import { Json, JsonObject } from './documents.ts' */
/** @import { Field, FieldPlace } from './field-frame.js' */

/**
 * Returns the field of a list: one field for each item, and buttons that add and remove items.
 * @param {JsonObject} schema
 * @param {FieldPlace} place
 * @param {(label: string, initial?: Json) => Field} itemField
 * @returns {Field}
 */
export function listField(schema, place, itemField) {
  const frame = frameOf(schema, place, 'fieldset')
  /** @type {{ readonly field: Field, readonly row: HTMLElement }[]} */
  const items = []
  const name = place.label || 'the list'
  const rows = el('ol', { class: 'items' })
  const addButton = el('button', { type: 'button', class: 'quiet', click: () => add().focus() }, `Add to ${name}`)

  /** @param {Json} [initial] */
  const add = (initial) => {
    const at = items.length
    const field = itemField(`${at + 1}`, initial)
    const row = rowOf(field, `Remove item ${at + 1} of ${name}`, () => remove(at))
    items.push({ field, row })
    rows.append(row)
    frame.show(undefined)
    return field
  }
  /** @param {number} at */
  const remove = (at) => {
    restore(items.map(({ field }) => field.draft()).toSpliced(at, 1))
    const next = items[at] ?? items[at - 1]
    if (next === undefined) addButton.focus()
    else next.field.focus()
  }
  /** @param {readonly Json[]} drafts */
  const restore = (drafts) => {
    for (const { row } of items.splice(0)) row.remove()
    for (const draft of drafts) add().restore(draft)
  }

  frame.element.classList.add('group')
  if (place.label !== '') frame.element.append(el('legend', {}, ...frame.name))
  if (frame.hintElement !== undefined) frame.element.append(frame.hintElement)
  frame.element.append(rows, addButton, frame.problem)
  const initial = isList(schema['default']) ? schema['default'] : Array.from({ length: Number(schema['minItems'] ?? 0) }, () => undefined)
  for (const value of initial) add(value)
  return {
    element: frame.element,
    read() {
      const readings = items.map(({ field }) => field.read())
      const wrong = readings.find((reading) => 'problem' in reading)
      if (wrong !== undefined) return wrong
      if (items.length === 0 && !place.required) return { none: true }
      return { value: readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])) }
    },
    show([at, ...rest], message) {
      const item = typeof at === 'number' ? items[at] : undefined
      if (item !== undefined) return item.field.show(rest, message)
      frame.show(message)
      if (message === undefined) for (const { field } of items) field.show([], undefined)
    },
    focus: () => (items[0]?.field.focus ?? (() => addButton.focus()))(),
    draft: () => items.map(({ field }) => field.draft()),
    restore(draft) {
      if (isList(draft)) restore(draft)
    },
  }
}

/**
 * @param {Field} field
 * @param {string} label The name of the button, which says what it removes
 * @param {() => void} onRemove
 */
function rowOf({ element }, label, onRemove) {
  return el('li', {}, element, el('button', { type: 'button', class: 'quiet', 'aria-label': label, click: onRemove }, 'Remove'))
}
