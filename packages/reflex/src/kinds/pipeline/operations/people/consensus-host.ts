import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { again, awaitSignal, perform } from '../../contract/asks.ts'
import type { Answer, Ask, Scene, Steps } from '../../contract/handler.ts'
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

interface Decided {
  readonly decision: string
  readonly recommendation: string
}

/** What a node that waits for a council keeps from one look to the next. Times in milliseconds. */
interface Pending {
  readonly id: string
  readonly waited: number
  readonly rest: number
}

type Came<Value> = Generator<Ask, Value | Outcome, Answer>

/** Puts a proposal before the council of the host; what it decides at once is kept for the nodes that ask later. */
export function* proposeToHost(scene: Scene, proposal: Proposal): Steps {
  const put = yield* proposes(scene, proposal)
  return 'status' in put ? put : success({ 'consensus.proposal_id': put.id, 'consensus.status': 'submitted' })
}

/** The same, and waits for the decision: as long as the node states by `timeout`, else without a limit. */
export function* askHost(scene: Scene, proposal: Proposal): Steps {
  const timeout = durationOf(scene.attributes, 'timeout') || Number.POSITIVE_INFINITY
  if (scene.kept !== undefined) return yield* waits(scene, scene.kept as unknown as Pending, timeout, true)
  const put = yield* proposes(scene, proposal)
  if ('status' in put) return put
  if (put.decided !== undefined) return decided(put.decided)
  return yield* waits(scene, { id: put.id, waited: 0, rest: FIRST_REST }, timeout, true)
}

/** Waits for the decision on a proposal, up to a time; then the proposal is pending, which is no failure. */
export function* awaitHost(scene: Scene, id: string, timeout: number): Steps {
  const pending = scene.kept === undefined ? { id, waited: 0, rest: FIRST_REST } : (scene.kept as unknown as Pending)
  return yield* waits(scene, pending, timeout, false)
}

/** Says whether a proposal has been decided, without waiting. */
export function* checkWithHost(scene: Scene, id: string): Steps {
  const found = yield* look(scene, id)
  if (found !== undefined && 'status' in found) return found
  return success({ 'consensus.status': found === undefined ? 'pending' : 'decided' })
}

/** One look and one rest, in which somebody may send the decision; then it begins again with what it keeps. */
function* waits(scene: Scene, { id, waited, rest }: Pending, timeout: number, fails: boolean): Steps {
  const found = yield* look(scene, id)
  if (found !== undefined) return 'status' in found ? found : decided(found)
  if (waited >= timeout) {
    const pending = { context_updates: { 'consensus.proposal_id': id, 'consensus.status': 'pending' } }
    return fails ? refusal(`${scene.node.id}: no decision on ${id} in time`, pending) : success(pending.context_updates)
  }
  const left = timeout - waited
  const pause = scene.charter.council?.checks === true ? Math.min(rest, left) : left
  const came = yield* awaitSignal(`consensus.${id}`, Number.isFinite(pause) ? pause : undefined)
  // Whoever sends it says the decision and nothing else: words from outside would have the label of the council's.
  const sent = 'message' in came ? decisionIn(isObject(came.message) ? (came.message['decision'] ?? null) : came.message) : undefined
  if (sent !== undefined) {
    const kept = yield* keeps(scene, id, sent)
    return kept ?? decided(sent)
  }
  if ('message' in came)
    scene.note('stage_warning', {
      node_id: scene.node.id,
      warning: `a decision is ${DECISIONS.join(', ')}; the message was something else`,
    })
  return yield* again({ id, waited: 'message' in came ? waited : waited + pause, rest: Math.min(2 * rest, LONGEST_REST) } satisfies Pending)
}

function* proposes(scene: Scene, { text, agent, evaluators, quorum }: Proposal): Came<{ readonly id: string; readonly decided?: Decided }> {
  const put = yield* askService(scene, 'consensus', 'propose', { text, evaluators: [...evaluators], quorum }, agent)
  if ('error' in put) return effectFailed(scene, put.error)
  const answer = 'value' in put && isObject(put.value) ? put.value : {}
  const id = renderText(answer['proposal_id'])
  if (id === '') return refusal(`${scene.node.id}: the council of the host gave no proposal_id`)
  const made = decisionIn(answer)
  if (made === undefined) return { id }
  const kept = yield* keeps(scene, id, made)
  return kept ?? { id, decided: made }
}

/** How a proposal stands: by what the run has kept, else by what the host says. Undefined while it is pending. */
function* look(scene: Scene, id: string): Came<Decided | undefined> {
  const read = yield* perform('ledger', ['read', ledgerOf(scene), 0])
  if (read.error !== undefined) return effectFailed(scene, read.error)
  const [, kept] =
    (isList(read.ok) ? read.ok : []).flatMap((entry) => (isList(entry) && isDecided(entry[1], id) ? [[0, entry[1]] as const] : []))[0] ?? []
  const known = decisionIn(kept)
  if (known !== undefined || scene.charter.council?.checks !== true) return known
  const asked = yield* askService(scene, 'consensus', 'check', { proposal_id: id })
  if ('error' in asked) return effectFailed(scene, asked.error)
  return 'value' in asked ? decisionIn(asked.value) : undefined
}

function isDecided(entry: Json | undefined, id: string): boolean {
  return isObject(entry) && entry['decided'] === id
}

/** Keeps a decision for later nodes of the run; the failure of the node if it cannot be kept. */
function* keeps(scene: Scene, id: string, made: Decided): Came<undefined> {
  const told = yield* perform('ledger', ['append', ledgerOf(scene), { decided: id, ...made }])
  return told.error === undefined ? undefined : effectFailed(scene, told.error)
}

/** A decision, as a word or as an object that has one; nothing else is one. */
function decisionIn(value: Json | undefined): Decided | undefined {
  const { decision, recommendation } = isObject(value) ? value : { decision: value, recommendation: undefined }
  const word = DECISIONS.find((one) => one === decision)
  return word === undefined ? undefined : { decision: word, recommendation: typeof recommendation === 'string' ? recommendation : '' }
}

function decided({ decision, recommendation }: Decided): Outcome {
  return success(decisionKeys(decision, recommendation), recommendation === '' ? {} : { notes: recommendation })
}

export function decisionKeys(decision: string, recommendation = ''): JsonObject {
  return { 'consensus.decision': decision, 'consensus.recommendation': recommendation, 'consensus.status': 'decided' }
}

/** A ledger of the run's own: proposals of other runs are nobody's business here. */
export function ledgerOf({ charter }: Scene): string {
  return `consensus/${charter.run}`
}
