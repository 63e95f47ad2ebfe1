import { diffElement, isDiff } from './diff.js'
import { el } from './dom.js'
/** @import { Json, JsonObject } from './documents.ts' */

/** Texts with more lines are shown in part at first. */
const MOST_LINES = 12
const MOST_DIFF_LINES = 60
const MOST_CHARACTERS = 1_200

/**
 * Returns named values: short ones beside their names, long ones and diffs below.
 * @param {Json} value
 * @returns {HTMLElement}
 */
export function factsElement(value) {
  if (!isObject(value)) return el('div', { class: 'facts' }, valueElement(value))
  return el(
    'dl',
    { class: 'facts' },
    ...Object.entries(value).map(([key, inner]) =>
      el('div', { class: isShort(inner) ? 'fact' : 'fact long' }, el('dt', {}, key), el('dd', {}, valueElement(inner ?? null))),
    ),
  )
}

/**
 * @param {Json} value
 * @returns {HTMLElement}
 */
function valueElement(value) {
  if (typeof value === 'string' && isDiff(value)) return cut(diffElement(value), value, MOST_DIFF_LINES)
  if (typeof value === 'string') return isShort(value) ? el('span', {}, value) : cut(el('p', { class: 'text' }, value), value)
  if (typeof value === 'number' || typeof value === 'boolean') return el('span', {}, String(value))
  if (isShort(value)) return el('code', {}, JSON.stringify(value))
  // An object of short values reads better as a table than as JSON.
  if (isObject(value) && Object.values(value).every(isShort) && Object.keys(value).length <= MOST_LINES) return factsElement(value)
  const text = JSON.stringify(value, undefined, 2)
  return cut(el('pre', {}, text), text)
}

/**
 * Returns an element that is shown in part if its text is long, with a button for the rest.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {number} [most]
 * @returns {HTMLElement}
 */
function cut(element, text, most = MOST_LINES) {
  const lines = text.split('\n').length
  if (lines <= most && (most === MOST_DIFF_LINES || text.length <= MOST_CHARACTERS)) return element
  element.classList.add('cut')
  const button = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-expanded': 'false',
      click() {
        const isCut = element.classList.toggle('cut')
        button.setAttribute('aria-expanded', String(!isCut))
        button.textContent = isCut ? more : 'Show less'
      },
    },
    '',
  )
  const more = lines > most ? `Show all ${lines} lines` : 'Show the whole text'
  button.textContent = more
  return el('div', {}, element, button)
}

/** @param {Json | undefined} value */
function isShort(value) {
  if (typeof value === 'string') return value.length <= 80 && !value.includes('\n')
  return JSON.stringify(value ?? null).length <= 60
}

/**
 * Returns a value in a line of text: a text as it is, anything else as JSON.
 * @param {Json | undefined} value
 * @param {number} [most]
 */
export function inline(value, most = 120) {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

/**
 * True for a list of JSON. `Array.isArray` makes it a list of anything.
 * @param {unknown} value
 * @returns {value is readonly Json[]}
 */
export function isList(value) {
  return Array.isArray(value)
}

/**
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
