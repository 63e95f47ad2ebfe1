import { isList, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { EventField, EventForm } from '../adapter/event-form.ts'
import type { Plan } from '../pass/plan.ts'
import { representatives, schemaDomain } from './domain.ts'

/** Returns the numbers that a graph states: parameters of its nodes, plainest first. */
export function numbersOf({ nodes }: Plan): number[] {
  const stated = nodes.flatMap(({ parameters }) => Object.values(parameters).filter((value) => typeof value === 'number'))
  return [...new Set(stated)].sort((a, b) => Math.abs(a) - Math.abs(b) || a - b)
}

/** Returns values that a field can have: its bounds, the values listed by its schema, and these numbers and what lies between them. */
export function valuesOf({ type, schema, read }: EventField, numbers: readonly number[]): Json[] {
  const listed = schema['const'] !== undefined ? [schema['const']] : isList(schema['enum']) ? schema['enum'] : []
  return [...new Set<Json>([...listed, ...usual(type, schema, numbers)])].filter((value) => read(value) !== undefined)
}

function usual(type: EventField['type'], schema: JsonObject, numbers: readonly number[]): Json[] {
  switch (type) {
    case 'Bool':
      return [true, false]
    case 'String': {
      const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0
      return ['a'.repeat(Math.min(least, 1000)), 'a', '']
    }
    case 'Series':
      return [[], [1], [1, 2, 3], [0]]
    default: {
      const domain = schemaDomain(schema, false)
      const bounds = [domain.low, domain.high].filter(Number.isFinite)
      return [...representatives(domain, [...numbers, ...bounds, 0])]
    }
  }
}

/** Returns a payload with a value for each required field; undefined if no plain value fits. */
export function plainPayload({ fields }: EventForm): JsonObject | undefined {
  const payload: Record<string, Json> = {}
  for (const field of fields) {
    if (field.required === undefined) continue
    const [value] = valuesOf(field, [])
    if (value === undefined) return undefined
    payload[field.name] = value
  }
  return payload
}
