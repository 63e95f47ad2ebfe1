import type { ScoreResult } from '../model/decision.ts'
import type { Manifest, ScoreFeature } from '../model/manifest.ts'
import { decimal, millionths, ratio } from './millionths.ts'
import { recentSuccess, weightedSum } from './score.ts'

/** A change of a feature that would help a score, and the words for it. */
interface Change {
  readonly feature: ScoreFeature
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The smallest change after which a denied score would have passed. */
export interface ScoreRemedy {
  readonly changes: readonly Omit<Change, 'text'>[]
  readonly raw: number
  readonly normalised: number
  readonly passes: boolean
  /** `One keyword hit (“lost”, “carrier”) would make it 4.75 = 0.864 and pass.` */
  readonly text: string
}

/** The executions of statistics: more successes than these change nothing (reference skill 1.9). */
const WINDOW = 20
const MOST_EXAMPLES = 2

/**
 * Returns what would have made a score pass: the smallest number of features that must be better, keywords and labels before others. If
 * not even the best of all of them is enough, it says so. Undefined for a score that has passed.
 */
export function scoreRemedy(score: ScoreResult, manifest: Pick<Manifest, 'activation'>): ScoreRemedy | undefined {
  if (score.ok) return undefined
  const possible = changesOf(score, manifest)
  for (const changes of bySize(possible)) {
    const remedy = withChanges(score, changes)
    if (remedy.passes) return remedy
  }
  const best = withChanges(score, possible)
  const text = `No text can make it pass: the most that it can reach is ${points(best)}, and it needs ${decimal(score.tau_normalised, 3)}.`
  return { ...best, text }
}

function changesOf(score: ScoreResult, { activation }: Pick<Manifest, 'activation'>): readonly Change[] {
  const full = millionths(1)
  const to = (feature: ScoreFeature, text: string, isPossible: boolean): Change[] =>
    isPossible && score.weights[feature] > 0 && score.features[feature] < full
      ? [{ feature, from: score.features[feature], to: full, text }]
      : []
  return [
    ...to('keyword_hit', `one keyword hit (${examples(activation.keywords_any)})`, activation.keywords_any.length > 0),
    ...to('goal_label', `one goal label (${examples(activation.goal_labels)})`, activation.goal_labels.length > 0),
    ...to('entity_type', 'a value for each typed slot in the text', true),
    ...successes(score),
  ]
}

/** Returns the fewest further successes that let the score pass by themselves, else as many as count. */
function successes({ stats, features, weights, max, tau_normalised }: ScoreResult): Change[] {
  if (weights.recent_success === 0) return []
  const after = (more: number): number => {
    const runs = Math.min(WINDOW, stats.runs + more)
    return recentSuccess({ runs, successes: Math.min(runs, stats.successes + more) })
  }
  const passes = (more: number): boolean => ratio(weightedSum(weights, { ...features, recent_success: after(more) }), max) >= tau_normalised
  const counts = Array.from({ length: WINDOW }, (_, i) => i + 1)
  const more = counts.find(passes) ?? WINDOW
  const to = after(more)
  if (to <= features.recent_success) return []
  const text = `${more} more successful ${more === 1 ? 'execution' : 'executions'}`
  return [{ feature: 'recent_success', from: features.recent_success, to, text }]
}

/** Returns all sets of changes, the smaller ones first, each size in the given order: four features have fifteen sets. */
function bySize(changes: readonly Change[]): readonly (readonly Change[])[] {
  const sets = Array.from({ length: 2 ** changes.length }, (_, set) => changes.filter((_change, i) => (set & (1 << i)) !== 0))
  return sets.filter(({ length }) => length > 0).sort((a, b) => a.length - b.length)
}

function withChanges({ weights, features, max, tau_normalised }: ScoreResult, changes: readonly Change[]): ScoreRemedy {
  const changed = { ...features, ...Object.fromEntries(changes.map(({ feature, to }) => [feature, to])) }
  const raw = weightedSum(weights, changed)
  const normalised = ratio(raw, max)
  const passes = normalised >= tau_normalised
  const text = `${sentence(changes.map((change) => change.text))} would make it ${points({ raw, normalised })} and pass.`
  return { changes: changes.map(({ feature, from, to }) => ({ feature, from, to })), raw, normalised, passes, text }
}

function points({ raw, normalised }: Pick<ScoreRemedy, 'raw' | 'normalised'>): string {
  return `${decimal(raw, 2)} = ${decimal(normalised, 3)}`
}

function sentence(parts: readonly string[]): string {
  const text = parts.join(' and ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function examples(words: readonly string[]): string {
  return words
    .slice(0, MOST_EXAMPLES)
    .map((word) => `“${word}”`)
    .join(', ')
}
