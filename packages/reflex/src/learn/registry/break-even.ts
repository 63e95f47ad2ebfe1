import { expectedSaving } from '../../kinds/skill/gate/saving.ts'
import type { KeptSkill } from './kept-skill.ts'

/** What turns of wrapped agents have said about a skill. */
export interface ObservedTurns {
  /** Turns that were read. */
  readonly turns: number
  /** Turns that were shown the skill, and the tokens of its cards in them. */
  readonly shown: number
  readonly cardTokens: number
  /** Calls of models in all of these turns, those in hidden rounds included, and their tokens as far as they are known. */
  readonly modelCalls: number
  readonly tokens: number
}

/** What a skill has cost and saved so far. All are expectations but the counts: nobody knows what the agent would have done without it. */
export interface BreakEven {
  readonly uses: number
  readonly succeeded: number
  /** Calls of models and tokens that the successes have saved. Tokens are absent if no turn says how many a call takes. */
  readonly saved: { readonly calls: number; readonly tokens?: number }
  /** Learning and tests ask no model. A bulletin costs the tokens of its card, a failure the call that proposed it. */
  readonly cost: { readonly calls: number; readonly tokens: number; readonly learning: 0; readonly tests: 0 }
  readonly net: { readonly calls: number; readonly tokens?: number }
  /** The number of successes from which on it has paid back; 0 if it has cost nothing. Absent: a success saves nothing, or tokens are unknown. */
  readonly after?: number
}

/** Sets what a skill has saved against what it has cost: its cards in bulletins, and its failures. */
export function breakEven({ manifest, figures }: Pick<KeptSkill, 'manifest' | 'figures'>, seen: ObservedTurns): BreakEven {
  const { runs, succeeded } = figures
  const failures = runs - succeeded
  const { calls: perUse } = expectedSaving(manifest)
  const perCall = seen.modelCalls === 0 || seen.tokens === 0 ? undefined : seen.tokens / seen.modelCalls
  const calls = succeeded * perUse
  const costTokens = Math.round(seen.cardTokens + failures * (perCall ?? 0))
  const cost = { calls: failures, tokens: costTokens, learning: 0, tests: 0 } as const
  const found = { uses: runs, succeeded, cost }
  if (perCall === undefined) return { ...found, saved: { calls }, net: { calls: calls - failures } }
  const tokens = Math.round(calls * perCall)
  const after = perUse === 0 ? undefined : Math.ceil(costTokens / (perUse * perCall))
  return {
    ...found,
    saved: { calls, tokens },
    net: { calls: calls - failures, tokens: tokens - costTokens },
    ...(after === undefined ? {} : { after }),
  }
}
