import type { FaultData, JsonObject } from '../../../../kernel/index.ts'
import type { FilePart, ModelMessage } from '../../../../models/index.ts'
import { textOf } from '../../dot/graph.ts'
import type { Answer, Ask, Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { outcomeIn, perform } from '../../contract/asks.ts'
import { readAttachments } from './attachments.ts'
import { turnsWithin } from './fidelity.ts'
import { fencedPrompt, historyOf, promptOf, systemOf } from './llm-prompt.ts'
import { settingsOf } from './llm-settings.ts'
import { answerOutcome, responseUpdates } from './llm-outcome.ts'
import { preambleFacts, preambleLength, preambleOf } from './preamble.ts'
import { converse, requestOffers } from './tool-loop.ts'
import { fileUri, MODEL, SHELL, uri } from '../../model/capability-uris.ts'
import type { WrittenNode } from '../../model/written-node.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { authored, key, prompt, writes, writesAt, writesUnder } from '../../model/operation-ports.ts'
import { MODEL_REQUEST } from '../parameters.ts'

/**
 * Asks a model (reference pipeline 4.3.1). The model gets a summary of earlier stages according to its fidelity, may call tools,
 * and continues a conversation if its fidelity is full.
 */
const run: Handler = (context) => simulatedOutcome(context) ?? generate(context)

function* generate(context: NodeContext): Steps {
  const prompt = promptOf(context)
  const settings = settingsOf(context)
  if ('problem' in settings) return refusal(settings.problem)
  const before = yield* earlierMessages(context)
  const files = yield* readAttachments(context)
  if ('problem' in files) return failedOutcome(prompt, files.problem)
  const cache = textOf(context.attributes, 'prompt_cache')?.trim() ?? ''
  const question = {
    role: 'user',
    content: [before.preamble, fencedPrompt(context, prompt)].filter((text) => text !== '').join('\n\n'),
    // The port adds the contents.
    ...(files.length === 0 ? {} : { parts: files as unknown as readonly FilePart[] }),
    ...(cache === 'prompt' ? { cache: true } : {}),
  } satisfies ModelMessage
  const offers = yield* requestOffers(context)
  if ('problem' in offers) return failedOutcome(prompt, offers.problem)
  const system = systemOf(context)
  const first = { role: 'system' as const, content: system, ...(cache === '' ? {} : { cache: true as const }) }
  const messages = [...(system === '' ? [] : [first]), ...before.messages, question]
  const answer = yield* converse(context, { ...settings, messages }, offers)
  if ('error' in answer) return callFailed(prompt, answer.error)
  if ('problem' in answer) return { ...failedOutcome(prompt, answer.problem), ...(answer.turns === undefined ? {} : { resume: 'next' }) }
  // The backend of a host may return an outcome, which is used unchanged.
  const stated = outcomeIn(answer.reply)
  if (stated !== undefined)
    return { ...stated, context_updates: { ...promptUpdates(context, prompt), ...stated.context_updates }, resume: 'last' }
  const { thread } = context.fidelity
  const outcome = answerOutcome(context, prompt, answer)
  return thread === undefined ? outcome : { ...outcome, turn: { thread, messages: [question, ...answer.messages] } }
}

/** Returns the text or messages before the prompt: the list that the node names, its conversation, or a preamble. */
function* earlierMessages(
  context: NodeContext,
): Generator<Ask, { readonly preamble: string; readonly messages: readonly ModelMessage[] }, Answer> {
  const { mode, thread, degraded } = context.fidelity
  const { turns, omitted } = turnsWithin(mode === 'full' && thread !== undefined ? context.conversation(thread) : [])
  if (context.attempt === 1)
    context.note('fidelity_resolved', {
      node_id: context.node.id,
      mode,
      ...(thread === undefined ? {} : { thread_id: thread }),
      ...(degraded === undefined ? {} : { degraded }),
      ...(omitted === 0 ? {} : { turns_left_out: omitted }),
    })
  const history = historyOf(context) ?? (turns.length === 0 ? undefined : turns.flat())
  if (history !== undefined) return { preamble: '', messages: history }
  return { preamble: (yield* summarize(context)) ?? preambleOf(context, context.fidelity), messages: [] }
}

/** Returns the summary of a host that can summarize; undefined if the host cannot or fails. */
function* summarize(context: NodeContext): Generator<Ask, string | undefined, Answer> {
  const { mode } = context.fidelity
  if (context.permissions.summarises !== true) return undefined
  const settled = yield* perform('summary', preambleFacts(context))
  return typeof settled.ok === 'string' && settled.ok !== '' ? settled.ok.slice(0, preambleLength(mode)).toWellFormed() : undefined
}

function promptUpdates(context: NodeContext, prompt: string): JsonObject {
  return { last_prompt: prompt, 'context.previous_outcome': context.text('outcome') }
}

function callFailed(prompt: string, { code, message, verdict }: FaultData): Outcome {
  const reason = `LLM call failed: ${message}`
  return verdict === 'retry'
    ? failure(reason, { ...withoutResponse(prompt), code, resume: 'last' })
    : refusal(reason, { ...withoutResponse(prompt), code })
}

function failedOutcome(prompt: string, problem: string): Outcome {
  return failure(problem, withoutResponse(prompt))
}

/** Returns updates that clear the response, so that an earlier answer is not taken for this one. */
function withoutResponse(prompt: string): { readonly context_updates: JsonObject } {
  return { context_updates: { last_response: null, last_prompt: prompt } }
}

const ONLY_MODEL: readonly string[] = [MODEL]

/** The capabilities of a model node: the model, the tools that it is offered, the files that it is shown, hooks around its tools. */
function needsOf(node: WrittenNode): readonly string[] {
  if (!node.has('use_tools') && !node.has('attachments') && !node.has('attachments_context_key')) return ONLY_MODEL
  const files = node.list('attachments').map((path) => fileUri('read', path))
  const handed = node.text('attachments_context_key') === undefined ? [] : [fileUri('read', undefined)]
  if (!node.isOn('use_tools')) return [MODEL, ...files, ...handed]
  const tools = node.list('tools').map((tool) => uri('tool', tool))
  const isHooked = (node.setting('tool_hooks.pre') ?? node.setting('tool_hooks.post')) !== undefined
  return [MODEL, ...(tools.length === 0 ? [uri('tool')] : tools), ...files, ...handed, ...(isHooked ? [SHELL] : [])]
}

export const codergen = defineOperation({
  name: 'codergen',
  does: 'Calls a model.',
  dispatch: [{ type: 'compute', by: { purpose: 'llm' } }],
  usual: [],
  parameters: {
    ...MODEL_REQUEST,
    attachments: attribute('csv', 'Paths of files for the model: images, PDFs, sounds and texts.'),
    attachments_context_key: attribute(
      'key',
      'A context value with further files: a path, content in base64 as `file.read` returns it, or a list.',
    ),
    prompt_cache: attribute(
      ['system', 'prompt'],
      'The part of the request that the provider caches: the system prompt, or the system prompt and the prompt.',
      {
        lenient: true,
      },
    ),
  },
  reads: [
    prompt('prompt'),
    key('prompt_context_key'),
    prompt('system_prompt'),
    key('system_prompt_context_key'),
    key('messages_context_key'),
    authored('tools'),
    authored('attachments', 'path_traversal'),
    key('attachments_context_key', undefined, 'control', 'path_traversal'),
  ],
  writes: [
    ...writes('model', 'last_response', 'llm.content', 'llm.tool_calls', 'llm.response_type', 'vote.'),
    ...writes('engine', 'llm.', 'session.usage', 'score', 'context.previous_outcome'),
    writesAt('model', 'output_key'),
    writesUnder('model', 'output_prefix'),
  ],
  needs: needsOf,
  repeat: 'idempotent_with_key',
  form: 'model',
  run,
})

/**
 * Returns the outcome of a node that simulates its model, as its attribute states (reference pipeline 4.3.1, simulate);
 * undefined for a node that asks one.
 */
function simulatedOutcome(context: NodeContext): Outcome | undefined {
  const { attributes, node } = context
  const word = textOf(attributes, 'simulate')?.trim().toLowerCase() ?? ''
  const text = `[Simulated] Response for stage: ${node.id}`
  const ok = (): Outcome => success(responseUpdates(context, promptOf(context), text))
  const counter = `internal.simulate.fail_once.${node.id}`
  switch (word) {
    case '':
    case 'false':
      return undefined
    case 'true':
      return ok()
    case 'fail':
      return failure('simulated failure')
    case 'retry':
      return { status: 'retry', failure_reason: 'simulated retry' }
    case 'fail_once':
      return (context.get(counter) ?? null) === null ? failure('simulated failure, once', withCounter(counter)) : ok()
    case 'raise_retryable':
      return failure('network timeout')
    case 'raise_terminal':
      return refusal('401 unauthorized')
    default:
      return refusal(`${node.id}: simulate has the unknown value ${JSON.stringify(word)}`)
  }
}

function withCounter(counter: string): { readonly context_updates: JsonObject } {
  return { context_updates: { [counter]: 1 } }
}
