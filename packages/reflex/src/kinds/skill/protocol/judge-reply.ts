import { canonicalJson } from '../../../kernel/index.ts'
import type { Clarification, Proposal, Rejection, RejectionReason } from '../model/protocol.ts'

/** A block of a reply whose body was read, in the order of the reply. */
export type ReadBlock =
  | { readonly found: 'proposal'; readonly proposal: Proposal }
  | { readonly found: 'clarification'; readonly clarification: Clarification }
  | { readonly found: 'malformed'; readonly detail: string; readonly callIds: readonly string[] }
  | { readonly found: 'fenced' }

export interface Judgement {
  readonly proposals: readonly Proposal[]
  readonly clarification?: Clarification
  readonly rejections: readonly Rejection[]
}

const CODES: Readonly<Record<RejectionReason, string>> = {
  malformed: 'R1460',
  fenced: 'R1461',
  too_many: 'R1462',
  clarify_pending: 'R1463',
}

/** Returns what is decided of a reply, and why the other blocks are not (reference skill 1.12, rules 7 to 9 and 11). */
export function judgeReply(blocks: readonly ReadBlock[], maxProposals: number): Judgement {
  const proposals = withoutDuplicates(blocks.flatMap((block) => (block.found === 'proposal' ? [block.proposal] : [])))
  const clarifications = blocks.flatMap((block) => (block.found === 'clarification' ? [block.clarification] : []))
  const clarification = joined(clarifications)
  const decided = clarification === undefined ? proposals.slice(0, maxProposals) : []
  const refused = proposals.slice(decided.length)
  const why = clarification === undefined ? 'too_many' : 'clarify_pending'
  const isExecutable = proposals.length + clarifications.length > 0
  return {
    proposals: decided,
    ...(clarification !== undefined && { clarification }),
    rejections: [
      ...malformedOf(blocks),
      ...(blocks.some(({ found }) => found === 'fenced') && !isExecutable ? [fenced()] : []),
      ...refused.map((proposal) => refusal(proposal, why, maxProposals)),
    ],
  }
}

/** One result for all malformed blocks of text, and one for each call, because every call gets an answer. */
function malformedOf(blocks: readonly ReadBlock[]): Rejection[] {
  const malformed = blocks.flatMap((block) => (block.found === 'malformed' ? [block] : []))
  const texts = malformed.filter(({ callIds }) => callIds.length === 0).slice(0, 1)
  return [...texts, ...malformed.filter(({ callIds }) => callIds.length > 0)].map(({ detail, callIds }) =>
    rejection('malformed', detail, callIds),
  )
}

function fenced(): Rejection {
  return rejection('fenced', 'repeat the block outside of the code block', [])
}

function refusal(proposal: Proposal, reason: 'too_many' | 'clarify_pending', maxProposals: number): Rejection {
  const most = maxProposals === 1 ? 'one skill' : `${maxProposals} skills`
  const detail = reason === 'too_many' ? `propose at most ${most} in a reply` : 'wait for the answer, then propose again'
  return { ...rejection(reason, detail, proposal.callIds), skill_ref: proposal.skill_ref }
}

function rejection(reason: RejectionReason, detail: string, callIds: readonly string[]): Rejection {
  return { reason, code: CODES[reason], detail, callIds }
}

/** Identical proposals are one, with the calls of all. */
function withoutDuplicates(proposals: readonly Proposal[]): Proposal[] {
  const byContent = new Map<string, Proposal>()
  for (const proposal of proposals) {
    const content = canonicalJson({ skill: proposal.skill_ref, inputs: proposal.inputs })
    const first = byContent.get(content)
    byContent.set(content, first === undefined ? proposal : { ...first, callIds: [...first.callIds, ...proposal.callIds] })
  }
  return [...byContent.values()]
}

const MAX_QUESTIONS = 5

/** Several requests of one reply are one, with the first five questions. */
function joined(clarifications: readonly Clarification[]): Clarification | undefined {
  const [first, ...more] = clarifications
  if (first === undefined || more.length === 0) return first
  return {
    ...first,
    questions: clarifications.flatMap(({ questions }) => questions).slice(0, MAX_QUESTIONS),
    callIds: clarifications.flatMap(({ callIds }) => callIds),
  }
}
