import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { restartHandler, awaitSignal, perform } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { effectFailed } from '../commands/requirements.ts'
import { askService } from '../models/session-values.ts'

/** What is put before a council. */
export interface Proposal {
  readonly text: string
  readonly agent: string
  readonly evaluators: readonly string[]
  readonly quorum: string
}

/** Milliseconds between two looks at a proposal: twice as long each time, up to the second. */
const FIRST_REST = 1_000
const LONGEST_REST = 600_000

const DECISIONS: readonly string[] = ['approved', 'rejected', 'deadlock']

interface HostDecision {
  readonly decision: string
  readonly recommendation: string
}

/** What a node that waits for a council keeps from one look to the next. Times in milliseconds. */
interface PendingDecision {
  readonly id: string
  readonly waited: number
  readonly rest: number
}

type HostSteps<Value> = Generator<Ask, Value | Outcome, Answer>

/** Puts a proposal before the council of the host; what it decides at once is kept for the nodes that ask later. */
export function* proposeToHost(context: NodeContext, proposal: Proposal): Steps {
  const proposed = yield* submitProposal(context, proposal)
  return 'status' in proposed ? proposed : success({ 'consensus.proposal_id': proposed.id, 'consensus.status': 'submitted' })
}

/** The same, and waits for the decision: as long as the node states by `timeout`, else without a limit. */
export function* askHost(context: NodeContext, proposal: Proposal): Steps {
  const timeout = durationOf(context.attributes, 'timeout') || Number.POSITIVE_INFINITY
  if (context.kept !== undefined) return yield* awaitDecision(context, context.kept as unknown as PendingDecision, timeout, true)
  const proposed = yield* submitProposal(context, proposal)
  if ('status' in proposed) return proposed
  if (proposed.decided !== undefined) return decisionOutcome(proposed.decided)
  return yield* awaitDecision(context, { id: proposed.id, waited: 0, rest: FIRST_REST }, timeout, true)
}

/** Waits for the decision on a proposal, up to a time; then the proposal is pending, which is no failure. */
export function* awaitHost(context: NodeContext, id: string, timeout: number): Steps {
  const pending = context.kept === undefined ? { id, waited: 0, rest: FIRST_REST } : (context.kept as unknown as PendingDecision)
  return yield* awaitDecision(context, pending, timeout, false)
}

/** Says whether a proposal has been decided, without waiting. */
export function* checkWithHost(context: NodeContext, id: string): Steps {
  const found = yield* readDecision(context, id)
  if (found !== undefined && 'status' in found) return found
  return success({ 'consensus.status': found === undefined ? 'pending' : 'decided' })
}

/** One look and one rest, in which somebody may send the decision; then it begins again with what it keeps. */
function* awaitDecision(context: NodeContext, { id, waited, rest }: PendingDecision, timeout: number, failsOnTimeout: boolean): Steps {
  const found = yield* readDecision(context, id)
  if (found !== undefined) return 'status' in found ? found : decisionOutcome(found)
  if (waited >= timeout) {
    const pending = { context_updates: { 'consensus.proposal_id': id, 'consensus.status': 'pending' } }
    return failsOnTimeout ? refusal(`${context.node.id}: no decision on ${id} in time`, pending) : success(pending.context_updates)
  }
  const left = timeout - waited
  const wait = context.permissions.council?.checks === true ? Math.min(rest, left) : left
  const result = yield* awaitSignal(`consensus.${id}`, Number.isFinite(wait) ? wait : undefined)
  // Whoever sends it says the decision and nothing else: words from outside would have the label of the council's.
  const sent =
    'message' in result ? decisionIn(isObject(result.message) ? (result.message['decision'] ?? null) : result.message) : undefined
  if (sent !== undefined) {
    const failed = yield* storeDecision(context, id, sent)
    return failed ?? decisionOutcome(sent)
  }
  if ('message' in result)
    context.note('stage_warning', {
      node_id: context.node.id,
      warning: `a decision is ${DECISIONS.join(', ')}; the message was something else`,
    })
  return yield* restartHandler({
    id,
    waited: 'message' in result ? waited : waited + wait,
    rest: Math.min(2 * rest, LONGEST_REST),
  } satisfies PendingDecision)
}

function* submitProposal(
  context: NodeContext,
  { text, agent, evaluators, quorum }: Proposal,
): HostSteps<{ readonly id: string; readonly decided?: HostDecision }> {
  const answered = yield* askService(context, 'consensus', 'propose', { text, evaluators: [...evaluators], quorum }, agent)
  if ('error' in answered) return effectFailed(context, answered.error)
  const answer = 'value' in answered && isObject(answered.value) ? answered.value : {}
  const id = renderText(answer['proposal_id'])
  if (id === '') return refusal(`${context.node.id}: the council of the host gave no proposal_id`)
  const decision = decisionIn(answer)
  if (decision === undefined) return { id }
  const failed = yield* storeDecision(context, id, decision)
  return failed ?? { id, decided: decision }
}

/** How a proposal stands: by what the run has kept, else by what the host says. Undefined while it is pending. */
function* readDecision(context: NodeContext, id: string): HostSteps<HostDecision | undefined> {
  const read = yield* perform('ledger', ['read', ledgerOf(context), 0])
  if (read.error !== undefined) return effectFailed(context, read.error)
  const [, kept] =
    (isList(read.ok) ? read.ok : []).flatMap((entry) => (isList(entry) && isDecided(entry[1], id) ? [[0, entry[1]] as const] : []))[0] ?? []
  const known = decisionIn(kept)
  if (known !== undefined || context.permissions.council?.checks !== true) return known
  const asked = yield* askService(context, 'consensus', 'check', { proposal_id: id })
  if ('error' in asked) return effectFailed(context, asked.error)
  return 'value' in asked ? decisionIn(asked.value) : undefined
}

function isDecided(entry: Json | undefined, id: string): boolean {
  return isObject(entry) && entry['decided'] === id
}

/** Keeps a decision for later nodes of the run; the failure of the node if it cannot be kept. */
function* storeDecision(context: NodeContext, id: string, decision: HostDecision): HostSteps<undefined> {
  const appended = yield* perform('ledger', ['append', ledgerOf(context), { decided: id, ...decision }])
  return appended.error === undefined ? undefined : effectFailed(context, appended.error)
}

/** A decision, as a word or as an object that has one; nothing else is one. */
function decisionIn(value: Json | undefined): HostDecision | undefined {
  const { decision, recommendation } = isObject(value) ? value : { decision: value, recommendation: undefined }
  const word = DECISIONS.find((one) => one === decision)
  return word === undefined ? undefined : { decision: word, recommendation: typeof recommendation === 'string' ? recommendation : '' }
}

function decisionOutcome({ decision, recommendation }: HostDecision): Outcome {
  return success(decisionKeys(decision, recommendation), recommendation === '' ? {} : { notes: recommendation })
}

export function decisionKeys(decision: string, recommendation = ''): JsonObject {
  return { 'consensus.decision': decision, 'consensus.recommendation': recommendation, 'consensus.status': 'decided' }
}

/** A ledger of the run's own: proposals of other runs are nobody's business here. */
export function ledgerOf({ permissions }: NodeContext): string {
  return `consensus/${permissions.run}`
}
