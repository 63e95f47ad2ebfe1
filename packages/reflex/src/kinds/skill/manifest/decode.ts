import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { type Path, printable, quote, quoteAll, suggest } from '../../../text/index.ts'
import { UNSAFE_NAMES } from '../templates/scope.ts'
import type { Field, Form, TextForm } from './fields.ts'
import type { ManifestReport } from './report.ts'
import type { ManifestRule } from './rules.ts'

/** Keys that begin so are notes of their author, anywhere in a manifest. */
export const NOTE = 'x_'
/** Tags of the protocol between models and skills (reference skill 1.12): no text of a manifest may contain one. */
const PROTOCOL_TAG = /<\/?(?:SKILL_|CLARIFY)/i
/** The most unknown keys of one object that are reported. */
const MOST_UNKNOWN = 20

/**
 * Returns a value with the form of a field, and with the defaults of all fields in it. Reports everything that has another form; in its place is a
 * neutral value, so that the other rules can still be checked. Never throws.
 */
export function decodeForm(form: Form, value: unknown, path: Path, report: ManifestReport, rule?: ManifestRule): Json {
  const decode = DECODERS[form.kind] as (form: Form, value: unknown, at: Place) => Json
  return decode(form, value, { path, report, rule })
}

interface Place {
  readonly path: Path
  readonly report: ManifestReport
  /** The rule of the field. */
  readonly rule: ManifestRule | undefined
}

type Decoders = { readonly [Kind in Form['kind']]: (form: Form & { readonly kind: Kind }, value: unknown, at: Place) => Json }

const DECODERS: Decoders = {
  text: decodeText,
  number: (form, value, at) => {
    if (typeof value !== 'number') return wrong(at, value, form.isWhole === true ? 'a whole number' : 'a number', form.least ?? 0)
    const { isWhole = false, least = Number.NEGATIVE_INFINITY, above = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = form
    if (!Number.isFinite(value) || (isWhole && !Number.isSafeInteger(value)) || value < least || value > most || value <= above)
      return refuse(at, 'E_RANGE', `${nameOf(at.path)} cannot be ${value}`, `write ${boundsOf(form)}`, form.least ?? 1)
    return value === 0 ? 0 : value
  },
  flag: (_, value, at) => (typeof value === 'boolean' ? value : wrong(at, value, 'true or false', false)),
  list: (form, value, at) => {
    if (!isList(value)) return wrong({ ...at, rule: form.rule ?? at.rule }, value, 'a list', [])
    const { least = 0, most } = form
    if (value.length < least || value.length > most)
      refuse(
        at,
        'E_RANGE',
        `${nameOf(at.path)} has ${value.length} entries`,
        `write ${least === 0 ? `at most ${most}` : `${least} to ${most}`}`,
        null,
      )
    return value.slice(0, most).map((item, index) => decodeForm(form.of, item, [...at.path, index], at.report, at.rule))
  },
  map: decodeMap,
  object: (form, value, at) =>
    isObject(value) ? decodeObject(form.fields, value, at) : wrong(at, value, 'an object', decodeMissing(form)),
  json: (form, value, at) => {
    if (form.isObject === true && !isObject(value)) return wrong(at, value, 'an object', {})
    checkJson(value, at)
    return value as Json
  },
  either: (form, value, at) => {
    const chosen = form.forms.find((one) => fits(one, value))
    if (chosen === undefined) return refuse(at, 'E_TYPE', `${nameOf(at.path)} must be ${form.what}`, `write ${form.what}`, null)
    return decodeForm(chosen, value, at.path, at.report, at.rule)
  },
}

function decodeText(form: TextForm, value: unknown, at: Place): Json {
  if (typeof value !== 'string') return wrong(at, value, form.words === undefined ? (form.what ?? 'a text') : quoteAll(form.words, 20), '')
  if (form.words !== undefined) {
    if (form.words.includes(value)) return value
    const guess = suggest(value, form.words)
    const fix = guess === undefined ? `write one of ${quoteAll(form.words, 20)}` : `write ${quote(guess)}`
    return refuse(at, 'E_ENUM', `${nameOf(at.path)} cannot be ${quote(value)}`, fix, '', guess)
  }
  const length = value.normalize('NFC').length
  const { least = 0, most, pattern, what = 'a text' } = form
  if (length > most || length < least)
    return refuse(
      at,
      'E_RANGE',
      `${nameOf(at.path)} has ${length} characters`,
      `write ${least > 0 ? `${least} to ${most}` : `at most ${most}`}`,
      '',
    )
  if (pattern?.test(value) === false) return refuse(at, 'E_TYPE', `${nameOf(at.path)} cannot be ${quote(value)}`, `write ${what}`, '')
  if (value.split('.').some((segment) => UNSAFE_NAMES.has(segment)) && pattern !== undefined)
    return refuse(at, 'E_KEY', `${nameOf(at.path)} cannot be ${quote(value)}`, 'use another name', '')
  const isHarmless = value.isWellFormed() && (form.isProse !== true || (printable(value) === value && !PROTOCOL_TAG.test(value)))
  if (!isHarmless)
    return refuse(
      { ...at, rule: undefined },
      'E_TEXT',
      `${nameOf(at.path)} has a control character or a tag of the protocol`,
      'write plain text in one line',
      '',
    )
  return value
}

function decodeMap(form: Form & { readonly kind: 'map' }, value: unknown, at: Place): Json {
  if (!isObject(value)) return wrong(at, value, 'an object', {})
  const result: Record<string, Json> = {}
  const entries = Object.entries(value)
  if (entries.length > form.most)
    refuse(at, 'E_RANGE', `${nameOf(at.path)} has ${entries.length} entries`, `write at most ${form.most}`, null)
  for (const [key, inner] of entries.slice(0, form.most)) {
    const path = [...at.path, key]
    if (UNSAFE_NAMES.has(key)) at.report.addForm('E_KEY', path, `${quote(key)} cannot be a key`, 'rename it', { part: 'key' })
    else if (form.keys?.test(key) === false || key.split('.').some((segment) => UNSAFE_NAMES.has(segment)))
      at.report.addForm('E_BINDING', path, `${quote(key)} is no path that a skill can write`, 'write a path such as work.image_tag', {
        part: 'key',
      })
    else {
      const decoded = decodeForm(form.of, inner, path, at.report, at.rule)
      if (!at.report.isBroken(path)) result[key] = decoded
    }
  }
  return result
}

/** Returns the fields of an object with their defaults. A field without a value and without a default is absent. */
function decodeObject(fields: Readonly<Record<string, Field>>, value: JsonObject, { path, report }: Place): JsonObject {
  reportUnknown(fields, value, path, report)
  const result: Record<string, Json> = {}
  for (const [key, field] of Object.entries(fields)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    if (given !== undefined) result[key] = decodeGiven(field, given, [...path, key], report)
    else if (field.isRequired === true) {
      report.addForm(
        'E_REQUIRED',
        [...path, key],
        `${nameOf(path)} has no ${quote(key)}`,
        `add ${quote(key)}: ${field.about.toLowerCase()}`,
      )
      result[key] = decodeMissing(field.form)
    } else if (field.fallback !== undefined) {
      result[key] =
        field.form.kind === 'object'
          ? decodeObject(field.form.fields, field.fallback as JsonObject, { path: [...path, key], report, rule: undefined })
          : field.fallback
    }
  }
  return result
}

/** Returns the value of a field. A value without its form has the default in its place, so that it breaks no further rule. */
function decodeGiven(field: Field, given: Json, path: Path, report: ManifestReport): Json {
  const value = decodeForm(field.form, given, path, report, field.rule)
  return field.fallback !== undefined && field.form.kind !== 'object' && report.isRefused(path) ? field.fallback : value
}

/** Returns the neutral value of a form, for a part that is missing or has another form. */
function decodeMissing(form: Form): Json {
  switch (form.kind) {
    case 'text':
      return ''
    case 'number':
      return form.least ?? 1
    case 'flag':
      return false
    case 'list':
      return []
    case 'object':
      return Object.fromEntries(
        Object.entries(form.fields).flatMap(([key, field]): [string, Json][] => {
          if (field.isRequired !== true && field.fallback === undefined) return []
          return [[key, field.form.kind === 'object' || field.fallback === undefined ? decodeMissing(field.form) : field.fallback]]
        }),
      )
    default:
      return {}
  }
}

function reportUnknown(fields: Readonly<Record<string, Field>>, value: JsonObject, path: Path, report: ManifestReport): void {
  const known = Object.keys(fields)
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key) && !key.startsWith(NOTE))
  for (const key of unknown.slice(0, MOST_UNKNOWN)) {
    const rule = UNSAFE_NAMES.has(key) ? 'E_KEY' : 'E_UNKNOWN_FIELD'
    const guess = suggest(
      key,
      known.filter((name) => !Object.hasOwn(value, name)),
    )
    const fix =
      guess === undefined
        ? `remove it, or write x_${key.slice(0, 40)} for a note; known here: ${quoteAll(known, 12)}`
        : `write ${quote(guess)}`
    report.addForm(rule, [...path, key], `${nameOf(path)} has no field ${quote(key)}`, fix, { part: 'key', guess })
  }
}

