import { el, newId } from './dom.js'
import { frameOf } from './field-frame.js'
import { inline, isList, isObject } from './value.js'
/** @import { Json, JsonObject } from './documents.ts' */
/** @import { Field, FieldPlace } from './field-frame.js' */

/**
 * Returns the field of a value that is one of few.
 * @param {JsonObject} schema
 * @param {FieldPlace} place
 * @param {readonly { readonly label: string, readonly value: Json }[]} choices
 * @returns {Field}
 */
export function choiceField(schema, place, choices) {
  return choices.length <= 4 ? radioField(schema, place, choices) : selectField(schema, place, choices)
}

/** @type {typeof choiceField} */
function radioField(schema, place, choices) {
  const frame = frameOf(schema, place, 'fieldset')
  const name = newId()
  const inputs = choices.map((_, i) => el('input', { type: 'radio', name, value: i, 'aria-describedby': frame.described }))
  const none = place.required
    ? undefined
    : el('input', { type: 'radio', name, value: '', 'aria-describedby': frame.described, checked: true })
  const chosen = choices.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(schema['default']))
  const initial = inputs[chosen]
  if (initial !== undefined) initial.checked = true
  const labels = choices.map(({ label }, i) => el('label', { class: 'radio' }, inputs[i], el('span', {}, label)))
  frame.element.append(el('legend', {}, ...frame.name))
  if (frame.hintElement !== undefined) frame.element.append(frame.hintElement)
  const last = none === undefined ? [] : [el('label', { class: 'radio' }, none, el('span', { class: 'optional' }, 'Not given'))]
  frame.element.append(el('div', { class: 'radios' }, ...labels, ...last), frame.problem)
  frame.element.addEventListener('change', () => frame.show(undefined))
  /** @type {Field} */
  const field = {
    element: frame.element,
    read() {
      const found = choices[inputs.findIndex(({ checked }) => checked)]
      if (found !== undefined) return { value: found.value }
      return place.required ? { problem: 'Choose one.', at: field } : { none: true }
    },
    show: (_, message) => frame.show(message),
    focus: () => (inputs.find(({ checked }) => checked) ?? inputs[0])?.focus(),
    draft: () => inputs.findIndex(({ checked }) => checked),
    restore(draft) {
      const input = typeof draft === 'number' ? inputs[draft] : undefined
      if (input !== undefined) input.checked = true
    },
  }
  return field
}

/** @type {typeof choiceField} */
function selectField(schema, place, choices) {
  const frame = frameOf(schema, place, 'div')
  const id = newId()
  const chosen = choices.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(schema['default']))
  const select = el(
    'select',
    { id, 'aria-describedby': frame.described, required: place.required },
    el('option', { value: '' }, place.required ? 'Choose…' : 'Not given'),
    ...choices.map(({ label }, i) => el('option', { value: i, selected: i === chosen }, label)),
  )
  select.addEventListener('change', () => frame.show(undefined))
  frame.element.append(
    ...[el('label', { for: id }, ...frame.name), frame.hintElement, select, frame.problem].filter((one) => one !== undefined),
  )
  /** @type {Field} */
  const field = {
    element: frame.element,
    read() {
      const found = select.value === '' ? undefined : choices[Number(select.value)]
      if (found !== undefined) return { value: found.value }
      return place.required ? { problem: 'Choose one.', at: field } : { none: true }
    },
    show: (_, message) => frame.show(message),
    focus: () => select.focus(),
    draft: () => select.value,
    restore(draft) {
      if (typeof draft === 'string') select.value = draft
    },
  }
  return field
}

/**
 * Returns the values of a schema that lists them, with their names; undefined if it lists none.
 * @param {JsonObject} schema
 * @returns {readonly { readonly label: string, readonly value: Json }[] | undefined}
 */
export function listedValues(schema) {
  const { type, enum: words, const: only, oneOf } = schema
  if (type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ]
  if (isList(words)) return words.map((value) => ({ label: inline(value), value }))
  if (only !== undefined) return [{ label: inline(only), value: only }]
  const named = isList(oneOf) ? oneOf.map((one) => (isObject(one) ? one : {})) : []
  if (named.length === 0 || named.some((one) => one['const'] === undefined)) return undefined
  return named.map(({ title, const: value = null }) => ({ label: inline(title ?? value), value }))
}
