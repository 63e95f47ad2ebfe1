import { copyJson, type Json, type JsonObject } from '../kernel/index.ts'
import { acceptAnswer, type Question, type QuestionOption } from '../people/index.ts'
import { suggest } from '../text/index.ts'
import type { Decision, DecisionContext, Edge } from '../kinds/workflow/index.ts'
import type { RunnableAgent } from './agent.ts'
import { chooseByRules, toDecision, readKeys, writeAsRule } from './rule-choice.ts'
import { readDuration } from './duration.ts'
import { chooseEdge, edgesNamed, edgeName, onlyEdge, outgoing } from './edges.ts'
import { faults } from './faults.ts'
import { Draft, requiredValue } from './lookup.ts'
import { readSpec } from './read-spec.ts'
import { readRules, performActions } from './rules.ts'
import { objectSchema } from './model-answer.ts'
import { joinLines, type ModelSpec, modelSpec, type PersonOption, type PersonSpec, personSpec } from './spec.ts'
import { fill } from './template.ts'
import { evaluateAll } from './evaluate.ts'

/** An option as it is offered, and its edge. Without an edge the only open edge is taken. */
interface OfferedOption {
  readonly option: QuestionOption
  readonly edge: Edge | undefined
  readonly writes: JsonObject
}

/** A node with its edges. */
export type EdgesOfNode = Pick<DecisionContext, 'workflow' | 'node' | 'validEdges'>

/** A question with the meaning of its answers. */
interface AskedQuestion {
  readonly question: Question
  readonly offers: readonly OfferedOption[]
  /** The key to which the answer is written. */
  readonly writes: string | undefined
}

/**
 * The agent that asks a person. Without an answer it suspends with the question; with an answer (`context.input`) it takes the
 * edge of the answer. Throws `R4200` or `R4201` for an answer that the question does not allow.
 */
export const personAgent: RunnableAgent = {
  async resolve(context) {
    const draft = new Draft(context.blackboard)
    if (context.node.spec.ask === undefined) return decideWithoutQuestion(context, draft)
    return decideByAnswer(askQuestion(readSpec(personSpec, context.node), context, draft), context, draft)
  },
  traits: () => ({ leaves: false, repeat: 'free', needs: ['arbor://human/ask'] }),
}

function decideByAnswer(asked: AskedQuestion, context: DecisionContext, draft: Draft, onEdge?: (edge: Edge) => void): Decision {
  const { question, offers } = asked
  if (context.input === undefined) return { type: 'suspend', reason: question.text, ask: question, by: 'a person', ...readKeys(draft) }
  const answer = acceptAnswer(question, context.input, suggest)
  const offer = offers.find(({ option }) => option.value === answer)
  if (asked.writes !== undefined) draft.write(asked.writes, answer)
  for (const [key, value] of Object.entries(evaluateAll(offer?.writes ?? {}, draft, 'options.writes'))) draft.write(key, value)
  const edge = offer?.edge ?? edgeOfAnswer(answer, context)
  if (edge !== undefined) onEdge?.(edge)
  return toDecision(
    { edge, because: offer?.option.label ?? (typeof answer === 'string' ? answer : JSON.stringify(answer)) },
    draft,
    'a person',
  )
}

/** Returns the edge of an answer that is not an option: the open edge of that name, else the only open edge. */
function edgeOfAnswer(answer: Json, context: DecisionContext): Edge | undefined {
  const named = typeof answer === 'string' ? edgesNamed(answer, context.validEdges) : []
  if (named.length === 1) return named[0]
  if (context.validEdges.length > 1) {
    throw faults.make('R2114', `the answer ${JSON.stringify(answer)} names no open edge of ${context.node.id}`, { path: context.node.id })
  }
  return onlyEdge(context)
}

function askQuestion(spec: PersonSpec, context: DecisionContext, draft: Draft): AskedQuestion {
  // If there is no choice at all, the fault of the edges says so.
  if (spec.options === undefined && !isFreeAnswer(spec, context) && context.validEdges.length === 0) onlyEdge(context)
  const { show } = spec
  return buildQuestion(spec, context, {
    fill: (text, where) => fill(text, draft, where),
    about: () => (show === undefined ? undefined : Object.fromEntries(show.map((path) => [path, requiredValue(draft, path, 'show')]))),
  })
}

/** The texts of a question with their values filled in, and the values shown with it. */
interface QuestionTexts {
  fill(text: string, where: string): string
  about(): JsonObject | undefined
}

/** True if the answer is a value, not an edge. */
function isFreeAnswer({ schema, writes }: PersonSpec, { validEdges }: Pick<DecisionContext, 'validEdges'>): boolean {
  return schema !== undefined || (writes !== undefined && validEdges.length <= 1)
}

/** Returns the question of a spec. Throws `R4200` and `R4201` for an `otherwise` that the question does not allow. */
function buildQuestion(spec: PersonSpec, context: EdgesOfNode, texts: QuestionTexts): AskedQuestion {
  const text = texts.fill(joinLines(spec.ask), 'ask')
  const offers =
    spec.options === undefined ? (isFreeAnswer(spec, context) ? [] : edgeOffers(context)) : offersOf(spec.options, context, texts)
  const due = spec.due === undefined ? undefined : readDuration(spec.due)
  const about = texts.about()
  const question: Question = {
    text,
    ...(offers.length === 0 ? {} : { options: offers.map(({ option }) => option) }),
    ...(spec.schema === undefined ? {} : { schema: copyJson(spec.schema, 'schema') as JsonObject }),
    ...(due === undefined ? {} : { due }),
    ...(about === undefined ? {} : { about }),
  }
  const otherwise = spec.otherwise === undefined ? undefined : acceptAnswer(question, defaultValue(spec.otherwise, offers), suggest)
  return { question: otherwise === undefined ? question : { ...question, otherwise }, offers, writes: spec.writes }
}

