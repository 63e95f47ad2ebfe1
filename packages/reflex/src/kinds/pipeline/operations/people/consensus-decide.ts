import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { readVote, type Vote } from './consensus-vote.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { COUNCIL } from '../parameters.ts'

/** The decision of a council. */
export interface Decision {
  readonly decision: 'approved' | 'rejected' | 'deadlock'
  readonly approve_count: number
  readonly reject_count: number
  readonly abstain_count: number
  readonly quorum_met: boolean
  readonly average_confidence: number
  /** The concerns that were named most often, at most five. */
  readonly primary_concerns: readonly string[]
  /** The decision in one line. */
  readonly recommendation: string
}

/** The limit of concerns in a decision. */
const MOST_CONCERNS = 5

/**
 * Counts votes (reference pipeline 4.6.1, decide). `missing` is the number of voters that failed: they count as abstentions, so
 * that an error never creates a majority. A side wins if it reaches the quorum and has more votes than the other side: a tie
 * never approves. Returns a `problem` for an invalid quorum, and if there are no votes.
 */
export function decideVotes(votes: readonly Vote[], missing: number, quorum: string): Decision | { readonly problem: string } {
  const count = (side: Vote['vote']): number => votes.filter(({ vote }) => vote === side).length
  const [approve, reject, n] = [count('approve'), count('reject'), votes.length + missing]
  if (votes.length === 0) return { problem: 'no vote could be read' }
  const needed = quorumOf(quorum, n)
  if (needed === undefined) return { problem: quorumProblem(quorum) ?? '' }
  const decision = approve >= needed && approve > reject ? 'approved' : reject >= needed && reject > approve ? 'rejected' : 'deadlock'
  const concerns = mostNamed(votes.flatMap((vote) => [...new Set(vote.concerns)]))
  const abstain = n - approve - reject
  return {
    decision,
    approve_count: approve,
    reject_count: reject,
    abstain_count: abstain,
    quorum_met: decision !== 'deadlock',
    average_confidence: votes.reduce((sum, { confidence }) => sum + confidence, 0) / votes.length,
    primary_concerns: concerns,
    recommendation: `${ADVICE[decision]}: ${approve} approve, ${reject} reject, ${abstain} abstain${concerns.length === 0 ? '' : `; concerns: ${concerns.join('; ')}`}`,
  }
}

const ADVICE = { approved: 'approve', rejected: 'reject', deadlock: 'no agreement' } as const

/** Returns the mistake in a quorum, if there is one. */
export function quorumProblem(quorum: string): string | undefined {
  return quorumOf(quorum, 1) === undefined
    ? `a quorum must be majority, supermajority, unanimous or a whole number from 1, not ${JSON.stringify(quorum)}`
    : undefined
}

/** Returns the number of votes out of `n` that a side needs; undefined for an unknown word. */
function quorumOf(word: string, n: number): number | undefined {
  switch (word) {
    case 'majority':
      return Math.floor(n / 2) + 1
    case 'supermajority':
      return Math.ceil((2 * n) / 3)
    case 'unanimous':
      return n
    default:
      return /^[1-9]\d{0,8}$/.test(word) ? Number(word) : undefined
  }
}

function mostNamed(concerns: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const concern of concerns) counts.set(concern, (counts.get(concern) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_CONCERNS)
    .map(([concern]) => concern)
}

/**
 * Returns the decision of the branches of a parallel node. Each branch is a vote: its last answer, else `vote.<id>`, else its
 * notes. A branch that did not succeed, or has none of them, abstains.
 */
export function decideBranches(results: Json | undefined, quorum: string): Decision | { readonly problem: string } {
  const branches = isList(results) ? results.filter(isObject) : []
  if (branches.length === 0) return { problem: 'no parallel results' }
  const votes = branches.flatMap((branch) => voteOfBranch(branch) ?? [])
  return decideVotes(votes, branches.length - votes.length, quorum)
}

function voteOfBranch(branch: JsonObject): Vote | undefined {
  const { id, status, context_updates, notes } = branch
  if (status !== 'success' && status !== 'partial_success') return undefined
  const updates = isObject(context_updates) ? context_updates : {}
  const reply = [updates['last_response'], updates[`vote.${renderText(id)}`], notes].map(renderText).find((text) => text.trim() !== '')
  return reply === undefined ? undefined : readVote(reply)
}

/** Returns a decision as the `council.*` keys of the context. */
export function councilKeys({ recommendation: _recommendation, ...decision }: Decision): JsonObject {
  return Object.fromEntries(Object.entries(decision).map(([key, value]) => [`council.${key}`, value]))
}

/** Decides by the votes of the branches before it. A deadlock fails, except in the mode `advisory`. Pure. */
const run: Handler = (context) => {
  const { attributes, node, typed } = context
  const decision = decideBranches(context.get('parallel.results'), textOf(attributes, 'quorum')?.trim() || 'majority')
  if ('problem' in decision) return refusal(`${node.id}: ${decision.problem}`)
  const isAdvice = (textOf(attributes, 'mode') ?? textOf(typed.graph.attributes, 'mode'))?.trim() === 'advisory'
  const updates = {
    ...councilKeys(decision),
    'consensus.status': 'decided',
    ...(isAdvice ? { 'council.recommendation': decision.recommendation } : {}),
  }
  return decision.decision === 'deadlock' && !isAdvice
    ? refusal(`${node.id}: the council does not agree (${decision.recommendation})`, { context_updates: updates })
    : success(updates, { notes: decision.recommendation })
}

export const consensusDecide = defineOperation({
  name: 'consensus.decide',
  does: 'Decides by the votes of the preceding branches.',
  dispatch: [{ type: 'compose', by: { mode: 'consensus', op: 'decide' }, injects: { mode: 'consensus' } }],
  parameters: {
    ...COUNCIL,
  },
  reads: [context('parallel.results')],
  writes: writes('derived', 'consensus.', 'council.'),
  repeat: 'side_effecting',
  patient: true,
  takesPrompt: true,
  sanitizes: 'votes',
  run,
})
