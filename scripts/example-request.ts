/** Example requests of routes, made from their schemas: for the API page and for tests of the client. */
import type { AnyRoute } from '../packages/reflex/src/serve/world.ts'
import { schemaOf } from '../packages/reflex/src/serve/openapi.ts'
import type { Schema } from './type-text.ts'

/** Values for parts of paths and fields whose schema allows any text. */
const VALUES: Readonly<Record<string, unknown>> = {
  run: 'otter',
  id: 'otter',
  program: 'pipeline:release',
  question: 'q1',
  topic: 'deploy.done',
  hash: '0123456789abcdef',
  content_hash: '0123456789abcdef'.repeat(4),
  args_fingerprint: 'fedcba9876543210'.repeat(4),
  from: '2026-01-05T00:00:00.000Z',
  to: '2026-01-12T00:00:00.000Z',
  what: 'gate',
  one: 'otter',
  other: 'lark',
  value: 'yes',
  kind: 'pipeline',
  node: 'gate',
  file: 'main.js',
  filter: { program: 'pipeline:release' },
  text: 'digraph release { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }',
  dot: 'digraph release { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }',
}

/** A request that fits the schemas of its route. */
export interface ExampleRequest {
  readonly path: readonly string[]
  readonly url: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Returns a request with what its route requires. */
export function exampleRequest({ url, path, query, body }: AnyRoute): ExampleRequest {
  const parts = path === undefined ? {} : (exampleOf(schemaOf(path), '') as Readonly<Record<string, unknown>>)
  const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const values = names.map((name) => String(parts[name]))
  return {
    path: values,
    url: names.reduce((filled, name, i) => filled.replace(`{${name}}`, encodeURIComponent(values[i] ?? '')), url),
    query: query === undefined ? {} : (exampleOf(schemaOf(query), '') as Readonly<Record<string, unknown>>),
    body: body === undefined ? undefined : exampleOf(schemaOf(body), ''),
  }
}

function exampleOf(schema: Schema, name: string, root: Schema = schema): unknown {
  if (schema.$ref !== undefined) return exampleOf(root.$defs?.[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {}, name, root)
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const { anyOf, oneOf, allOf, properties = {}, required = [] } = schema
  if (Object.hasOwn(VALUES, name)) return VALUES[name]
  const [first] = anyOf ?? oneOf ?? []
  if (first !== undefined) return exampleOf(first, name, root)
  if (allOf !== undefined) return Object.assign({}, ...allOf.map((one) => exampleOf(one, name, root))) as unknown
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(required.map((key) => [key, exampleOf(properties[key] ?? {}, key, root)]))
    case 'array':
      return (schema.prefixItems ?? []).map((item) => exampleOf(item, '', root))
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return false
    default:
      return 'text'
  }
}
