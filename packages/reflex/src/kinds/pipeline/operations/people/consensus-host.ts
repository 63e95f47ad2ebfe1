import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { restartHandler, awaitSignal, perform } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { effectFailed } from '../commands/requirements.ts'
import { askService } from '../models/session-values.ts'

/** The proposal to a council. */
export interface Proposal {
  readonly text: string
  readonly agent: string
  readonly evaluators: readonly string[]
  readonly quorum: string
}

/** The first and the longest pause between two checks of a proposal, in milliseconds. Each pause is twice as long as the one before. */
const FIRST_REST = 1_000
const LONGEST_REST = 600_000

const DECISIONS: readonly string[] = ['approved', 'rejected', 'deadlock']

interface HostDecision {
  readonly decision: string
  readonly recommendation: string
}

/** The data that a waiting node keeps between two checks. Times are in milliseconds. */
interface PendingDecision {
  readonly id: string
  readonly waited: number
  readonly rest: number
}

type HostSteps<Value> = Generator<Ask, Value | Outcome, Answer>

/** Submits a proposal to the council of the host. An immediate decision is kept for later nodes. */
export function* proposeToHost(context: NodeContext, proposal: Proposal): Steps {
  const proposed = yield* submitProposal(context, proposal)
  return 'status' in proposed ? proposed : success({ 'consensus.proposal_id': proposed.id, 'consensus.status': 'submitted' })
}

/** Submits a proposal and waits for the decision: up to `timeout` of the node, else without a limit. */
export function* askHost(context: NodeContext, proposal: Proposal): Steps {
  const timeout = durationOf(context.attributes, 'timeout') || Number.POSITIVE_INFINITY
  if (context.kept !== undefined) return yield* awaitDecision(context, context.kept as unknown as PendingDecision, timeout, true)
  const proposed = yield* submitProposal(context, proposal)
  if ('status' in proposed) return proposed
  if (proposed.decided !== undefined) return decisionOutcome(proposed.decided)
  return yield* awaitDecision(context, { id: proposed.id, waited: 0, rest: FIRST_REST }, timeout, true)
}

/** Waits for the decision on a proposal up to a limit. After that the proposal is pending, which is not a failure. */
export function* awaitHost(context: NodeContext, id: string, timeout: number): Steps {
  const pending = context.kept === undefined ? { id, waited: 0, rest: FIRST_REST } : (context.kept as unknown as PendingDecision)
  return yield* awaitDecision(context, pending, timeout, false)
}

/** Returns the status of a proposal without waiting. */
export function* checkWithHost(context: NodeContext, id: string): Steps {
  const found = yield* readDecision(context, id)
  if (found !== undefined && 'status' in found) return found
  return success({ 'consensus.status': found === undefined ? 'pending' : 'decided' })
}

/** Checks once and pauses once. A message with the decision ends the pause; otherwise the handler restarts with the kept data. */
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
  // The sender states only the decision. Free text from outside would get the label of the council's own text.
  const sent =
    'message' in result ? decisionIn(isObject(result.message) ? (result.message['decision'] ?? null) : result.message) : undefined
  if (sent !== undefined) {
    const failed = yield* storeDecision(context, id, sent)
    return failed ?? decisionOutcome(sent)
  }
  if ('message' in result)
    context.note('stage_warning', {
      node_id: context.node.id,
      warning: `a decision must be one of ${DECISIONS.join(', ')}; the message had none of them`,
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
  if (id === '') return refusal(`${context.node.id}: the council of the host returned no proposal_id`)
  const decision = decisionIn(answer)
  if (decision === undefined) return { id }
  const failed = yield* storeDecision(context, id, decision)
  return failed ?? { id, decided: decision }
}

/** Returns the decision on a proposal: the one that the run has kept, else that of the host. Undefined while it is pending. */
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

/** Keeps a decision for later nodes of the run. Returns the failure of the node if it cannot be kept. */
function* storeDecision(context: NodeContext, id: string, decision: HostDecision): HostSteps<undefined> {
  const appended = yield* perform('ledger', ['append', ledgerOf(context), { decided: id, ...decision }])
  return appended.error === undefined ? undefined : effectFailed(context, appended.error)
}

/** Returns the decision in a value: a word, or an object that has one; undefined for any other value. */
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

/** Returns the name of the run's own ledger. Proposals of other runs are not visible in it. */
export function ledgerOf({ permissions }: NodeContext): string {
  return `consensus/${permissions.run}`
}
