import { printable } from '../../../text/index.ts'

/** The most characters of a value in an error (reference tree 0.3). */
const MAX_PREVIEW = 100
const NOT_SHOWN = 'a value that cannot be shown'

/**
 * Returns the beginning of any value as text of at most 100 characters. Never throws, and reads no more of the value than it shows: the value
 * may be huge, have a cycle, or have getters that throw.
 */
export function valuePreview(value: unknown): string {
  try {
    const draft = { text: '' }
    append(value, draft)
    const shown = draft.text.length > MAX_PREVIEW ? `${draft.text.slice(0, MAX_PREVIEW - 1)}…` : draft.text
    return printable(shown)
  } catch {
    return NOT_SHOWN
  }
}

/** Appends a value until the text is long enough. Every level adds a character, so the depth is bounded too. */
function append(value: unknown, draft: { text: string }): void {
  if (typeof value === 'string') draft.text += JSON.stringify(value.slice(0, MAX_PREVIEW + 1))
  else if (typeof value !== 'object' || value === null) draft.text += typeof value === 'function' ? `function ${value.name}` : String(value)
  else if (Array.isArray(value)) appendList(value, draft)
  else appendObject(value, draft)
}

function appendList(list: readonly unknown[], draft: { text: string }): void {
  draft.text += '['
  for (let i = 0; i < list.length && draft.text.length <= MAX_PREVIEW; i++) {
    if (i > 0) draft.text += ','
    append(list[i], draft)
  }
  draft.text += ']'
}

function appendObject(object: object, draft: { text: string }): void {
  const type = typeOf(object)
  draft.text += type === 'dict' ? '{' : `${type} {`
  let isFirst = true
  for (const key in object) {
    if (draft.text.length > MAX_PREVIEW) break
    if (!Object.hasOwn(object, key)) continue
    draft.text += `${isFirst ? '' : ','}${JSON.stringify(key.slice(0, MAX_PREVIEW))}:`
    isFirst = false
    append(Reflect.get(object, key), draft)
  }
  draft.text += '}'
}

/** Returns the type of any value by the names of schemas, and by the name of its class if it is not JSON. Never throws. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float'
    case 'object':
      return typeOfObject(value)
    default:
      return typeof value
  }
}

function typeOfObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'list'
    const proto: unknown = Object.getPrototypeOf(value)
    if (proto === null || proto === Object.prototype || Object.getPrototypeOf(proto) === null) return 'dict'
    return value.constructor.name || 'object'
  } catch {
    return 'object'
  }
}