/** Returns the question of a spec with unfilled texts. Throws `R4200` and `R4201` for an `otherwise` that the question does not allow. */
export function writtenQuestion(spec: PersonSpec, place: EdgesOfNode): Question {
  return buildQuestion(spec, place, { fill: (text) => text, about: () => undefined }).question
}

/** Returns the default answer. `otherwise` may name the edge of an option instead of the option. */
function defaultValue(otherwise: Json, offers: readonly OfferedOption[]): Json {
  if (typeof otherwise !== 'string' || offers.some(({ option }) => option.value === otherwise)) return otherwise
  const edges = offers.flatMap(({ edge }) => edge ?? [])
  const [edge] = edgesNamed(otherwise, edges)
  return offers.find((offer) => edge !== undefined && offer.edge === edge)?.option.value ?? otherwise
}

/** Returns one option for each open edge. */
function edgeOffers(context: EdgesOfNode): readonly OfferedOption[] {
  return context.validEdges.map((edge): OfferedOption => {
    const detail = context.workflow.nodes[edge.to]?.description
    const value = edgeName(edge, context.validEdges)
    return { option: { value, ...(detail === undefined ? {} : { detail }), ...otherNames(edge, value) }, edge, writes: {} }
  })
}

/** Returns the other names that choose an option: those of its edge, which the view of a run shows. */
function otherNames(edge: Edge | undefined, value: string): Pick<QuestionOption, 'also'> {
  const also = edge === undefined ? [] : [...new Set([edge.id, edge.event, edge.to])].filter((name) => name !== value)
  return also.length === 0 ? {} : { also }
}

/** Returns the options of a spec, without those whose edges are closed. */
function offersOf(options: readonly (string | PersonOption)[], context: EdgesOfNode, texts: QuestionTexts): readonly OfferedOption[] {
  const all = outgoing(context)
  const offers = options.flatMap((item): OfferedOption[] => {
    const option: PersonOption = typeof item === 'string' ? { value: item } : item
    const name = option.event ?? option.value ?? ''
    const [edge] = edgesNamed(name, context.validEdges)
    const isEdge = option.event !== undefined || edgesNamed(name, all).length > 0
    if (isEdge && edge === undefined) return []
    const label = option.label === undefined ? undefined : texts.fill(option.label, 'options.label')
    const detail = option.detail === undefined ? undefined : texts.fill(option.detail, 'options.detail')
    const value = option.value ?? name
    const shown = { value, ...(label === undefined ? {} : { label }), ...(detail === undefined ? {} : { detail }) }
    return [{ option: { ...shown, ...otherNames(edge, value) }, edge, writes: option.writes ?? {} }]
  })
  if (offers.length === 0)
    throw faults.make('R2102', `every option of ${context.node.id} belongs to an edge that is closed or does not exist`, {
      path: context.node.id,
    })
  return offers
}

/** Asks a person the prompt of a model and writes the answer as the model's. */
function answerPrompt({ prompt, show, writes }: ModelSpec, context: DecisionContext, draft: Draft): Decision {
  const shown = show === undefined ? {} : { show: show.filter((path) => draft.find(path) !== undefined) }
  if (writes === undefined || typeof writes === 'string') {
    return decideByAnswer(
      askQuestion({ ask: prompt, ...shown, ...(writes === undefined ? {} : { writes }) }, context, draft),
      context,
      draft,
    )
  }
  // If the node needs values and a choice of an edge, one answer has both.
  const edgeField =
    context.validEdges.length < 2 ? {} : { edge: { enum: context.validEdges.map((edge) => edgeName(edge, context.validEdges)) } }
  const schema = objectSchema({ ...edgeField, ...writes })
  const asked = askQuestion({ ask: prompt, schema: schema as NonNullable<PersonSpec['schema']>, ...shown }, context, draft)
  if (context.input === undefined) return decideByAnswer(asked, context, draft)
  const answer = acceptAnswer(asked.question, context.input, suggest) as JsonObject
  for (const key of Object.keys(writes)) draft.write(key, answer[key] ?? null)
  const edge = context.validEdges.length < 2 ? onlyEdge(context) : chooseEdge(typeof answer.edge === 'string' ? answer.edge : '', context)
  return toDecision({ edge, because: undefined }, draft, 'a person')
}

/**
 * Decides at a node without "ask". The prompt of a model becomes the question. A spec of another agent leaves the choice among
 * the open edges. The actions of rules are performed, and the rule of the chosen edge gives its writes. No person is asked if at
 * most one edge is open.
 */
function decideWithoutQuestion(context: DecisionContext, draft: Draft): Decision {
  if (context.node.spec.prompt !== undefined) return answerPrompt(readSpec(modelSpec, context.node), context, draft)
  const spec = readRules(context.node)
  const summary = performActions(spec, draft)
  if (context.validEdges.length < 2) {
    const { edge, because } = chooseByRules(spec, context, draft)
    return toDecision({ edge, because: because ?? summary }, draft, 'rules')
  }
  const offers = edgeOffers(context)
  const text = context.node.description ?? `Where does ${context.node.id} go?`
  const asked: AskedQuestion = { question: { text, options: offers.map(({ option }) => option) }, offers, writes: undefined }
  return decideByAnswer(asked, context, draft, (edge) => writeAsRule(spec.rules ?? [], edge, context, draft))
}
