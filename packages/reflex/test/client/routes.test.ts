import { expect, test } from 'vitest'
import { outdatedClient } from '../../../../scripts/client.ts'
import { exampleRequest } from '../../../../scripts/example-request.ts'
import { KINDS } from '../../src/app/kinds.ts'
import { ReflexClient } from '../../src/client/index.ts'
import { routesWith } from '../../src/serve/make-world.ts'
import type { AnyRoute } from '../../src/serve/world.ts'
import { served } from '../serve/served.ts'

type Method = (...words: unknown[]) => Promise<unknown> | AsyncIterable<unknown>

/** Returns the method of a route. */
function methodOf(client: ReflexClient, { name }: AnyRoute): Method | undefined {
  const [group = '', short] = name.split('.')
  const holder = short === undefined ? client : (Reflect.get(client, group) as object | undefined)
  const found: unknown = holder === undefined ? undefined : Reflect.get(holder, short ?? group)
  return typeof found === 'function' ? (...words) => Reflect.apply(found, holder, words) as ReturnType<Method> : undefined
}

const routes = await routesWith(KINDS)

test('the generated files of the client are as the routes say', async () => {
  expect(await outdatedClient(), 'npm run docs').toEqual([])
})

test.each(routes.map((route) => [route.name, route] as const))('%s has a method whose request fits the route', async (_, route) => {
  const { url, token } = await served()
  const sent: string[] = []
  const seen: { code?: string; message?: string }[] = []
  const client = new ReflexClient({
    url,
    token,
    retries: 0,
    async fetch(address, init) {
      sent.push(`${init?.method ?? 'GET'} ${new URL(new Request(address).url).pathname}`)
      const response = await fetch(address, init)
      if (!response.ok) seen.push(((await response.clone().json()) as { error?: object }).error ?? {})
      return response
    },
  })
  const method = methodOf(client, route)
  expect(method, `the client has no method for ${route.name}: npm run docs`).toBeDefined()
  const example = exampleRequest(route)
  const stop = AbortSignal.timeout(60_000)
  const isStream = Object.values(route.answers).includes('text/event-stream')
  const words = [...example.path, ...(example.body === undefined ? [] : [example.body])]
  if (!isStream && route.query !== undefined) words.push(example.query)
  const answer = method?.(...words, { ...(isStream ? example.query : {}), signal: stop })
  try {
    if (answer !== undefined && Symbol.asyncIterator in answer) await Promise.race([answer[Symbol.asyncIterator]().next(), answered(sent)])
    else await answer
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'ReflexError' })
  }
  expect(sent[0]).toBe(`${route.method} ${example.url}`)
  // The address, the body and the query are as the route takes them; what they name need not exist.
  expect(seen.filter(({ code = '' }) => ['R6005', 'R6006', 'R6007', 'R9001', 'R6071'].includes(code))).toEqual([])
})

/** Resolves when a request has been sent: a stream without an end need not bring an event. */
async function answered(sent: readonly string[]): Promise<void> {
  while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
}
