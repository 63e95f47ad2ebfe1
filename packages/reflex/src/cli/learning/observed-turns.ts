import { isObject, type Json, keptRecords, readRecords } from '../../kernel/index.ts'
import type { Reflex } from '../../app/reflex.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import type { ObservedTurns } from '../../learn/registry/break-even.ts'

/** The most turns that are read, the newest first: a person waits. */
const MOST = 200

/** Reads what the newest turns of wrapped agents say about a skill: how often it was shown, and what a call of a model takes. */
export async function observedTurns(reflex: Reflex, id: string): Promise<ObservedTurns> {
  const rows = await reflex.runs({ kind: 'turn', limit: MOST })
  const seen = { turns: rows.length, shown: 0, cardTokens: 0, modelCalls: 0, tokens: 0 }
  for (const { id: run } of rows) {
    const { first } = await keptRecords(reflex.store, run)
    for await (const [, { writes = [], frame, input }] of readRecords(reflex.store, run, first)) {
      for (let i = 0; i < writes.length; i += 2) {
        if (frame !== 0 || writes[i] !== TURN_KEYS.bulletin) continue
        const tokens = cardTokens(writes[i + 1], id)
        if (tokens === undefined) continue
        seen.shown++
        seen.cardTokens += tokens
      }
      const usage = frame === 0 && input?.[0] === 'ok' ? usageOf(input[2]) : undefined
      if (usage === undefined) continue
      seen.modelCalls++
      seen.tokens += usage
    }
  }
  return seen
}

function cardTokens(bulletin: Json | undefined, id: string): number | undefined {
  const cards = isObject(bulletin) && Array.isArray(bulletin['cards']) ? (bulletin['cards'] as readonly Json[]) : []
  const card = cards.find((one) => isObject(one) && one['id'] === id)
  return isObject(card) && typeof card['tokens'] === 'number' ? card['tokens'] : undefined
}

/** Returns the tokens of a reply of a model; undefined for anything else. */
function usageOf(reply: Json | undefined): number | undefined {
  if (!isObject(reply) || !Array.isArray(reply['parts'])) return undefined
  const { input = 0, output = 0 } = isObject(reply['usage']) ? reply['usage'] : {}
  return (typeof input === 'number' ? input : 0) + (typeof output === 'number' ? output : 0)
}
