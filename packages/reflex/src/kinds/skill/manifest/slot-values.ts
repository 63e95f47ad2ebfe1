import type { Json } from '../../../kernel/index.ts'
import { isSealed } from '../../../policy/index.ts'
import { linearPattern } from '../../../text/index.ts'
import type { Slot, SlotType } from '../model/slot.ts'
import { pathProblem } from '../templates/paths.ts'
import { isVersion } from './semantic-version.ts'

/** A value of a slot, or what is wrong with it. The problem never contains the value: it can be sensitive. */
export type SlotValue = { readonly value: Json } | { readonly problem: string }

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const EMAIL = /^[A-Za-z0-9._%+-]{1,64}@[^@]{1,255}$/
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const IMAGE = /^[a-z0-9][A-Za-z0-9._:/-]{0,400}(?:@sha256:[0-9a-f]{64})?$/
const IMAGE_PATH = /^[a-z0-9]+(?:[._-]{1,2}[a-z0-9]+)*$/
const IMAGE_TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const SECRET = /^[a-z][a-z0-9+.-]{0,20}:\/\/[A-Za-z0-9_][A-Za-z0-9_./#-]{0,200}$/

/** Checks of the text of each type: what is wrong with it, or undefined. */
const TEXTS: Readonly<Partial<Record<SlotType, (text: string) => string | undefined>>> = {
  url: urlProblem,
  path: pathProblem,
  hostname_label: (text) => (LABEL.test(text) ? undefined : 'is not a label of a host name'),
  hostname: (text) => (isHostname(text) ? undefined : 'is not a host name'),
  email: (text) => (EMAIL.test(text) && isHostname(text.slice(text.lastIndexOf('@') + 1)) ? undefined : 'is not an e-mail address'),
  semver: (text) => (isVersion(text) ? undefined : 'is not a semantic version'),
  image_ref: (text) => (isImage(text) ? undefined : 'is not a reference of a container image'),
  uuid: (text) => (UUID.test(text) ? undefined : 'is not a UUID'),
  datetime: (text) =>
    DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : 'is not a date and a time with a time zone (RFC 3339)',
  secret_ref: (text) => (SECRET.test(text) ? undefined : 'is not the name of a secret, such as vault://name'),
}

/**
 * Returns the value of a slot, checked against its type and bounds (reference skill 1.3, 1.11). A number and true or false can be given in their
 * canonical text. Nothing is trimmed or guessed. Never throws; takes time linear in the value.
 */
export function readSlotValue(slot: Slot, given: Json): SlotValue {
  // A sealed value was checked before it was sealed.
  if (slot.sensitive && isSealed(given)) return { value: given }
  if (slot.type === 'json') return { value: given }
  const value = typeof given === 'string' ? fromText(slot.type, given) : given
  const problem = valueProblem(slot, value)
  return problem === undefined ? { value } : { problem }
}

/** Returns what is wrong with a value of a slot; undefined for a valid one. */
export function checkSlotValue(slot: Slot, value: Json): string | undefined {
  const read = readSlotValue(slot, value)
  return 'problem' in read ? read.problem : undefined
}

/** Returns the value that a canonical text stands for; any other text stays. */
function fromText(type: SlotType, text: string): Json {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type !== 'integer' && type !== 'number') return text
  const number = Number(text)
  return text !== '' && Number.isFinite(number) && String(number) === text ? number : text
}

function valueProblem(slot: Slot, value: Json): string | undefined {
  switch (slot.type) {
    case 'integer':
      return Number.isSafeInteger(value) ? boundsProblem(slot, Number(value)) : 'is not a whole number'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? boundsProblem(slot, value) : 'is not a number'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'is not true or false'
    default:
      return typeof value === 'string' ? textProblem(slot, value) : 'is not a text'
  }
}

function boundsProblem({ min, max }: Slot, value: number): string | undefined {
  if (min !== undefined && value < min) return `is less than ${min}`
  return max !== undefined && value > max ? `is more than ${max}` : undefined
}

function textProblem(slot: Slot, text: string): string | undefined {
  const { minLength = 0, maxLength, pattern } = slot
  if (text.length > maxLength) return `has more than ${maxLength} characters`
  if (text.length < minLength) return `has fewer than ${minLength} characters`
  if (!text.isWellFormed()) return 'has half a character'
  if (slot.enum !== undefined && !slot.enum.includes(text)) return 'is not one of the allowed values'
  return TEXTS[slot.type]?.(text) ?? (pattern === undefined ? undefined : patternProblem(pattern, text))
}

/** The pattern matches the whole text, also a text of several lines. */
function patternProblem(pattern: string, text: string): string | undefined {
  const made = linearPattern(wholePattern(pattern))
  return !('problem' in made) && made.test(text) ? undefined : 'does not match the pattern of the slot'
}

/** Returns the pattern that matches a whole text. */
export function wholePattern(pattern: string): string {
  return `\\A(?:${pattern})\\z`
}

function urlProblem(text: string): string | undefined {
  if (/[\s\\<>"`\p{Cc}]/u.test(text)) return 'is not a URL'
  try {
    const { protocol, username, password, hostname } = new URL(text)
    if (protocol !== 'https:' && protocol !== 'http:') return 'is not a URL that begins with https:// or http://'
    if (username !== '' || password !== '') return 'has a user or a password in the URL'
    return hostname === '' ? 'is a URL without a host' : undefined
  } catch {
    return 'is not a URL'
  }
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label))
}

function isImage(text: string): boolean {
  if (!IMAGE.test(text)) return false
  const [name = ''] = text.split('@', 1)
  const parts = name.split('/')
  const [first = ''] = parts
  const hasHost = parts.length > 1 && /[.:]|^localhost$/.test(first)
  const path = hasHost ? parts.slice(1) : parts
  const [repository = '', tag, more] = (path.pop() ?? '').split(':')
  const isHost = !hasHost || (isHostname(first.replace(/:\d{1,5}$/, '')) && first.split(':').length <= 2)
  return (
    isHost &&
    more === undefined &&
    (tag === undefined || IMAGE_TAG.test(tag)) &&
    [...path, repository].every((part) => IMAGE_PATH.test(part))
  )
}
