import { copyJson, type Json, type JsonObject } from '../kernel/index.ts'
import { acceptAnswer, type Question, type QuestionOption } from '../people/index.ts'
import { suggest } from '../text/index.ts'
import type { Decision, DecisionContext, Edge } from '../kinds/workflow/types.ts'
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

/** An option as it is offered, and where it leads; without an edge the one open edge is taken. */
interface OfferedOption {
  readonly option: QuestionOption
  readonly edge: Edge | undefined
  readonly writes: JsonObject
}

/** A node with its edges that are open. */
export type EdgesOfNode = Pick<DecisionContext, 'workflow' | 'node' | 'validEdges'>

/** A question with what its answers mean here. */
interface AskedQuestion {
  readonly question: Question
  readonly offers: readonly OfferedOption[]
  /** The key under which the answer is written. */
  readonly writes: string | undefined
}

/**
 * Asks a person. Without an answer the decision is to wait, with the question; with one (`context.input`) it takes the
 * edge that belongs to it. An answer that the question refuses throws `R4200` or `R4201`.
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

/** An answer that is no option may still be the name of an open edge; else there must be but one way. */
function edgeOfAnswer(answer: Json, context: DecisionContext): Edge | undefined {
  const named = typeof answer === 'string' ? edgesNamed(answer, context.validEdges) : []
  if (named.length === 1) return named[0]
  if (context.validEdges.length > 1) {
    throw faults.make('R2114', `the answer ${JSON.stringify(answer)} names no open edge of ${context.node.id}`, { path: context.node.id })
  }
  return onlyEdge(context)
}

function askQuestion(spec: PersonSpec, context: DecisionContext, draft: Draft): AskedQuestion {
  // Nothing to choose from is for the fault to say.
  if (spec.options === undefined && !isFreeAnswer(spec, context) && context.validEdges.length === 0) onlyEdge(context)
  const { show } = spec
  return buildQuestion(spec, context, {
    fill: (text, where) => fill(text, draft, where),
    about: () => (show === undefined ? undefined : Object.fromEntries(show.map((path) => [path, requiredValue(draft, path, 'show')]))),
  })
}

/** The words of a question: its texts with their values, and the values that are shown with it. */
interface QuestionTexts {
  fill(text: string, where: string): string
  about(): JsonObject | undefined
}

/** True if the answer is a value of its own, and no edge. */
function isFreeAnswer({ schema, writes }: PersonSpec, { validEdges }: Pick<DecisionContext, 'validEdges'>): boolean {
  return schema !== undefined || (writes !== undefined && validEdges.length <= 1)
}

/** The question of a spec. Throws `R4200` and `R4201` for an `otherwise` that is no answer to it. */
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

/** The question of a spec as it is written: the texts stay unfilled. Throws `R4200` and `R4201` as above. */
export function writtenQuestion(spec: PersonSpec, place: EdgesOfNode): Question {
  return buildQuestion(spec, place, { fill: (text) => text, about: () => undefined }).question
}

/** `otherwise` may name the edge of an option instead of the option. */
function defaultValue(otherwise: Json, offers: readonly OfferedOption[]): Json {
  if (typeof otherwise !== 'string' || offers.some(({ option }) => option.value === otherwise)) return otherwise
  const edges = offers.flatMap(({ edge }) => edge ?? [])
  const [edge] = edgesNamed(otherwise, edges)
  return offers.find((offer) => edge !== undefined && offer.edge === edge)?.option.value ?? otherwise
}

/** One option for each open edge. */
function edgeOffers(context: EdgesOfNode): readonly OfferedOption[] {
  return context.validEdges.map((edge): OfferedOption => {
    const detail = context.workflow.nodes[edge.to]?.description
    const value = edgeName(edge, context.validEdges)
    return { option: { value, ...(detail === undefined ? {} : { detail }), ...otherNames(edge, value) }, edge, writes: {} }
  })
}

/** The names of its edge choose an option as well: a look at a run tells the ways on by them. */
function otherNames(edge: Edge | undefined, value: string): Pick<QuestionOption, 'also'> {
  const also = edge === undefined ? [] : [...new Set([edge.id, edge.event, edge.to])].filter((name) => name !== value)
  return also.length === 0 ? {} : { also }
}

/** The options of a spec, without those whose edge is closed now. */
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
    throw faults.make('R2102', `every option of ${context.node.id} belongs to an edge that is closed or not there`, {
      path: context.node.id,
    })
  return offers
}

/** What a model would be asked and would write, a person is asked and writes. */
function answerPrompt({ prompt, show, writes }: ModelSpec, context: DecisionContext, draft: Draft): Decision {
  const shown = show === undefined ? {} : { show: show.filter((path) => draft.find(path) !== undefined) }
  if (writes === undefined || typeof writes === 'string') {
    return decideByAnswer(
      askQuestion({ ask: prompt, ...shown, ...(writes === undefined ? {} : { writes }) }, context, draft),
      context,
      draft,
    )
  }
  // Where values are wanted and there is a choice as well, the values are asked for with the way.
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
 * Decides at a node that asks nothing by itself. The prompt of a model becomes the question; a spec that is not ours
 * leaves the open edges to choose from; what rules would work out is worked out, and the rule of the edge that is chosen
 * gives its writes. Nobody is asked where there is only one way.
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
