import { integerOf, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { askModel } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { expandPrompt, plainRequest, promptValue } from '../models/plain-request.ts'
import { effectFailed } from '../commands/requirements.ts'
import { promptText } from '../../contract/prompt-text.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { key, prompt, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST } from '../parameters.ts'
import { jaccard, mean, shapeOf, wordsOf } from './scores.ts'

const CRITIQUE =
  'Judge the text below as a strict editor. List what is wrong or missing, the most important first, each with what would mend it.\n\n{content}'

/** The settings of the loop and of its end. */
interface LoopSettings {
  readonly task: string
  readonly reference: string
  readonly scoring: Scoring
  readonly threshold: number
  readonly maxIterations: number
  readonly window: number
  readonly tolerance: number
}

/**
 * Revises a text until its score reaches the threshold, stops improving, or the limit of revisions is reached (reference
 * pipeline 4.6.5).
 */
const run: Handler = (context) => {
  const { attributes, node } = context
  const method = textOf(attributes, 'scoring_method')?.trim() || 'combined'
  const scoring = SCORINGS.get(method)
  if (scoring === undefined)
    return refusal(`${node.id}: scoring_method must be one of ${[...SCORINGS.keys()].join(', ')}, not ${JSON.stringify(method)}`)
  const text = context.text(textOf(attributes, 'source_key')?.trim() || 'last_response')
  const task = expandPrompt(context, textOf(attributes, 'prompt') ?? '')
  if (text.trim() === '' && task.trim() === '') return refusal(`${node.rawType} ${node.id}: source_key and prompt are both empty`)
  const referenceKey = textOf(attributes, 'reference_key')?.trim() ?? ''
  return runLoop(context, text, {
    task,
    reference: referenceKey === '' ? '' : renderText(context.get(referenceKey)),
    scoring,
    threshold: numberOf(attributes, 'score_threshold') ?? 0.8,
    maxIterations: Math.max(0, integerOf(attributes, 'max_iterations') ?? 3),
    window: Math.max(2, integerOf(attributes, 'plateau_window') ?? 3),
    tolerance: numberOf(attributes, 'plateau_tolerance') ?? 0.02,
  })
}

/** Alternates critique and revision. A model that fails ends the loop with the versions so far. */
function* runLoop(context: NodeContext, text: string, settings: LoopSettings): Steps {
  const firstText = text.trim() === '' ? yield* writeDraft(context, settings) : text
  if (typeof firstText !== 'string') return firstText
  const versions = [firstText]
  const scores = [settings.scoring(firstText, settings.reference)]
  let problem: string | undefined
  let isFlat = false
  while ((scores.at(-1) ?? 0) < settings.threshold && versions.length <= settings.maxIterations) {
    isFlat = isPlateau(scores, settings.window, settings.tolerance)
    if (isFlat) break
    const revised = yield* reviseText(context, versions.at(-1) ?? '', settings)
    if ('problem' in revised) {
      problem = revised.problem
      break
    }
    versions.push(revised.text)
    scores.push(settings.scoring(revised.text, settings.reference))
  }
  if (problem !== undefined) context.note('stage_warning', { node_id: context.node.id, warning: problem })
  return loopOutcome(context, versions, scores, isFlat, problem)
}

/** Returns the best version as the outcome: a later revision may be worse. */
function loopOutcome(
  context: NodeContext,
  versions: readonly string[],
  scores: readonly number[],
  isFlat: boolean,
  problem: string | undefined,
): Outcome {
  const prefix = `feedback.${context.node.id}`
  const best = bestOf(scores)
  const updates = {
    last_response: versions[best] ?? '',
    [`${prefix}.iterations`]: versions.length - 1,
    [`${prefix}.final_score`]: scores[best] ?? 0,
    [`${prefix}.scores`]: scores,
    [`${prefix}.plateau_hit`]: isFlat,
    [`${prefix}.best_iteration`]: best,
  }
  return success(updates, problem === undefined ? {} : { notes: `the loop stopped early: ${problem}` })
}

function* writeDraft(context: NodeContext, { task }: LoopSettings): Generator<Ask, string | Outcome, Answer> {
  const answer = yield* askModel(plainRequest(context, { prompt: task, part: 'draft' }))
  return 'reply' in answer ? answer.reply.text : effectFailed(context, answer.error)
}

type Revision = { readonly text: string } | { readonly problem: string }

function* reviseText(context: NodeContext, text: string, { task }: LoopSettings): Generator<Ask, Revision, Answer> {
  const content = promptText(text)
  const template = expandPrompt(context, textOf(context.attributes, 'critique_prompt') || CRITIQUE)
  const prompt = template.includes('{content}') ? template.replaceAll('{content}', () => content) : `${template}\n\n${content}`
  const critique = yield* askModel(plainRequest(context, { prompt, part: 'critique' }))
  if ('error' in critique) return { problem: critique.error.message }
  const revision = yield* askModel(
    plainRequest(context, {
      prompt: `${task === '' ? '' : `The task:\n\n${task}\n\n`}Revise the text below so that it answers the critique. Give the revised text alone.\n\nThe text:\n\n${content}\n\nThe critique:\n\n${promptValue(critique.reply.text) ?? ''}`,
      part: 'revision',
    }),
  )
  return 'error' in revision ? { problem: revision.error.message } : { text: revision.reply.text }
}

export const feedbackLoop = defineOperation({
  name: 'feedback.loop',
  does: 'Revises a text until its score is high enough.',
  dispatch: [{ type: 'compose', by: { mode: 'feedback' } }],
  parameters: {
    ...MODEL_REQUEST,
    critique_prompt: attribute('text', 'The prompt of the critic; `{content}` is the text.'),
    max_iterations: attribute('int', 'The limit of revisions.', { usual: '3' }),
    score_threshold: attribute('number', 'The score that ends the loop.', { usual: '0.8' }),
    scoring_method: attribute(['length_ratio', 'keyword_coverage', 'structure', 'combined'], 'The scoring method.', { usual: 'combined' }),
    reference_key: attribute('key', 'The text to compare with.'),
    plateau_window: attribute('int', 'The number of revisions without improvement that ends the loop.', { usual: '3' }),
    plateau_tolerance: attribute('number', 'The largest difference that counts as no improvement.', { usual: '0.02' }),
  },
  reads: [key('source_key', 'last_response'), prompt('prompt'), prompt('critique_prompt'), key('reference_key')],
  writes: writes('model', 'last_response', 'feedback.<id>.'),
  repeat: 'side_effecting',
  needs: () => [MODEL],
  run,
})

/** Returns the score of a text, in [0, 1]. The reference may be empty. */
type Scoring = (text: string, reference: string) => number

/** The expected number of characters of a text without a reference. */
const USUAL_LENGTH = 500
/** The number of parts of a well-structured text. */
const ENOUGH_PARTS = 10

/** The methods of scoring a text (reference pipeline 4.6.5). */
export const SCORINGS: ReadonlyMap<string, Scoring> = new Map<string, Scoring>([
  ['length_ratio', lengthRatio],
  ['keyword_coverage', (text, reference) => (reference === '' ? structure(text) : keywords(text, reference))],
  ['structure', (text) => structure(text)],
  [
    'combined',
    (text, reference) => mean([lengthRatio(text, reference), ...(reference === '' ? [] : [keywords(text, reference)]), structure(text)]),
  ],
])

function lengthRatio(text: string, reference: string): number {
  return Math.min(1, text.length / (reference.length || USUAL_LENGTH))
}

function keywords(text: string, reference: string): number {
  return jaccard(wordsOf(text), wordsOf(reference))
}

function structure(text: string): number {
  const { headers, fences, items, paragraphs } = shapeOf(text)
  return Math.min(1, (headers + fences + items + paragraphs) / ENOUGH_PARTS)
}

/** True if the last `window` scores differ by less than `tolerance`. */
export function isPlateau(scores: readonly number[], window: number, tolerance: number): boolean {
  const last = scores.slice(-window)
  return window > 0 && last.length === window && Math.max(...last) - Math.min(...last) < tolerance
}

/** Returns the index of the highest score, the first of equal ones. */
export function bestOf(scores: readonly number[]): number {
  return scores.reduce((best, score, i) => (score > (scores[best] ?? 0) ? i : best), 0)
}
