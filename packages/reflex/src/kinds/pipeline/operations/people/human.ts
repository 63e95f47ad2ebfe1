import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { autoAnswers, type Question } from '../../../../people/index.ts'
import { choiceNamed, type NamedChoice } from '../../language/choices.ts'
import { edgeIdsOf } from '../../dot/edge-ids.ts'
import { type Choice, choicesFrom, formOf, YES_NO } from '../../model/human-choices.ts'
import type { TypedEdge } from '../../model/typed.ts'
import { listOf, textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { expandFromContext } from '../../language/variables.ts'
import { askPerson } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, Scene, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'

/** Times that somebody is asked who answers with what is no choice. */
const TRIES = 3

/** Asks a person which way to go: the edges are the choices (reference pipeline 7.3). */
export const waitHuman: Handler = (scene) => {
  const edges = scene.typed.outgoing.get(scene.node.id) ?? []
  if (edges.length === 0) return refusal(`${scene.node.id}: no choices: nothing leaves it`)
  const form = formOf(scene, edges)
  if (form === 'freeform') return writing(scene, edges)
  return form === 'yes_no' ? approval(scene, 'approval') : choosing(scene, edges)
}

function* choosing(scene: Scene, edges: readonly TypedEdge[]): Steps {
  const choices = choicesFrom(edges)
  const otherwise = defaultOf(scene, choices)
  const question = questionOf(scene, {
    options: optionsOf(scene, choices),
    ...(otherwise === undefined ? {} : { otherwise: otherwise.label }),
  })
  for (let tries = 1; tries <= TRIES; tries++) {
    const said = yield* asked(scene, question)
    if (said === 'late') return otherwise === undefined ? late() : chosen(otherwise, TIMED_OUT)
    if (said === 'skipped') return skipped()
    const choice = typeof said.answer === 'string' ? choiceNamed(choices, said.answer) : undefined
    if (choice !== undefined) return chosen(choice, saidBy(said))
  }
  return refusal(`${scene.node.id}: ${TRIES} answers were none of ${choices.map(({ label }) => label).join(', ')}`)
}

/** Asks for text; where edges have labels, one of them may be the answer instead (reference pipeline 7.3, `human.gate.text`). */
function* writing(scene: Scene, edges: readonly TypedEdge[]): Steps {
  const choices = edges.every(({ label }) => label === '') ? [] : choicesFrom(edges)
  const otherwise = textOf(scene.attributes, 'human.default_choice')
  const question = questionOf(scene, {
    ...(choices.length === 0 ? {} : { options: optionsOf(scene, choices) }),
    schema: { type: 'string' },
    ...(otherwise === undefined ? {} : { otherwise }),
  })
  const said = yield* asked(scene, question)
  if (said === 'late') return otherwise === undefined ? late() : written(choices, otherwise, TIMED_OUT)
  if (said === 'skipped') return skipped()
  return written(choices, typeof said.answer === 'string' ? said.answer : JSON.stringify(said.answer), saidBy(said))
}

function written(choices: readonly Choice[], text: string, more: JsonObject = {}): Outcome {
  const choice = choices.find(({ label }) => label === text) ?? choiceNamed(choices, text)
  const updates = { ...more, 'human.gate.text': text }
  return choice === undefined ? success(updates) : chosen(choice, updates)
}

/**
 * A question of yes and no. As `approval` it says what came of it and goes on; as `gate` it fails on no (reference
 * pipeline 4.11, 4.12).
 */
export function* approval(scene: Scene, as: 'approval' | 'gate'): Steps {
  const otherwise = defaultOf(scene, YES_NO)
  const question = questionOf(scene, {
    options: [
      { value: 'yes', label: 'Yes', key: 'Y', also: ['approve', 'approved', 'true'] },
      { value: 'no', label: 'No', key: 'N', also: ['reject', 'rejected', 'false'] },
    ],
    ...(otherwise === undefined ? {} : { otherwise: otherwise.label.toLowerCase() }),
  })
  const said = yield* asked(scene, question)
  if (said === 'skipped') return skipped()
  if (said === 'late' && otherwise === undefined) return late()
  const yes = said === 'late' ? otherwise?.key === 'Y' : isYes(said.answer)
  const label = yes ? 'Yes' : 'No'
  const keys: JsonObject = {
    ...(said === 'late' ? TIMED_OUT : saidBy(said)),
    'human.gate.selected': yes ? 'Y' : 'N',
    'human.gate.label': label,
  }
  if (as === 'approval') return success({ ...keys, 'approval.status': yes ? 'approved' : 'rejected' }, { preferred_label: label })
  const updates = { ...keys, [`gate.${scene.node.id}.passed`]: yes }
  return yes ? success(updates) : refusal('a person said no', { context_updates: updates })
}

/** Only what clearly says yes is one. */
function isYes(answer: Json): boolean {
  return answer === true || (typeof answer === 'string' && choiceNamed(YES_NO, answer)?.key === 'Y')
}

/** Where it leads stands last among the other names of a choice. */
function optionsOf({ typed }: Scene, choices: readonly Choice[]): NonNullable<Question['options']> {
  const ids = edgeIdsOf(typed.graph)
  const also = ({ edge, whole, to = '' }: Choice): string[] => [...new Set([ids.get(edge.edge) ?? to, whole, to])]
  return choices.map((choice) => ({ value: choice.label, key: choice.key, also: also(choice) }))
}

function defaultOf<One extends NamedChoice>({ attributes }: Scene, choices: readonly One[]): One | undefined {
  const word = textOf(attributes, 'human.default_choice')
  return word === undefined ? undefined : choiceNamed(choices, word)
}

function chosen({ edge, key, label, whole }: Choice, more: JsonObject = {}): Outcome {
  return {
    status: 'success',
    preferred_label: whole,
    suggested_next_ids: [edge.edge.to],
    edge: edge.edge.index,
    context_updates: { ...more, 'human.gate.selected': key, 'human.gate.label': label },
  }
}

/** The text, and the values that the node says are to be looked at. */
function questionOf(scene: Scene, form: Omit<Question, 'text'>): Question {
  const { attributes } = scene
  const text = textOf(attributes, 'question') ?? textOf(attributes, 'label') ?? textOf(attributes, 'prompt') ?? 'Select an option:'
  const shown = listOf(attributes, 'reviews_keys').flatMap((key): [string, Json][] => {
    const value = scene.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return {
    text: expandFromContext(text, (key) => scene.get(key)),
    ...form,
    ...(shown.length === 0 ? {} : { about: Object.fromEntries(shown) }),
  }
}

/** Asks, and says what was answered, or how it came that nothing was. */
function* asked(scene: Scene, question: Question): Generator<Ask, Said | 'late' | 'skipped', Answer> {
  const { attributes } = scene
  const said = yield* askPerson(question, durationOf(attributes, 'human.timeout_seconds') ?? durationOf(attributes, 'timeout'))
  const how = 'late' in said ? 'late' : silence(said.answer)
  return how === undefined && 'answer' in said ? said : (how ?? 'skipped')
}

/** What an interviewer gives who was asked and had no answer. */
function silence(answer: Json): 'late' | 'skipped' | undefined {
  if (!isObject(answer)) return undefined
  return answer['skipped'] === true ? 'skipped' : answer['timeout'] === true ? 'late' : undefined
}

/** An answer, and who gave it. */
interface Said {
  readonly answer: Json
  readonly by?: string | undefined
}

/** An answer that came by itself proves no review. */
function saidBy({ by }: Said): JsonObject {
  return by === autoAnswers.by ? { 'human.gate.automatic': true } : {}
}

const TIMED_OUT: JsonObject = { 'human.gate.timed_out': true }

/** Nobody answered in time: tried again where the node has attempts left, then failed. */
function late(): Outcome {
  return { status: 'retry', failure_reason: 'human gate timeout, no default' }
}

function skipped(): Outcome {
  return refusal('human skipped interaction')
}
