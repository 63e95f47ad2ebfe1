import { isList, isObject, type Json, type JsonObject, type Rec } from '../../../kernel/index.ts'
import type { TypedEdge, TypedGraph } from '../model/typed.ts'
import type { DotGraph } from '../dot/graph.ts'
import { edgeIdsOf } from '../dot/edge-ids.ts'
import { INTERNAL } from '../contract/engine-board.ts'

/** Returns text unchanged and any other value as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
}

/** The most characters of an output that is shown; the lines of a longer one are counted. */
const ONE_LINE = 40

/** Returns the result of a command: `exit 0, 41 lines`, `exit 0 → 1.4.0`; undefined for other values. */
export function commandText(value: Json | undefined): string | undefined {
  if (!isObject(value) || value['code'] === undefined || typeof value['stdout'] !== 'string') return undefined
  const { code, signal, stdout, truncated } = value
  const said = stdout.trim()
  const lines = said === '' ? 0 : said.split('\n').length
  const how = code === null ? `ended by ${textOf(signal)}` : `exit ${textOf(code)}`
  if (lines === 1 && said.length <= ONE_LINE) return `${how} → ${said}`
  return [how, ...(lines === 0 ? [] : [`${lines} line${lines === 1 ? '' : 's'}${truncated === true ? ', cut' : ''}`])].join(', ')
}

/** Matches keys that repeat other keys or facts. */
const REPEATED_KEYS =
  /^(last_response|context\.previous_|wait\.|gate\.|validate\.|last_prompt|llm\.|internal\.|human\.gate\.|parallel\.|tool\.output|shell\.|exec\.|fan_in\.|budget_status)/

/** Returns the writes of a record that belong to the program; of several keys with the same value, the most useful one. */
export function writesOf({ writes = [] }: Rec): JsonObject | undefined {
  const pairs = writes.flatMap((key, i): [string, Json][] =>
    i % 2 === 0 && typeof key === 'string' && !key.startsWith(INTERNAL) ? [[key, writes[i + 1] ?? null]] : [],
  )
  const telling = pairs.filter(([key]) => !REPEATED_KEYS.test(key))
  const shown = telling.length === 0 ? pairs.filter(([key]) => key === 'last_response') : telling
  return shown.length === 0 ? undefined : Object.fromEntries(shown)
}

/** The edges of a decision, by their names for people: the label of an edge, else its target. */
export interface EdgeChoices {
  readonly edge: string
  readonly open: readonly string[]
  readonly closed: readonly (readonly [name: string, why: string])[]
  /** The same edges by their ids in the picture of the graph. */
  readonly ids: JsonObject
}

/** Returns the edges that routing considered, for readers: `open` and `closed` refer to edges by their index. */
export function edgeChoicesOf(
  { outgoing, graph }: TypedGraph,
  { from, to, open, closed }: JsonObject,
  taken: number | undefined,
): EdgeChoices {
  const edges = outgoing.get(textOf(from)) ?? []
  const other = new Set([...numbers(open), ...pairs(closed).map(([index]) => index)])
  const leads = edges.filter(({ edge }) => edge.to === to)
  const edge = leads.find(({ edge: { index } }) => index === taken) ?? leads.find(({ edge: { index } }) => !other.has(index)) ?? leads[0]
  const named = (index: number): string => {
    const found = edges.find((one) => one.edge.index === index)
    return found === undefined ? (graph.edges[index]?.to ?? String(index)) : edgeName(found)
  }
  return {
    edge: edge === undefined ? textOf(to) : edgeName(edge),
    open: numbers(open).map(named),
    closed: pairs(closed).map(([index, why]) => [named(index), why]),
    ids: {
      ...edgeFact(graph, edge?.edge.index),
      open: numbers(open).flatMap((index) => edgeId(graph, index) ?? []),
      closed: pairs(closed).flatMap(([index, why]) => {
        const id = edgeId(graph, index)
        return id === undefined ? [] : [[id, why]]
      }),
    },
  }
}

/** Returns the edge that was followed, by its id in the picture of the graph; nothing if there was none. */
export function edgeFact(graph: DotGraph, index: number | undefined): JsonObject {
  const edge = edgeId(graph, index)
  return edge === undefined ? {} : { edge }
}

function edgeId(graph: DotGraph, index: number | undefined): string | undefined {
  const edge = index === undefined ? undefined : graph.edges[index]
  return edge === undefined ? undefined : edgeIdsOf(graph).get(edge)
}

function edgeName({ label, edge }: TypedEdge): string {
  return label === '' ? edge.to : label
}

function numbers(list: Json | undefined): number[] {
  return isList(list) ? list.filter((index) => typeof index === 'number') : []
}

function pairs(list: Json | undefined): [index: number, why: string][] {
  return (isList(list) ? list : []).flatMap((pair): [number, string][] => {
    const [index, why] = isList(pair) ? pair : []
    return typeof index === 'number' ? [[index, textOf(why)]] : []
  })
}
