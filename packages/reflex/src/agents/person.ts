import { copyJson, type Json, type JsonObject } from '../kernel/index.ts'
import { acceptAnswer, type Question, type QuestionOption } from '../people/index.ts'
import { suggest } from '../text/index.ts'
import type { Decision, DecisionContext, Edge } from '../kinds/workflow/types.ts'
import type { RunnableAgent } from './agent.ts'
import { chooseWay, decided, sawIn, writeAsRule } from './choose.ts'
import { readDuration } from './duration.ts'
import { chooseEdge, edgesNamed, nameOf, onlyWay, outgoing } from './edges.ts'
import { faults } from './faults.ts'
import { Draft, need } from './lookup.ts'
import { readSpec } from './read-spec.ts'
import { readWorking, work } from './rules.ts'
import { objectSchema } from './model-answer.ts'
import { joined, type ModelSpec, modelSpec, type PersonOption, type PersonSpec, personSpec } from './spec.ts'
import { fill } from './template.ts'
import { evaluateAll } from './values.ts'

/** An option as it is offered, and where it leads; without an edge the one open edge is taken. */
interface Offer {
  readonly option: QuestionOption
  readonly edge: Edge | undefined
  readonly writes: JsonObject
}

/** A node with its edges that are open. */
export type EdgesOfNode = Pick<DecisionContext, 'workflow' | 'node' | 'validEdges'>

/** A question with what its answers mean here. */
interface Asking {
  readonly question: Question
  readonly offers: readonly Offer[]
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
    if (context.node.spec.ask === undefined) return decideInstead(context, draft)
    return answered(asking(readSpec(personSpec, context.node), context, draft), context, draft)
  },
  traits: () => ({ leaves: false, repeat: 'free', needs: ['arbor://human/ask'] }),
}

function answered(asked: Asking, context: DecisionContext, draft: Draft, after?: (edge: Edge) => void): Decision {
  const { question, offers } = asked
  if (context.input === undefined) return { type: 'suspend', reason: question.text, ask: question, by: 'a person', ...sawIn(draft) }
  const answer = acceptAnswer(question, context.input, suggest)
  const offer = offers.find(({ option }) => option.value === answer)
  if (asked.writes !== undefined) draft.write(asked.writes, answer)
  for (const [key, value] of Object.entries(evaluateAll(offer?.writes ?? {}, draft, 'options.writes'))) draft.write(key, value)
  const edge = offer?.edge ?? wayOfAnswer(answer, context)
  if (edge !== undefined) after?.(edge)
  return decided(
    { edge, because: offer?.option.label ?? (typeof answer === 'string' ? answer : JSON.stringify(answer)) },
    draft,
    'a person',
  )
}

/** An answer that is no option may still be the name of an open edge; else there must be but one way. */
function wayOfAnswer(answer: Json, context: DecisionContext): Edge | undefined {
  const named = typeof answer === 'string' ? edgesNamed(answer, context.validEdges) : []
  if (named.length === 1) return named[0]
  if (context.validEdges.length > 1) {
    throw faults.make('R2114', `the answer ${JSON.stringify(answer)} names no open edge of ${context.node.id}`, { path: context.node.id })
  }
  return onlyWay(context)
}

function asking(spec: PersonSpec, context: DecisionContext, draft: Draft): Asking {
  // Nothing to choose from is for the fault to say.
  if (spec.options === undefined && !isFree(spec, context) && context.validEdges.length === 0) onlyWay(context)
  const { show } = spec
  return askingOf(spec, context, {
    fill: (text, where) => fill(text, draft, where),
    about: () => (show === undefined ? undefined : Object.fromEntries(show.map((path) => [path, need(draft, path, 'show')]))),
  })
}

/** The words of a question: its texts with their values, and the values that are shown with it. */
interface Words {
  fill(text: string, where: string): string
  about(): JsonObject | undefined
}

/** True if the answer is a value of its own, and no edge. */
function isFree({ schema, writes }: PersonSpec, { validEdges }: Pick<DecisionContext, 'validEdges'>): boolean {
  return schema !== undefined || (writes !== undefined && validEdges.length <= 1)
}

/** The question of a spec. Throws `R4200` and `R4201` for an `otherwise` that is no answer to it. */
function askingOf(spec: PersonSpec, context: EdgesOfNode, words: Words): Asking {
  const text = words.fill(joined(spec.ask), 'ask')
  const offers = spec.options === undefined ? (isFree(spec, context) ? [] : edgeOffers(context)) : offersOf(spec.options, context, words)
  const due = spec.due === undefined ? undefined : readDuration(spec.due)
  const about = words.about()
  const question: Question = {
    text,
    ...(offers.length === 0 ? {} : { options: offers.map(({ option }) => option) }),
    ...(spec.schema === undefined ? {} : { schema: copyJson(spec.schema, 'schema') as JsonObject }),
    ...(due === undefined ? {} : { due }),
    ...(about === undefined ? {} : { about }),
  }
  const otherwise = spec.otherwise === undefined ? undefined : acceptAnswer(question, byEdge(spec.otherwise, offers), suggest)
  return { question: otherwise === undefined ? question : { ...question, otherwise }, offers, writes: spec.writes }
}

