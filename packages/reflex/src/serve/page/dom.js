/** @typedef {string | number | Node | undefined | false} Child */
/** @typedef {string | number | boolean | undefined | ((event: Event) => void)} Attribute */

/**
 * Returns an element. A function is a listener, `true` an empty attribute, `undefined` and `false` none. Texts become text nodes: nothing
 * that comes from a run is ever read as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, Attribute>>} [attributes]
 * @param {readonly Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...nodesOf(children))
  return made
}

/**
 * Replaces the content of an element.
 * @param {Element} element
 * @param {readonly Child[]} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodesOf(children))
}

/**
 * @param {readonly Child[]} children
 * @returns {(string | Node)[]}
 */
function nodesOf(children) {
  return children.flatMap((child) => {
    if (child === undefined || child === false) return []
    return [child instanceof Node ? child : visible(String(child))]
  })
}

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|\p{Surrogate}/gu

/**
 * Makes characters visible that would hide or reorder text: control characters become their pictures, direction marks `�`.
 * @param {string} text
 */
export function visible(text) {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (char) => {
    const code = char.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
  })
}

let made = 0

/** Returns an id that no other element has. */
export function newId() {
  return `e${++made}`
}

/**
 * Returns an element of the document. Throws if it is not there.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element ${id}`)
  return found
}
