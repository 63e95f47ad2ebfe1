import type { JsonObject } from '../../../../kernel/index.ts'
import type { ModelMessage } from '../../../../models/index.ts'
import type { NodeContext } from '../../contract/handler.ts'

/** The limit of characters of a continued conversation. The oldest turns of a longer one are left out. */
const MOST_CHARACTERS = 400_000

type Turn = readonly ModelMessage[]

/** Returns the newest turns that fit into a request, and the number of turns left out. A turn is never split. */
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

/** The limit of characters of a text in the view of the mode `truncate`. */
const CUT = 4_000

/**
 * Returns the context as an explicit mode shows it to the builder of a prompt: `truncate` cuts long texts, `compact` and the
 * summaries leave out empty values (seed pipeline 7.4). Values that a node names are never cut, and only builders of prompts use
 * the view.
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
