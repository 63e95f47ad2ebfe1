import { z } from 'zod'
import type { AnyRoute } from './world.ts'

/** Returns the OpenAPI description of routes, made from the schemas that check their requests. */
export function openApi(routes: readonly AnyRoute[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const methods = (paths[route.url] ??= {})
    methods[route.method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Reflex', version, description: 'Runs of structured processes: start, look, answer, follow.' },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A request with the same key is performed once',
  schema: { type: 'string' },
}

function operationOf({ name, does, scope, path, query, body, takes = [], keyed, gives, answers }: AnyRoute): object {
  return {
    operationId: name,
    summary: does,
    ...(scope === undefined ? { security: [] } : { security: [{ token: [scope] }] }),
    parameters: [...parametersOf(path, 'path'), ...parametersOf(query, 'query'), ...(keyed === true ? [KEY] : [])],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: schemaOf(body) },
              ...Object.fromEntries(takes.map((type) => [type, { schema: { type: 'string' } }])),
            },
          },
        }),
    responses: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, gives)])),
  }
}

function responseOf(answer: z.ZodType | string, gives: readonly string[] = []): object {
  const texts = (types: readonly string[]): object => Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]))
  if (typeof answer !== 'string')
    return { description: 'JSON', content: { 'application/json': { schema: schemaOf(answer, 'output') }, ...texts(gives) } }
  return answer.includes('/') ? { description: answer, content: texts([answer, ...gives]) } : { description: answer }
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema) as { properties?: Record<string, object>; required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({ name, in: place, required: required.includes(name), schema: property }))
}

export function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline', cycles: 'ref' })
  return rest
}