/** The question of a spec as it is written: the texts stay unfilled. Throws `R4200` and `R4201` as above. */
export function writtenQuestion(spec: PersonSpec, place: EdgesOfNode): Question {
  return askingOf(spec, place, { fill: (text) => text, about: () => undefined }).question
}

/** `otherwise` may name the edge of an option instead of the option. */
function byEdge(otherwise: Json, offers: readonly Offer[]): Json {
  if (typeof otherwise !== 'string' || offers.some(({ option }) => option.value === otherwise)) return otherwise
  const edges = offers.flatMap(({ edge }) => edge ?? [])
  const [edge] = edgesNamed(otherwise, edges)
  return offers.find((offer) => edge !== undefined && offer.edge === edge)?.option.value ?? otherwise
}

/** One option for each open edge. */
function edgeOffers(context: EdgesOfNode): readonly Offer[] {
  return context.validEdges.map((edge): Offer => {
    const detail = context.workflow.nodes[edge.to]?.description
    const value = nameOf(edge, context.validEdges)
    return { option: { value, ...(detail === undefined ? {} : { detail }), ...otherNames(edge, value) }, edge, writes: {} }
  })
}

/** The names of its edge choose an option as well: a look at a run tells the ways on by them. */
function otherNames(edge: Edge | undefined, value: string): Pick<QuestionOption, 'also'> {
  const also = edge === undefined ? [] : [...new Set([edge.id, edge.event, edge.to])].filter((name) => name !== value)
  return also.length === 0 ? {} : { also }
}

/** The options of a spec, without those whose edge is closed now. */
function offersOf(options: readonly (string | PersonOption)[], context: EdgesOfNode, words: Words): readonly Offer[] {
  const all = outgoing(context)
  const offers = options.flatMap((given): Offer[] => {
    const option: PersonOption = typeof given === 'string' ? { value: given } : given
    const name = option.event ?? option.value ?? ''
    const [edge] = edgesNamed(name, context.validEdges)
    const isEdge = option.event !== undefined || edgesNamed(name, all).length > 0
    if (isEdge && edge === undefined) return []
    const label = option.label === undefined ? undefined : words.fill(option.label, 'options.label')
    const detail = option.detail === undefined ? undefined : words.fill(option.detail, 'options.detail')
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
    return answered(asking({ ask: prompt, ...shown, ...(writes === undefined ? {} : { writes }) }, context, draft), context, draft)
  }
  // Where values are wanted and there is a choice as well, the values are asked for with the way.
  const ways = context.validEdges.length < 2 ? {} : { edge: { enum: context.validEdges.map((edge) => nameOf(edge, context.validEdges)) } }
  const schema = objectSchema({ ...ways, ...writes })
  const asked = asking({ ask: prompt, schema: schema as NonNullable<PersonSpec['schema']>, ...shown }, context, draft)
  if (context.input === undefined) return answered(asked, context, draft)
  const answer = acceptAnswer(asked.question, context.input, suggest) as JsonObject
  for (const key of Object.keys(writes)) draft.write(key, answer[key] ?? null)
  const edge = context.validEdges.length < 2 ? onlyWay(context) : chooseEdge(typeof answer.edge === 'string' ? answer.edge : '', context)
  return decided({ edge, because: undefined }, draft, 'a person')
}

/**
 * Decides at a node that asks nothing by itself. The prompt of a model becomes the question; a spec that is not ours
 * leaves the open edges to choose from; what rules would work out is worked out, and the rule of the edge that is chosen
 * gives its writes. Nobody is asked where there is only one way.
 */
function decideInstead(context: DecisionContext, draft: Draft): Decision {
  if (context.node.spec.prompt !== undefined) return answerPrompt(readSpec(modelSpec, context.node), context, draft)
  const spec = readWorking(context.node)
  const said = work(spec, draft)
  if (context.validEdges.length < 2) {
    const { edge, because } = chooseWay(spec, context, draft)
    return decided({ edge, because: because ?? said }, draft, 'rules')
  }
  const offers = edgeOffers(context)
  const text = context.node.description ?? `Where does ${context.node.id} go?`
  const asked: Asking = { question: { text, options: offers.map(({ option }) => option) }, offers, writes: undefined }
  return answered(asked, context, draft, (edge) => writeAsRule(spec.rules ?? [], edge, context, draft))
}
