import { integerOf, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { askModel } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, Scene, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { bestOf, isPlateau, type Scoring, SCORINGS } from './feedback-scores.ts'
import { expandPrompt, plainRequest, promptValue } from '../models/plain-request.ts'
import { effectFailed } from '../commands/requirements.ts'
import { promptText } from '../../contract/prompt-text.ts'

const CRITIQUE =
  'Judge the text below as a strict editor. List what is wrong or missing, the most important first, each with what would mend it.\n\n{content}'

/** How the loop goes on and when it stops. */
interface Terms {
  readonly task: string
  readonly reference: string
  readonly scoring: Scoring
  readonly enough: number
  readonly most: number
  readonly window: number
  readonly tolerance: number
}

/** Revises a text until it scores well enough, stops getting better or has been revised often enough (reference pipeline 4.6.5). */
export const feedbackLoop: Handler = (scene) => {
  const { attributes, node } = scene
  const method = textOf(attributes, 'scoring_method')?.trim() || 'combined'
  const scoring = SCORINGS.get(method)
  if (scoring === undefined)
    return refusal(`${node.id}: scoring_method knows ${[...SCORINGS.keys()].join(', ')}, not ${JSON.stringify(method)}`)
  const text = scene.text(textOf(attributes, 'source_key')?.trim() || 'last_response')
  const task = expandPrompt(scene, textOf(attributes, 'prompt') ?? '')
  if (text.trim() === '' && task.trim() === '') return refusal(`${node.rawType} ${node.id}: no source_key or prompt`)
  const referenceKey = textOf(attributes, 'reference_key')?.trim() ?? ''
  return loops(scene, text, {
    task,
    reference: referenceKey === '' ? '' : renderText(scene.get(referenceKey)),
    scoring,
    enough: numberOf(attributes, 'score_threshold') ?? 0.8,
    most: Math.max(0, integerOf(attributes, 'max_iterations') ?? 3),
    window: Math.max(2, integerOf(attributes, 'plateau_window') ?? 3),
    tolerance: numberOf(attributes, 'plateau_tolerance') ?? 0.02,
  })
}

/** Critique and revision in turn; a model that fails ends the loop with what there is. */
function* loops(scene: Scene, given: string, terms: Terms): Steps {
  const drafted = given.trim() === '' ? yield* drafts(scene, terms) : given
  if (typeof drafted !== 'string') return drafted
  const versions = [drafted]
  const scores = [terms.scoring(drafted, terms.reference)]
  let failed: string | undefined
  let isFlat = false
  while ((scores.at(-1) ?? 0) < terms.enough && versions.length <= terms.most) {
    isFlat = isPlateau(scores, terms.window, terms.tolerance)
    if (isFlat) break
    const revised = yield* revises(scene, versions.at(-1) ?? '', terms)
    if ('problem' in revised) {
      failed = revised.problem
      break
    }
    versions.push(revised.text)
    scores.push(terms.scoring(revised.text, terms.reference))
  }
  if (failed !== undefined) scene.note('stage_warning', { node_id: scene.node.id, warning: failed })
  return ended(scene, versions, scores, isFlat, failed)
}

/** The best version counts: a revision may have made it worse. */
function ended(scene: Scene, versions: readonly string[], scores: readonly number[], isFlat: boolean, failed: string | undefined): Outcome {
  const own = `feedback.${scene.node.id}`
  const best = bestOf(scores)
  const updates = {
    last_response: versions[best] ?? '',
    [`${own}.iterations`]: versions.length - 1,
    [`${own}.final_score`]: scores[best] ?? 0,
    [`${own}.scores`]: scores,
    [`${own}.plateau_hit`]: isFlat,
    [`${own}.best_iteration`]: best,
  }
  return success(updates, failed === undefined ? {} : { notes: `the loop stopped early: ${failed}` })
}

function* drafts(scene: Scene, { task }: Terms): Generator<Ask, string | Outcome, Answer> {
  const answer = yield* askModel(plainRequest(scene, { prompt: task, part: 'draft' }))
  return 'reply' in answer ? answer.reply.text : effectFailed(scene, answer.error)
}

type Revised = { readonly text: string } | { readonly problem: string }

function* revises(scene: Scene, text: string, { task }: Terms): Generator<Ask, Revised, Answer> {
  const content = promptText(text)
  const asked = expandPrompt(scene, textOf(scene.attributes, 'critique_prompt') || CRITIQUE)
  const prompt = asked.includes('{content}') ? asked.replaceAll('{content}', () => content) : `${asked}\n\n${content}`
  const critique = yield* askModel(plainRequest(scene, { prompt, part: 'critique' }))
  if ('error' in critique) return { problem: critique.error.message }
  const revision = yield* askModel(
    plainRequest(scene, {
      prompt: `${task === '' ? '' : `The task:\n\n${task}\n\n`}Revise the text below so that it answers the critique. Give the revised text alone.\n\nThe text:\n\n${content}\n\nThe critique:\n\n${promptValue(critique.reply.text) ?? ''}`,
      part: 'revision',
    }),
  )
  return 'error' in revision ? { problem: revision.error.message } : { text: revision.reply.text }
}
