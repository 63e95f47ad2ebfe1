import type { GateSnapshot, ScoreResult } from '../model/decision.ts'
import { type Manifest, SCORE_FEATURES, type ScoreFeature } from '../model/manifest.ts'
import { type Cues, matchKeyword, matchLabel } from './cues.ts'
import { entityShare } from './entities.ts'
import { millionths, ratio } from './millionths.ts'
import { readWords, type TextWords } from './words.ts'

/** The part of a snapshot that scoring reads. Nothing that a model has written is in it: a proposal cannot raise its own score. */
export type ScoredTurn = Pick<GateSnapshot, 'userText' | 'goalLabels' | 'board' | 'stats' | 'tau'>

/** A skill as scoring sees it. */
export interface ScoredSkill {
  readonly manifest: Manifest
  readonly cues: Cues
}

/** The threshold of a decision in both units, and who has set it. */
export interface Threshold {
  readonly tau_raw: number
  readonly tau_normalised: number
  readonly tau_source: ScoreResult['tau_source']
}

/** What a turn has of the cues of a skill. */
export interface CueMatches {
  readonly label?: string
  readonly keyword?: string
  /** The share of recognizable slots with a value, in millionths. */
  readonly entity: number
}

/** Returns what a turn has of the cues of a skill. `words` are those of the text of the user, for callers that score many skills. */
export function matchCues(
  { manifest, cues }: ScoredSkill,
  turn: ScoredTurn,
  words: TextWords = readWords(turn.userText ?? ''),
): CueMatches {
  const label = matchLabel(cues, words, statedLabels(turn))
  const keyword = matchKeyword(cues, words)
  return {
    ...(label === undefined ? {} : { label }),
    ...(keyword === undefined ? {} : { keyword }),
    entity: manifest.activation.score_weights.entity_type > 0 ? entityShare(manifest, turn) : 0,
  }
}

/**
 * Scores a skill for a turn: the weighted sum of its features against the threshold (reference skill 1.9). All results are integers of
 * millionths, so equal inputs give equal verdicts everywhere.
 */
export function scoreSkill(skill: ScoredSkill, turn: ScoredTurn, words?: TextWords): ScoreResult {
  return scoreOf(skill, turn, matchCues(skill, turn, words))
}

/** Scores a skill by what the turn has of its cues. */
export function scoreOf(
  { manifest }: Pick<ScoredSkill, 'manifest'>,
  turn: Pick<ScoredTurn, 'stats' | 'tau'>,
  { entity, ...matched }: CueMatches,
): ScoreResult {
  const { activation, policy } = manifest
  const { label, keyword } = matched
  const features: Record<ScoreFeature, number> = {
    goal_label: label === undefined ? 0 : millionths(1),
    keyword_hit: keyword === undefined ? 0 : millionths(1),
    entity_type: entity,
    recent_success: recentSuccess(turn.stats),
  }
  const weights = activation.score_weights
  const raw = weightedSum(weights, features)
  const max = maxScore(weights)
  const normalised = ratio(raw, max)
  const threshold = thresholdOf(activation.tau, max, turn.tau, policy.min_tau)
  return {
    ok: normalised >= threshold.tau_normalised,
    features,
    matched,
    weights,
    raw,
    max,
    normalised,
    ...threshold,
    stats: turn.stats,
  }
}

/** Returns the labels that the host states for the turn; undefined if the text of the user decides. */
function statedLabels({ goalLabels, board }: ScoredTurn): readonly string[] | undefined {
  if (goalLabels !== undefined) return goalLabels
  const listed = Object.hasOwn(board.ctx, 'goal_labels') ? board.ctx['goal_labels'] : undefined
  return Array.isArray(listed) ? listed.filter((label) => typeof label === 'string') : undefined
}

/** Returns `(s + 1) / (n + 2)` in millionths: a half for a skill that has never run, and more with each success. */
export function recentSuccess({ successes, runs }: GateSnapshot['stats']): number {
  return ratio(Math.min(successes, runs) + 1, runs + 2)
}

/** Returns the sum of weighted features, in millionths of a point. */
export function weightedSum(weights: Readonly<Record<ScoreFeature, number>>, features: Readonly<Record<ScoreFeature, number>>): number {
  const sum = SCORE_FEATURES.reduce((total, feature) => total + weights[feature] * features[feature], 0)
  return Number.isFinite(sum) ? Math.round(sum) : 0
}

/** Returns the most points that a skill can reach, in millionths. */
export function maxScore(weights: Readonly<Record<ScoreFeature, number>>): number {
  return millionths(SCORE_FEATURES.reduce((total, feature) => total + weights[feature], 0))
}

/**
 * Returns the threshold: that of the manifest, which is in points, or that of the host, which is normalised. A `min_tau` of the policy can
 * raise it, and nothing lowers it.
 */
export function thresholdOf(points: number | undefined, max: number, hostTau: number, minTau: number | undefined): Threshold {
  const own = points === undefined ? millionths(hostTau) : ratio(millionths(points), max)
  const least = minTau === undefined ? 0 : millionths(minTau)
  const tau_normalised = Math.max(own, least)
  const isRaised = least > own
  return {
    tau_raw: points !== undefined && !isRaised ? millionths(points) : Math.round((tau_normalised * max) / 1_000_000),
    tau_normalised,
    tau_source: isRaised ? 'policy' : points === undefined ? 'sdk' : 'manifest',
  }
}
