/**
 * Writes the generated files of the client: the types of requests and answers, and a method for each route, from the schemas that check
 * requests. `npm run docs` runs it; `--check` only says whether they are up to date.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { KINDS } from '../packages/reflex/src/app/kinds.ts'
import { routesWith } from '../packages/reflex/src/serve/make-world.ts'
import type { AnyRoute } from '../packages/reflex/src/serve/world.ts'
import { docText, type Schema, TypeTexts } from './type-text.ts'
import { schemaOf } from '../packages/reflex/src/serve/openapi.ts'

const ROOT = resolve(import.meta.dirname, '..')
export const CLIENT = join(ROOT, 'packages/reflex/src/client')
const HEAD = '// Written by scripts/client.ts from the schemas of the routes: npm run docs.\n'
const JSON_TYPE = `/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }`

/** Returns the generated files of the client, by name. */
export async function clientFiles(): Promise<ReadonlyMap<string, string>> {
  const routes = await routesWith(KINDS)
  const types = new TypeTexts()
  const groups = Map.groupBy(routes, ({ name }) => (name.includes('.') ? name.slice(0, name.indexOf('.')) : ''))
  const own = (groups.get('') ?? []).map((route) => methodOf(route, types))
  const classes = [...groups].filter(([group]) => group !== '').map(([group, list]) => classOf(group, list, types))
  const client = `
/**
 * The client of a server of Reflex: \`reflex serve\`. Each route is a method: \`client.runs.start\`, \`client.questions.answer\`. A request that
 * fails throws \`ReflexError\` with the code of the fault. Requests that change nothing, and starts, are repeated if the server cannot be
 * reached or is busy. Works in browsers and in Node.
 */
export class ReflexClient {
  readonly #transport: Transport
${[...groups.keys()]
  .filter((group) => group !== '')
  .map((group) => `  readonly ${group}: ${classNameOf(group)}`)
  .join('\n')}

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
${[...groups.keys()]
  .filter((group) => group !== '')
  .map((group) => `    this.${group} = new ${classNameOf(group)}(this.#transport)`)
  .join('\n')}
  }

${own.join('\n\n')}
}`
  const used = [...new Set([...`${classes.join('\n')}${client}`.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name))]
  const typesText = [JSON_TYPE, ...types.interfaces].join('\n\n')
  const declared = new Set([...typesText.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name))
  const imports = `import { type StreamEvent, type StreamOptions, streamOf } from './stream.ts'
import { type CallOptions, type ClientOptions, Transport } from './transport.ts'
import type { ${used
    .filter((name) => declared.has(name))
    .toSorted()
    .join(', ')} } from './types.ts'\n`
  return new Map([
    ['types.ts', formatted('types.ts', `${HEAD}\n${typesText}\n`)],
    ['routes.ts', formatted('routes.ts', `${HEAD}${imports}\n${classes.join('\n\n')}\n${client}\n`)],
  ])
}

function classNameOf(group: string): string {
  return `${upper(group)}Routes`
}

function classOf(group: string, routes: readonly AnyRoute[], types: TypeTexts): string {
  return `/** The routes of \`${group}\`. */
export class ${classNameOf(group)} {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

${routes.map((route) => methodOf(route, types)).join('\n\n')}
}`
}

/** Returns the method of a route: its path as arguments, then its body, its query and the options of the request. */
function methodOf(route: AnyRoute, types: TypeTexts): string {
  const { name, method, url, does, query, body, takes, keyed } = route
  const prefix = name.split('.').map(upper).join('')
  const parts = [...url.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => part)
  const parameters = parts.map((part) => `${part}: string`)
  const bodyType = body === undefined ? undefined : bodyTypeOf(types, `${prefix}Body`, body)
  if (bodyType !== undefined) parameters.push(`body: ${bodyType.text}${bodyType.isOptional ? ' = {}' : ''}`)
  const queryType = query === undefined ? undefined : bodyTypeOf(types, `${prefix}Query`, query)
  const isStream = Object.values(route.answers).includes('text/event-stream')
  if (isStream) parameters.push(`options: ${[...(queryType === undefined ? [] : [queryType.text]), 'StreamOptions'].join(' & ')} = {}`)
  else {
    if (queryType !== undefined) parameters.push(`query: ${queryType.text}${queryType.isOptional ? ' = {}' : ''}`)
    parameters.push('options: CallOptions = {}')
  }
  const path = url
    .slice(1)
    .split('/')
    .map((part) => (part.startsWith('{') ? part.slice(1, -1) : JSON.stringify(part)))
  const isText = body !== undefined && shapeOf(body).type === 'string'
  const call = [
    `method: '${method}'`,
    `path: [${path.join(', ')}]`,
    ...(queryType === undefined ? [] : ['query']),
    ...(bodyType === undefined ? [] : ['body']),
    ...(takes !== undefined && isText ? [`type: '${takes[0] ?? ''}'`] : []),
    ...(keyed === true ? ['keyed: true'] : []),
  ].join(', ')
  const doc = docText(does)
  const short = name.slice(name.indexOf('.') + 1)
  if (isStream) {
    const split = queryType === undefined ? '' : 'const { signal: _signal, lastEventId: _last, ...query } = options\n'
    return `${doc}${short}(${parameters.join(', ')}): AsyncGenerator<StreamEvent, void, undefined> {\n${split}return streamOf(this.#transport, { ${call} }, options)\n}`
  }
  const answer = answerOf(route, types, prefix)
  return `${doc}${short}(${parameters.join(', ')}): Promise<${answer}> {\nreturn this.#transport.send<${answer}>({ ${call} }, options)\n}`
}

/** Returns the type of a body or a query, and if it can be left out. */
function bodyTypeOf(
  types: TypeTexts,
  name: string,
  schema: NonNullable<AnyRoute['body']>,
): { readonly text: string; readonly isOptional: boolean } {
  const { type, required = [] } = shapeOf(schema)
  return { text: types.named(name, schema, 'input'), isOptional: type === 'object' && required.length === 0 }
}

/** Returns the type of the answers that are no failure. */
function answerOf({ answers, gives = [] }: AnyRoute, types: TypeTexts, prefix: string): string {
  const made = Object.entries(answers).flatMap(([status, answer]) => {
    if (Number(status) >= 300) return []
    if (typeof answer !== 'string') return [types.named(`${prefix}Answer`, answer, 'output')]
    return [answer === 'application/json' ? 'Json' : 'string']
  })
  const more = gives.map((type) => (type === 'application/json' ? 'Json' : 'string'))
  return [...new Set([...made, ...more])].join(' | ')
}

function shapeOf(schema: NonNullable<AnyRoute['body']>): Schema {
  return schemaOf(schema)
}

function upper(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function formatted(name: string, text: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  return execFileSync(biome, ['format', '--stdin-file-path', join('packages/reflex/src/client', name)], {
    input: text,
    encoding: 'utf8',
    cwd: ROOT,
  })
}

/** Returns the generated files that differ from what the routes say. */
export async function outdatedClient(): Promise<readonly string[]> {
  const read = (name: string): string | undefined => {
    try {
      return readFileSync(join(CLIENT, name), 'utf8')
    } catch {
      return undefined
    }
  }
  return [...(await clientFiles())].filter(([name, text]) => read(name) !== text).map(([name]) => name)
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const outdated = await outdatedClient()
    for (const name of outdated) console.log(`error client  ${name}  is not what the routes say\n  fix: npm run docs`)
    process.exitCode = outdated.length === 0 ? 0 : 1
  } else for (const [name, text] of await clientFiles()) writeFileSync(join(CLIENT, name), text)
}
