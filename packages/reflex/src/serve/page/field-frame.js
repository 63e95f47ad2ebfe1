import { el, newId } from './dom.js'
/** @import { Json, JsonObject } from './documents.ts' */

/**
 * The value of a field: a value, none (an optional field that is empty), or what is wrong with it.
 * @typedef {{ readonly value: Json } | { readonly none: true } | { readonly problem: string, readonly at: Field }} Reading
 */

/**
 * A part of a form, made from a schema.
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => Reading} read
 * @property {(path: readonly (string | number)[], message: string | undefined) => void} show Shows a problem at the field of a path, or removes it
 * @property {() => void} focus
 * @property {() => Json} draft The typed text, for a reload of the page
 * @property {(draft: Json) => void} restore
 */

/**
 * The place of a field in its form.
 * @typedef {object} FieldPlace
 * @property {string} label
 * @property {boolean} required
 */

/**
 * Returns the parts that are the same for every field with one control: label, hint, and the message about a problem.
 * @param {JsonObject} schema
 * @param {FieldPlace} place
 * @param {'div' | 'fieldset'} tag
 */
export function frameOf(schema, { label, required }, tag) {
  const [hintId, problemId] = [newId(), newId()]
  const { description } = schema
  const hint = [typeof description === 'string' ? description : '', limitsOf(schema)].filter((text) => text !== '').join('. ')
  const name = [label, required ? '' : el('span', { class: 'optional' }, ' optional')]
  const problem = el('p', { class: 'problem', id: problemId, hidden: true })
  const described = hint === '' ? problemId : `${hintId} ${problemId}`
  const hintElement = hint === '' ? undefined : el('p', { class: 'hint', id: hintId }, hint)
  const element = el(tag, { class: 'field' })
  return {
    element,
    name,
    hintElement,
    problem,
    described,
    /** @param {string | undefined} message */
    show(message) {
      problem.hidden = message === undefined
      problem.textContent = message ?? ''
      element.classList.toggle('wrong', message !== undefined)
      for (const control of element.querySelectorAll('input:not([type=radio]), textarea, select'))
        if (control.getAttribute('aria-describedby') === described) control.setAttribute('aria-invalid', String(message !== undefined))
    },
  }
}

/** @param {JsonObject} schema */
function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, format }) {
  /** @type {(low: Json | undefined, high: Json | undefined, unit: string) => string} */
  const range = (low, high, unit) => {
    const [from, to] = [typeof low === 'number' ? low : undefined, typeof high === 'number' ? high : undefined]
    if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
    return from !== undefined ? `At least ${from}${unit}` : to !== undefined ? `At most ${to}${unit}` : ''
  }
  const parts = [
    range(minimum, maximum, ''),
    range(minLength === 1 ? undefined : minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    format === 'date-time' ? 'A date and time with its zone, such as 2026-11-23T14:02:00Z' : '',
  ]
  return parts.filter((part) => part !== '').join('. ')
}
