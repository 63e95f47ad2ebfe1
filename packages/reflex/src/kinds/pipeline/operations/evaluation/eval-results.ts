import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import type { TypedGraph } from '../../model/typed.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { renderText } from '../../language/render.ts'
import { parseJson } from '../../language/parse-json.ts'

/** The result of one sample (reference pipeline 4.3.6). */
export interface SampleResult {
  readonly id: string
  readonly input: Json
  readonly expected: Json
  readonly actual: Json
  readonly scores: readonly { readonly grader: string; readonly score: number; readonly passed: boolean; readonly detail: string }[]
  readonly passed: boolean
  readonly metadata: JsonObject
}

/** Returns results from a value of the context; invalid items are left out. */
export function resultsIn(value: Json | undefined): readonly SampleResult[] {
  const list = typeof value === 'string' ? parseJson(value) : value
  return (isList(list) ? list : []).flatMap((item, i): SampleResult[] => {
    if (!isObject(item) || !isList(item['scores'])) return []
    const { id, input = null, expected = null, actual = null, passed, metadata } = item
    const scores = item['scores'].flatMap((one) =>
      isObject(one)
        ? [
            {
              grader: renderText(one['grader']),
              score: typeof one['score'] === 'number' ? one['score'] : 0,
              passed: one['passed'] === true,
              detail: renderText(one['detail']),
            },
          ]
        : [],
    )
    return [
      {
        id: renderText(id) || `sample_${i + 1}`,
        input,
        expected,
        actual,
        scores,
        passed: passed === true,
        metadata: isObject(metadata) ? metadata : {},
      },
    ]
  })
}

/** Returns the results of a node, or those under a key. */
export function resultsAt(context: NodeContext, name: string): readonly SampleResult[] {
  const own = resultsIn(context.get(`eval.results.${name}`))
  return own.length > 0 ? own : resultsIn(context.get(name))
}

/** Returns the nearest node upstream that wrote a key with this prefix, searched breadth first. */
export function nearestUpstream(context: NodeContext, prefix: string): string | undefined {
  return upstream(context.typed, context.node.id).find((id) => context.get(`${prefix}${id}`) !== undefined)
}

function* upstream({ incoming }: TypedGraph, from: string): Generator<string> {
  const seen = new Set([from])
  let level = [from]
  while (level.length > 0) {
    const next = [...new Set(level.flatMap((id) => (incoming.get(id) ?? []).map(({ edge }) => edge.from)))].filter((id) => !seen.has(id))
    for (const id of next) seen.add(id)
    yield* next
    level = next
  }
}

/** Returns every list of results in the context, by the name of its node, sorted. */
export function allResults(context: NodeContext): ReadonlyMap<string, readonly SampleResult[]> {
  const found = context.keys().flatMap((key): [string, readonly SampleResult[]][] => {
    const [, id] = /^eval\.results\.(.+)$/.exec(key) ?? []
    const results = id === undefined ? [] : resultsIn(context.get(key))
    return id === undefined || results.length === 0 ? [] : [[id, results]]
  })
  return new Map(found)
}
