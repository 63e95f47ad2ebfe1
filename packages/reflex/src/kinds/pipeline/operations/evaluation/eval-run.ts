import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { listOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Answer, Ask, Handler, NodeContext, Settled, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { type Sample, sampleIn } from './eval-samples.ts'
import type { SampleResult } from './eval-results.ts'
import { type ChosenGrader, chooseGraders } from './choose-graders.ts'
import { performInBatches, plainAsk, promptValue, replyText } from '../models/plain-request.ts'
import { effectFailed, requiredText } from '../commands/requirements.ts'
import { parseJson } from '../../language/parse-json.ts'
import { agentOfContext } from '../models/session-values.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { MODEL, uri } from '../../model/capability-uris.ts'
import { authored, context, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST } from '../parameters.ts'

/** The code of a missing port: this host has no services. */
const NO_PORT = 'R2013'

/** The answer of a subject to a sample, or the reason for its failure. */
type SubjectAnswer = { readonly actual: Json } | { readonly problem: string }

/**
 * Lets a subject answer each sample and grades the answers (reference pipeline 4.3.6). The subject is the input itself, a model,
 * or a function of the host.
 */
const run: Handler = (context) => {
  const written = requiredText(context, 'graders')
  if (typeof written !== 'string') return written
  const graders = chooseGraders(listOf(context.attributes, 'graders'), context.typed.operations)
  if ('problem' in graders) return refusal(`${context.node.id}: ${graders.problem}`)
  const dataset = context.get('eval.dataset')
  const samples = (isList(dataset) ? dataset : []).flatMap((item, i) => sampleIn(item, i + 1) ?? [])
  if (samples.length === 0) return refusal(`${context.node.rawType} ${context.node.id}: eval.dataset has no samples`)
  const subject = textOf(context.attributes, 'subject')?.trim() ?? ''
  if (subject !== '' && subject !== 'passthrough') return evaluate(context, samples, graders, subject)
  const results = samples.map((sample) => gradeSample(sample, { actual: sample.input }, graders))
  return resultsOutcome(context, results, settingsOf(context))
}

function* evaluate(context: NodeContext, samples: readonly Sample[], graders: readonly ChosenGrader[], subject: string): Steps {
  const settings = settingsOf(context)
  const settled = yield* subject === 'llm' ? askModels(context, samples, settings) : askSubject(context, samples, subject)
  const errors = settled.flatMap(({ error }) => (error === undefined ? [] : [error]))
  const [first] = errors
  if (first !== undefined && first.code === NO_PORT) return refusal(`${context.node.id}: ${unknownSubject(subject)}`)
  if (first !== undefined && errors.length === samples.length) return effectFailed(context, first)
  const answers = settled.map((answer) => (subject === 'llm' ? modelAnswer(answer) : serviceAnswer(answer)))
  if (answers.includes('missing')) return refusal(`${context.node.id}: ${unknownSubject(subject)}`)
  const results = samples.map((sample, i) => {
    const answer = answers[i]
    return gradeSample(sample, answer === undefined || answer === 'missing' ? { problem: 'no answer' } : answer, graders)
  })
  return resultsOutcome(context, results, settings)
}

function unknownSubject(subject: string): string {
  return `the host has no subject ${JSON.stringify(subject)} for evaluations`
}

/** The model and provider of an evaluation: those of the node, of the item of a map, or of the context. */
interface Settings {
  readonly model: string
  readonly provider: string
}

function settingsOf(context: NodeContext): Settings {
  const { attributes } = context
  const item = itemOf(context.get('map.current_item'))
  const pick = (name: 'model' | 'provider'): string =>
    textOf(attributes, `llm_${name}`)?.trim() || textOf(attributes, name)?.trim() || renderText(item[name]) || context.text(`eval.${name}`)
  return { model: pick('model'), provider: pick('provider') }
}

function itemOf(value: Json | undefined): JsonObject {
  const item = typeof value === 'string' ? parseJson(value) : value
  return isObject(item) ? item : {}
}

function askModels(context: NodeContext, samples: readonly Sample[], { model, provider }: Settings): Generator<Ask, Settled[], Answer> {
  const named = { model: model || undefined, provider: provider || undefined }
  return performInBatches(
    samples.map(({ id, input }) => plainAsk(context, { prompt: promptValue(input) ?? '', part: id.slice(0, 100), ...named })),
  )
}

/** Calls a function that the host has registered for evaluations. A name in a program never loads code (reference pipeline 4.3.6). */
function askSubject(context: NodeContext, samples: readonly Sample[], subject: string): Generator<Ask, Settled[], Answer> {
  const agent = agentOfContext(context)
  return performInBatches(
    samples.map(({ id, input, metadata }) => ({
      effect: 'service',
      args: { service: 'eval', op: subject, agent, now: context.now, args: { id, input, metadata } },
    })),
  )
}

function modelAnswer(settled: Settled): SubjectAnswer {
  const text = replyText(settled)
  return text === undefined ? { problem: settled.error?.message ?? 'no answer' } : { actual: text }
}

function serviceAnswer({ ok, error }: Settled): SubjectAnswer | 'missing' {
  if (error !== undefined) return { problem: error.message }
  const value = isObject(ok) ? ok['value'] : undefined
  return value === undefined ? 'missing' : { actual: value }
}

function gradeSample(sample: Sample, answer: SubjectAnswer, graders: readonly ChosenGrader[]): SampleResult {
  const { id, input, expected, metadata } = sample
  const problem = 'problem' in answer ? answer.problem : undefined
  const actual = 'problem' in answer ? null : answer.actual
  const scores = graders.map((grader) => ({
    grader: grader.name,
    ...(problem === undefined ? grader.grade(actual, expected) : { score: 0, passed: false, detail: problem }),
  }))
  return { id, input, expected, actual, scores, passed: scores.every(({ passed }) => passed), metadata }
}

function resultsOutcome(context: NodeContext, results: readonly SampleResult[], { model, provider }: Settings): Outcome {
  const prefix = `eval.results.${context.node.id}`
  const passed = results.filter((result) => result.passed).length
  return success(
    {
      [prefix]: results as unknown as Json,
      [`${prefix}.count`]: results.length,
      [`${prefix}.passed`]: passed,
      'eval.model': model,
      'eval.provider': provider,
    },
    { notes: `${passed} of ${results.length} samples passed` },
  )
}

export const evalRun = defineOperation({
  name: 'eval.run',
  does: 'Gets an answer for each sample and grades it.',
  dispatch: [{ type: 'compute', by: { purpose: 'eval_run' } }],
  parameters: {
    ...MODEL_REQUEST,
    graders: attribute('csv', 'The graders; `composite:any_pass:exact_match*2+contains` combines several.', { required: true }),
    subject: attribute('text', 'The subject to evaluate: `llm` or a function of the host.', { usual: 'the input' }),
  },
  reads: [context('eval.dataset'), authored('graders'), authored('subject')],
  writes: writes('model', 'eval.results.<id>', 'eval.results.<id>.', 'eval.model', 'eval.provider'),
  repeat: 'read_only',
  lacks(node, { services }) {
    const subject = node.text('subject') ?? 'passthrough'
    return subject === 'passthrough' || subject === 'llm' || services.includes(`eval.${subject}`) ? undefined : unknownSubject(subject)
  },
  needs: (node) => [uri('eval', 'run'), ...(node.text('subject') === 'llm' ? [MODEL] : [])],
  run,
})
