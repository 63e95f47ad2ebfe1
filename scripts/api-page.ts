import { KINDS } from '../packages/reflex/src/app/kinds.ts'
import { schemaOf } from '../packages/reflex/src/serve/openapi.ts'
import { routesWith } from '../packages/reflex/src/serve/make-world.ts'
import type { AnyRoute } from '../packages/reflex/src/serve/world.ts'
import { exampleRequest } from './example-request.ts'
import { type Schema, TypeTexts } from './type-text.ts'

type RouteSchema = NonNullable<AnyRoute['body']>

/** The page of all routes: what each takes and answers, with an example. */
export async function apiPage(): Promise<string> {
  const routes = await routesWith(KINDS)
  const groups = Map.groupBy(routes, ({ name }) => (name.includes('.') ? name.slice(0, name.indexOf('.')) : 'service'))
  return [
    '# Routes of the server',
    '',
    'Every request that [`reflex serve`](serving.md) answers. `GET /v1/openapi.json` has the same with the whole schemas. The types in the tables are',
    'those of the client, `reflex-runtime/client`, whose methods have the names of the routes. This page is made from the schemas that check requests.',
    '',
    ...[...groups].flatMap(([group, list]) => [`## ${group}`, '', ...list.flatMap(routeLines)]),
  ].join('\n')
}

function routeLines(route: AnyRoute): string[] {
  const { name, method, url, does, scope, path, query, body, takes, keyed, gives = [], answers } = route
  const rows = [
    ...fieldRows('path', path),
    ...fieldRows('query', query),
    ...fieldRows('body', body),
    ...(takes === undefined ? [] : [`| body | | text | also takes ${takes.map((type) => `\`${type}\``).join(', ')} |`]),
    ...(keyed === true ? ['| header | `Idempotency-Key` | string | a request with the same key is performed once |'] : []),
  ]
  return [
    `### ${name}`,
    '',
    `\`${method} ${url}\` · ${scope === undefined ? 'no token' : `scope \`${scope}\``}`,
    '',
    does,
    '',
    ...(rows.length === 0 ? [] : ['| in | name | type | |', '| --- | --- | --- | --- |', ...rows, '']),
    '| status | answer |',
    '| --- | --- |',
    ...Object.entries(answers).map(([status, answer]) => `| ${status} | ${answerText(answer, gives)} |`),
    '',
    '```sh',
    exampleText(route),
    '```',
    '',
  ]
}

/** Returns a row for each field. A schema that is no object is one row. */
function fieldRows(place: string, schema: RouteSchema | undefined): string[] {
  if (schema === undefined) return []
  const { properties, required = [], description }: Schema = schemaOf(schema)
  if (properties === undefined) return [row(place, '', new TypeTexts().of(schema, 'input'), description)]
  return Object.entries(properties).map(([name, field]) => {
    const shown = [required.includes(name) ? 'required' : undefined, field.description].filter((part) => part !== undefined)
    return row(place, name, new TypeTexts().ofPart(schema, field), shown.join('; '))
  })
}

function row(place: string, name: string, type: string, about = ''): string {
  return `| ${place} | ${name === '' ? '' : `\`${name}\``} | ${cell(type)} | ${about} |`
}

function cell(type: string): string {
  const line = type
    .replaceAll(/\/\*\*.*?\*\/\n?/g, '')
    .replaceAll(/readonly /g, '')
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll('{;', '{')
    .replaceAll('; }', ' }')
  return `\`${line.replaceAll('|', '\\|')}\``
}

function answerText(answer: RouteSchema | string, gives: readonly string[]): string {
  const more = gives.length === 0 ? '' : `, or ${gives.map((type) => `\`${type}\``).join(', ')}`
  if (typeof answer === 'string') return answer.includes('/') ? `\`${answer}\`${more}` : answer
  return `${cell(new TypeTexts().of(answer, 'output'))}${more}`
}

function exampleText(route: AnyRoute): string {
  const { url, query, body } = exampleRequest(route)
  const words = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  const address = `"$URL${url}${words.length === 0 ? '' : `?${words.join('&')}`}"`
  const token = route.scope === undefined ? '' : '-H "Authorization: Bearer $TOKEN" '
  const method = route.method === 'GET' || body !== undefined ? '' : `-X ${route.method} `
  const given =
    body === undefined
      ? ''
      : ` \\\n  -H 'Content-Type: ${typeof body === 'string' ? (route.takes?.[0] ?? 'text/plain') : 'application/json'}' -d '${typeof body === 'string' ? body : JSON.stringify(body)}'`
  const wanted = route.method === 'PUT' || route.method === 'DELETE' ? (body === undefined ? '' : `-X ${route.method} `) : ''
  return `curl ${method}${wanted}${token}${address}${given}`
}
