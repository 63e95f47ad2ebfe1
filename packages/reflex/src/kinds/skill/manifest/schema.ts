import type { Json, JsonObject } from '../../../kernel/index.ts'
import { once } from '../../../text/index.ts'
import { NOTE } from './decode.ts'
import type { Field, Form, TextForm } from './fields.ts'
import { MANIFEST } from './table.ts'

/** The JSON Schema (draft-07) of a manifest, for editors and other languages. Rules that need several fields are not in it. */
export const manifestSchema: () => JsonObject = once(() => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:reflex:skill',
  title: 'Reflex skill',
  ...schemaOf(MANIFEST),
}))

function schemaOf(form: Form): JsonObject {
  switch (form.kind) {
    case 'text':
      return textSchema(form)
    case 'number':
      return {
        type: form.isWhole === true ? 'integer' : 'number',
        ...given('minimum', form.least),
        ...given('exclusiveMinimum', form.above),
        ...given('maximum', form.most),
      }
    case 'flag':
      return { type: 'boolean' }
    case 'list':
      return { type: 'array', items: schemaOf(form.of), ...given('minItems', form.least), maxItems: form.most }
    case 'map':
      return {
        type: 'object',
        additionalProperties: schemaOf(form.of),
        maxProperties: form.most,
        ...given('propertyNames', form.keys && { pattern: form.keys.source }),
      }
    case 'object':
      return objectSchema(form.fields)
    case 'json':
      return form.isObject === true ? { type: 'object' } : {}
    default:
      return { anyOf: form.forms.map(schemaOf) }
  }
}

function textSchema({ least, most, pattern, words }: TextForm): JsonObject {
  if (words !== undefined) return { type: 'string', enum: [...words] }
  return { type: 'string', ...given('minLength', least), maxLength: most, ...given('pattern', pattern?.source) }
}

function objectSchema(fields: Readonly<Record<string, Field>>): JsonObject {
  const required = Object.keys(fields).filter((key) => fields[key]?.isRequired === true)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, fieldSchema(field)])),
    patternProperties: { [`^${NOTE}`]: {} },
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  }
}

function fieldSchema({ form, about, fallback }: Field): JsonObject {
  return { description: about, ...schemaOf(form), ...given('default', fallback) }
}

function given(key: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value }
}
