import { el } from './dom.js'
import { frameOf } from './field-frame.js'
import { isObject } from './value.js'
/** @import { Json, JsonObject } from './documents.ts' */
/** @import { Field, FieldPlace, Reading } from './field-frame.js' */

/**
 * Returns the field of an object: the fields of its properties. An empty label is that of the whole answer, which needs no border.
 * @param {JsonObject} schema
 * @param {FieldPlace} place
 * @param {readonly (readonly [key: string, field: Field])[]} fields
 * @returns {Field}
 */
export function groupField(schema, place, fields) {
  const frame = frameOf(schema, place, 'fieldset')
  frame.element.classList.add(place.label === '' ? 'whole' : 'group')
  if (place.label !== '') frame.element.append(el('legend', {}, ...frame.name))
  if (frame.hintElement !== undefined) frame.element.append(frame.hintElement)
  frame.element.append(...fields.map(([, { element }]) => element), frame.problem)
  return {
    element: frame.element,
    read: () => readAll(fields, place.required),
    show([key, ...rest], message) {
      const found = fields.find(([name]) => name === key)
      if (found !== undefined) return found[1].show(rest, message)
      frame.show(message)
      if (message === undefined) for (const [, field] of fields) field.show([], undefined)
    },
    focus: () => fields[0]?.[1].focus(),
    draft: () => Object.fromEntries(fields.map(([key, field]) => [key, field.draft()])),
    restore(draft) {
      if (isObject(draft)) for (const [key, field] of fields) field.restore(draft[key] ?? null)
    },
  }
}

/**
 * Returns an object; none for an optional one of which nothing was filled in.
 * @param {readonly (readonly [key: string, field: Field])[]} fields
 * @param {boolean} required
 * @returns {Reading}
 */
function readAll(fields, required) {
  const readings = fields.map(([key, field]) => /** @type {const} */ ([key, field.read()]))
  const values = readings.flatMap(([key, reading]) => ('value' in reading ? [/** @type {const} */ ([key, reading.value])] : []))
  if (values.length === 0 && !required) return { none: true }
  const wrong = readings.map(([, reading]) => reading).find((reading) => 'problem' in reading)
  return wrong ?? { value: Object.fromEntries(values) }
}
