import type { Json } from '../../../kernel/index.ts'
import type { Field, Form } from './fields.ts'
import { MANIFEST } from './table.ts'

/** A field of a manifest in words, for its page and for `reflex explain`. */
export interface FieldRow {
  /** `plan.steps[].timeout_ms`; an entry of a map is `.*`. */
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly fallback: Json | undefined
  /** The rule that a wrong value breaks, if it has one of its own. */
  readonly rule: string | undefined
  readonly about: string
}

/** Returns the fields of a manifest in the order of the table. */
export function fieldRows(): readonly FieldRow[] {
  return rowsOf(MANIFEST.fields, '')
}

function rowsOf(fields: Readonly<Record<string, Field>>, at: string): FieldRow[] {
  return Object.entries(fields).flatMap(([key, { form, isRequired = false, fallback, rule, about }]) => {
    const path = at === '' ? key : `${at}.${key}`
    return [{ path, type: typeOf(form), isRequired, fallback, rule, about }, ...inside(form, path)]
  })
}

function inside(form: Form, path: string): FieldRow[] {
  if (form.kind === 'object') return rowsOf(form.fields, path)
  if (form.kind === 'list') return inside(form.of, `${path}[]`)
  if (form.kind === 'map') return inside(form.of, `${path}.*`)
  return form.kind === 'either' ? form.forms.flatMap((one) => inside(one, path)) : []
}

function typeOf(form: Form): string {
  switch (form.kind) {
    case 'text':
      return form.words === undefined
        ? (form.what ?? `text, at most ${form.most} characters`)
        : `one of ${form.words.map((word) => `"${word}"`).join(', ')}`
    case 'number': {
      const low = form.least === undefined ? (form.above === undefined ? '' : ` above ${form.above}`) : ` from ${form.least}`
      return `${form.isWhole === true ? 'whole number' : 'number'}${low}${form.most === undefined ? '' : ` to ${form.most}`}`
    }
    case 'flag':
      return 'true or false'
    case 'list':
      return `list of ${form.least === undefined ? 'at most' : `${form.least} to`} ${form.most}: ${typeOf(form.of)}`
    case 'map':
      return `map: ${typeOf(form.of)}`
    case 'either':
      return form.what
    case 'object':
      return 'object'
    default:
      return form.isObject === true ? 'JSON object' : 'JSON'
  }
}
