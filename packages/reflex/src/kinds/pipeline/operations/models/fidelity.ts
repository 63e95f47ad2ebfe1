import type { JsonObject } from '../../../../kernel/journal/json.ts'
import type { ModelMessage } from '../../../../models/index.ts'
import type { NodeContext } from '../../contract/handler.ts'

/** Characters of a conversation that is gone on with; of a longer one the oldest turns are left out. */
const MOST_CHARACTERS = 400_000

type Turn = readonly ModelMessage[]

/** The newest turns that a request can hold, and how many are left out. A turn is whole or not there. */
export function turnsWithin(turns: readonly Turn[]): { readonly turns: readonly Turn[]; readonly omitted: number } {
  let room = MOST_CHARACTERS
  let first = turns.length
  while (first > 0) {
    room -= JSON.stringify(turns[first - 1]).length
    if (room < 0) break
    first--
  }
  return { turns: turns.slice(first), omitted: first }
}

/** Characters of a text in the view of a node that says `truncate`. */
const CUT = 4_000

/**
 * The context as an explicit mode shows it to whoever writes prompts: `truncate` cuts long texts, `compact` and the
 * summaries leave out what is empty (seed pipeline 7.4). Values that a node names are never shortened, and only those who
 * build prompts see the view.
 */
export function contextView(context: NodeContext, keys: readonly string[]): JsonObject {
  const { mode, explicit } = context.fidelity
  const entries = keys.map((key) => [key, context.get(key) ?? null] as const)
  if (!explicit || mode === 'full') return Object.fromEntries(entries)
  if (mode !== 'truncate') return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== ''))
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' && value.length > CUT ? `${value.slice(0, CUT)}…` : value]),
  )
}