/** Finds keys and texts in free JSON that nothing can store safely. */
function checkJson(value: unknown, at: Place): void {
  if (typeof value === 'string' && !value.isWellFormed())
    at.report.addForm('E_TEXT', at.path, `${nameOf(at.path)} has half a character`, 'write the whole character', {})
  if (isList(value)) value.forEach((item, index) => checkJson(item, { ...at, path: [...at.path, index] }))
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const path = [...at.path, key]
      if (UNSAFE_NAMES.has(key)) at.report.addForm('E_KEY', path, `${quote(key)} cannot be a key`, 'rename it', { part: 'key' })
      else checkJson(inner, { ...at, path })
    }
  }
}

/** True for a value of the kind that a form is for. Objects are told apart by their required fields. */
function fits(form: Form, value: unknown): boolean {
  if (form.kind === 'text') return typeof value === 'string'
  if (form.kind === 'list') return isList(value)
  if (form.kind !== 'object' || !isObject(value)) return false
  return Object.entries(form.fields).every(([key, field]) => field.isRequired !== true || Object.hasOwn(value, key))
}

function wrong(at: Place, value: unknown, expected: string, neutral: Json): Json {
  return refuse(at, 'E_TYPE', `${nameOf(at.path)} must be ${expected}, not ${typeOf(value)}`, `write ${expected}`, neutral)
}

function refuse({ path, report, rule }: Place, ours: ManifestRule, message: string, fix: string, neutral: Json, guess?: string): Json {
  report.addForm(rule ?? ours, path, message, fix, { guess })
  return neutral
}

function boundsOf({ isWhole, least, above, most }: Form & { readonly kind: 'number' }): string {
  const noun = isWhole === true ? 'a whole number' : 'a number'
  const low = above === undefined ? (least === undefined ? '' : ` from ${least}`) : ` above ${above}`
  return `${noun}${low}${most === undefined ? '' : ` to ${most}`}`
}

function typeOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Returns the last names of a path for messages: `steps[0].tool`. */
export function nameOf(path: Path): string {
  if (path.length === 0) return 'the manifest'
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${printable(step).slice(0, 80)}`)).join('')
}
