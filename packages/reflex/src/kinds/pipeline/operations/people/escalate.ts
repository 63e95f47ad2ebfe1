import type { FaultData, Json, JsonObject } from '../../../../kernel/index.ts'
import { listOf, numberOf, textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { askModel, outcomeIn } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { failure, refusal, success } from '../../contract/outcome.ts'
import { expandPrompt, plainRequest, promptValue } from '../models/plain-request.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { key, prompt, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST } from '../parameters.ts'

const TIMEOUT = 30_000
const REASONS: readonly string[] = ['fail', 'timeout', 'low_score']
/** The code of a model that took too long. */
const TOO_LONG = 'R4013'

interface ModelAttempt {
  readonly model: string
  readonly status: 'success' | 'fail' | 'timeout' | 'skipped'
  readonly reason: string
}

/**
 * Asks models in order until one answers; authors order them by price (reference pipeline 4.3.5). Without `models`, only the
 * host's own model is asked.
 */
const run: Handler = (context) => {
  const { attributes, node } = context
  const triggers = attributes.has('escalate_on') ? listOf(attributes, 'escalate_on') : ['fail', 'timeout']
  const unknown = triggers.find((word) => !REASONS.includes(word))
  if (unknown !== undefined)
    return refusal(`${node.id}: escalate_on must be a list of ${REASONS.join(', ')}, not ${JSON.stringify(unknown)}`)
  const source = promptValue(context.get(textOf(attributes, 'source_key')?.trim() || 'last_response')) ?? ''
  const prompt = source.trim() === '' ? expandPrompt(context, textOf(attributes, 'prompt') ?? '') : source
  if (prompt.trim() === '') return refusal(`${node.rawType} ${node.id}: source_key and prompt are both empty`)
  const models = listOf(attributes, 'models')
  return tryModels(context, prompt, models.length === 0 ? [undefined] : models, triggers)
}

function* tryModels(context: NodeContext, prompt: string, models: readonly (string | undefined)[], triggers: readonly string[]): Steps {
  const { attributes, node } = context
  const timeout = durationOf(attributes, 'timeout_ms') || TIMEOUT
  const isScoreLow = triggers.includes('low_score') && models.length > 1 && hasLowScore(context)
  const history: ModelAttempt[] = isScoreLow ? [{ model: models[0] ?? '', status: 'skipped', reason: 'low_score' }] : []
  const keys = (model: string | null, attempts: number): JsonObject => ({
    [`escalate.${node.id}.model_used`]: model,
    [`escalate.${node.id}.attempts`]: attempts,
    [`escalate.${node.id}.history`]: history as unknown as Json,
  })
  let attempts = 0
  let last: FaultData | undefined
  for (const model of isScoreLow ? models.slice(1) : models) {
    attempts++
    const answer = yield* askModel(plainRequest(context, { prompt, model, part: model ?? 'default', timeout }))
    if ('reply' in answer) {
      const { reply } = answer
      history.push({ model: model ?? reply.model, status: 'success', reason: '' })
      const { context_updates, ...rest } = outcomeIn(reply) ?? success()
      return { ...rest, context_updates: { last_response: reply.text, ...context_updates, ...keys(model ?? reply.model, attempts) } }
    }
    last = answer.error
    const status = last.code === TOO_LONG ? 'timeout' : 'fail'
    history.push({ model: model ?? 'default', status, reason: last.message })
    if (!triggers.includes(status)) break
  }
  const reason = `${node.id}: none of ${attempts} models answered; the last error: ${last?.message ?? 'none'}`
  const more = { context_updates: keys(null, attempts) }
  return last?.verdict === 'retry' ? failure(reason, more) : refusal(reason, more)
}

function hasLowScore(context: NodeContext): boolean {
  const key = textOf(context.attributes, 'score_key')?.trim() ?? ''
  const text = key === '' ? '' : context.text(key).trim()
  const score = text === '' ? Number.NaN : Number(text)
  return score < (numberOf(context.attributes, 'score_threshold') ?? 0.7)
}

export const retryEscalate = defineOperation({
  name: 'retry.escalate',
  does: 'Calls models in order until one gives a good answer.',
  dispatch: [{ type: 'compute', by: { purpose: 'retry_escalate' } }],
  parameters: {
    ...MODEL_REQUEST,
    models: attribute('csv', 'The models, in order.', { usual: 'those of the host' }),
    escalate_on: attribute({ list: ['fail', 'timeout', 'low_score'] }, 'The reasons to try the next model.', { usual: 'fail,timeout' }),
    timeout_ms: attribute('duration', 'The time limit of each model.', { usual: '30000' }),
    score_threshold: attribute('number', 'The lowest score that passes.', { usual: '0.7' }),
    score_key: attribute('key', 'The context value with the score.'),
  },
  reads: [key('source_key', 'last_response'), prompt('prompt'), key('score_key')],
  writes: writes('model', 'last_response', 'escalate.<id>.'),
  repeat: 'idempotent_with_key',
  needs: () => [MODEL],
  run,
})
