import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { autoAnswers, type Question } from '../../../../people/index.ts'
import { findChoice, type NamedChoice } from '../../language/find-choice.ts'
import { edgeIdsOf } from '../../dot/edge-ids.ts'
import { type EdgeChoice, edgeChoices, questionForm, YES_NO } from '../../model/human-choices.ts'
import type { TypedEdge } from '../../model/typed.ts'
import { listOf, textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { expandFromContext } from '../../language/variables.ts'
import { askPerson } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { ASK } from '../../model/capability-uris.ts'
import { prompt, writes } from '../../model/operation-ports.ts'
import { QUESTION } from '../parameters.ts'

/** The limit of answers that match no choice. */
const TRIES = 3

/** Asks a person for an edge: the edges are the choices (reference pipeline 7.3). */
const run: Handler = (context) => {
  const edges = context.typed.outgoing.get(context.node.id) ?? []
  if (edges.length === 0) return refusal(`${context.node.id}: no choices: no edge leaves the node`)
  const form = questionForm(context, edges)
  if (form === 'freeform') return askText(context, edges)
  return form === 'yes_no' ? askApproval(context, 'approval') : askChoice(context, edges)
}

function* askChoice(context: NodeContext, edges: readonly TypedEdge[]): Steps {
  const choices = edgeChoices(edges)
  const otherwise = defaultOf(context, choices)
  const question = questionOf(context, {
    options: optionsOf(context, choices),
    ...(otherwise === undefined ? {} : { otherwise: otherwise.label }),
  })
  for (let tries = 1; tries <= TRIES; tries++) {
    const reply = yield* askQuestion(context, question)
    if (reply === 'late') return otherwise === undefined ? lateOutcome() : choiceOutcome(otherwise, TIMED_OUT)
    if (reply === 'skipped') return skippedOutcome()
    const choice = typeof reply.answer === 'string' ? findChoice(choices, reply.answer) : undefined
    if (choice !== undefined) return choiceOutcome(choice, answererUpdates(reply))
  }
  return refusal(`${context.node.id}: ${TRIES} answers matched none of ${choices.map(({ label }) => label).join(', ')}`)
}

/** Asks for a text. If edges have labels, the answer may also be a label (reference pipeline 7.3, `human.gate.text`). */
function* askText(context: NodeContext, edges: readonly TypedEdge[]): Steps {
  const choices = edges.every(({ label }) => label === '') ? [] : edgeChoices(edges)
  const otherwise = textOf(context.attributes, 'human.default_choice')
  const question = questionOf(context, {
    ...(choices.length === 0 ? {} : { options: optionsOf(context, choices) }),
    schema: { type: 'string' },
    ...(otherwise === undefined ? {} : { otherwise }),
  })
  const reply = yield* askQuestion(context, question)
  if (reply === 'late') return otherwise === undefined ? lateOutcome() : textOutcome(choices, otherwise, TIMED_OUT)
  if (reply === 'skipped') return skippedOutcome()
  return textOutcome(choices, typeof reply.answer === 'string' ? reply.answer : JSON.stringify(reply.answer), answererUpdates(reply))
}

function textOutcome(choices: readonly EdgeChoice[], text: string, more: JsonObject = {}): Outcome {
  const choice = choices.find(({ label }) => label === text) ?? findChoice(choices, text)
  const updates = { ...more, 'human.gate.text': text }
  return choice === undefined ? success(updates) : choiceOutcome(choice, updates)
}

/**
 * Asks a yes-no question. As `approval` it reports the answer and continues; as `gate` it fails if the answer is no (reference
 * pipeline 4.11, 4.12).
 */
export function* askApproval(context: NodeContext, as: 'approval' | 'gate'): Steps {
  const otherwise = defaultOf(context, YES_NO)
  const question = questionOf(context, {
    options: [
      { value: 'yes', label: 'Yes', key: 'Y', also: ['approve', 'approved', 'true'] },
      { value: 'no', label: 'No', key: 'N', also: ['reject', 'rejected', 'false'] },
    ],
    ...(otherwise === undefined ? {} : { otherwise: otherwise.label.toLowerCase() }),
  })
  const reply = yield* askQuestion(context, question)
  if (reply === 'skipped') return skippedOutcome()
  if (reply === 'late' && otherwise === undefined) return lateOutcome()
  const isApproved = reply === 'late' ? otherwise?.key === 'Y' : isYes(reply.answer)
  const label = isApproved ? 'Yes' : 'No'
  const keys: JsonObject = {
    ...(reply === 'late' ? TIMED_OUT : answererUpdates(reply)),
    'human.gate.selected': isApproved ? 'Y' : 'N',
    'human.gate.label': label,
  }
  if (as === 'approval') return success({ ...keys, 'approval.status': isApproved ? 'approved' : 'rejected' }, { preferred_label: label })
  const updates = { ...keys, [`gate.${context.node.id}.passed`]: isApproved }
  return isApproved ? success(updates) : refusal('a person answered no', { context_updates: updates })
}

/** True only for an answer that clearly means yes. */
function isYes(answer: Json): boolean {
  return answer === true || (typeof answer === 'string' && findChoice(YES_NO, answer)?.key === 'Y')
}

/** Returns the options of a question. The target of the edge is the last of the other names. */
function optionsOf({ typed }: NodeContext, choices: readonly EdgeChoice[]): NonNullable<Question['options']> {
  const ids = edgeIdsOf(typed.graph)
  const also = ({ edge, fullLabel, to = '' }: EdgeChoice): string[] => [...new Set([ids.get(edge.edge) ?? to, fullLabel, to])]
  return choices.map((choice) => ({ value: choice.label, key: choice.key, also: also(choice) }))
}

function defaultOf<One extends NamedChoice>({ attributes }: NodeContext, choices: readonly One[]): One | undefined {
  const word = textOf(attributes, 'human.default_choice')
  return word === undefined ? undefined : findChoice(choices, word)
}

function choiceOutcome({ edge, key, label, fullLabel: whole }: EdgeChoice, more: JsonObject = {}): Outcome {
  return {
    status: 'success',
    preferred_label: whole,
    suggested_next_ids: [edge.edge.to],
    edge: edge.edge.index,
    context_updates: { ...more, 'human.gate.selected': key, 'human.gate.label': label },
  }
}

/** Returns the question of a node, with the values that the node lists for review. */
function questionOf(context: NodeContext, form: Omit<Question, 'text'>): Question {
  const { attributes } = context
  const text = textOf(attributes, 'question') ?? textOf(attributes, 'label') ?? textOf(attributes, 'prompt') ?? 'Select an option:'
  const shown = listOf(attributes, 'reviews_keys').flatMap((key): [string, Json][] => {
    const value = context.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return {
    text: expandFromContext(text, (key) => context.get(key)),
    ...form,
    ...(shown.length === 0 ? {} : { about: Object.fromEntries(shown) }),
  }
}

/** Asks a person. Returns the answer, or the reason why there is none. */
function* askQuestion(context: NodeContext, question: Question): Generator<Ask, PersonAnswer | 'late' | 'skipped', Answer> {
  const { attributes } = context
  const reply = yield* askPerson(question, durationOf(attributes, 'human.timeout_seconds') ?? durationOf(attributes, 'timeout'))
  const absence = 'late' in reply ? 'late' : absenceOf(reply.answer)
  return absence === undefined && 'answer' in reply ? reply : (absence ?? 'skipped')
}

/** Returns the reason in the answer of an interviewer who got no answer. */
function absenceOf(answer: Json): 'late' | 'skipped' | undefined {
  if (!isObject(answer)) return undefined
  return answer['skipped'] === true ? 'skipped' : answer['timeout'] === true ? 'late' : undefined
}

/** An answer and its author. */
interface PersonAnswer {
  readonly answer: Json
  readonly by?: string | undefined
}

/** Returns a mark for an automatic answer, which is not evidence of a review. */
function answererUpdates({ by }: PersonAnswer): JsonObject {
  return by === autoAnswers.by ? { 'human.gate.automatic': true } : {}
}

const TIMED_OUT: JsonObject = { 'human.gate.timed_out': true }

/** Returns the outcome of a question that timed out: it is retried while the node has attempts left, then it fails. */
function lateOutcome(): Outcome {
  return { status: 'retry', failure_reason: 'human gate timeout, no default' }
}

function skippedOutcome(): Outcome {
  return refusal('human skipped interaction')
}

export const waitHuman = defineOperation({
  name: 'wait.human',
  does: 'Asks a person to choose an edge, or to write a text.',
  shape: 'hexagon',
  dispatch: [{ type: 'wait', by: { source: 'human' } }],
  usual: [],
  parameters: {
    ...QUESTION,
  },
  reads: [prompt('question')],
  writes: [...writes('engine', 'human.gate.selected', 'human.gate.label', 'approval.status'), ...writes('outside', 'human.gate.text')],
  repeat: 'side_effecting',
  needs: () => [ASK],
  form: 'choice',
  patient: true,
  sanitizes: 'review',
  run,
})
