import { choiceField, listedValues } from './choice-field.js'
import { groupField } from './group-field.js'
import { listField } from './list-field.js'
import { typedField } from './typed-field.js'
import { isObject } from './value.js'
/** @import { JsonObject } from './documents.ts' */
/** @import { Field, FieldPlace } from './field-frame.js' */

/** Objects inside objects, up to here: what is deeper is written as JSON. */
const MOST_DEPTH = 3
/** The keywords that no field shows. A schema with one of them is written as JSON, and the server checks it. */
const BEYOND = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'not', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems', 'contains']

/**
 * Returns the field for a schema.
 * @param {unknown} schema
 * @param {FieldPlace} place
 * @param {number} [depth]
 * @returns {Field}
 */
export function fieldOf(schema, place, depth = 0) {
  if (!isObject(schema) || BEYOND.some((word) => schema[word] !== undefined))
    return typedField(isObject(schema) ? schema : {}, place, 'json')
  const named = { ...place, label: typeof schema['title'] === 'string' ? schema['title'] : place.label }
  const listed = listedValues(schema)
  if (listed !== undefined) return choiceField(schema, named, listed)
  if (schema['oneOf'] !== undefined) return typedField(schema, named, 'json')
  const { type, items, properties } = schema
  if (type === 'string') return typedField(schema, named, 'text')
  if (type === 'number' || type === 'integer') return typedField(schema, named, 'number')
  if (type === 'array' && isSimple(items)) {
    return listField(schema, named, (label, initial) => {
      return fieldOf(initial === undefined ? items : { ...items, default: initial }, { label, required: true }, depth + 1)
    })
  }
  if (type === 'object' && isObject(properties) && Object.keys(properties).length > 0 && depth < MOST_DEPTH) {
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    return groupField(
      schema,
      named,
      Object.entries(properties).map(([key, inner]) => [key, fieldOf(inner, { label: key, required: required.includes(key) }, depth + 1)]),
    )
  }
  return typedField(schema, named, 'json')
}

/**
 * True for a schema of a value with one control.
 * @param {unknown} schema
 * @returns {schema is JsonObject}
 */
function isSimple(schema) {
  if (!isObject(schema) || BEYOND.some((word) => schema[word] !== undefined)) return false
  return listedValues(schema) !== undefined || ['string', 'number', 'integer'].some((type) => type === schema['type'])
}
