import type { FaultData } from '../../../../kernel/journal/fault.ts'
import type { JsonObject } from '../../../../kernel/journal/json.ts'
import type { FilePart, ModelMessage } from '../../../../models/index.ts'
import { textOf } from '../../dot/graph.ts'
import type { Answer, Ask, Handler, Scene, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal } from '../../contract/outcome.ts'
import { outcomeIn, perform } from '../../contract/asks.ts'
import { attached } from './attachments.ts'
import { turnsWithin } from './fidelity.ts'
import { askedPrompt, historyOf, promptOf, systemOf } from './llm-prompt.ts'
import { settingsOf } from './llm-settings.ts'
import { simulated } from './llm-simulate.ts'
import { answered } from './llm-written.ts'
import { preambleFacts, preambleLength, preambleOf } from './preamble.ts'
import { converse, offered } from './tool-loop.ts'

/**
 * Asks a model (reference pipeline 4.3.1). It is told what its fidelity says of what happened before, may call tools, and
 * goes on with a conversation where its fidelity is full.
 */
export const codergen: Handler = (scene) => simulated(scene) ?? asked(scene)

function* asked(scene: Scene): Steps {
  const prompt = promptOf(scene)
  const settings = settingsOf(scene)
  if ('problem' in settings) return refusal(settings.problem)
  const before = yield* toldBefore(scene)
  const files = yield* attached(scene)
  if ('problem' in files) return failed(prompt, files.problem)
  const cache = textOf(scene.attributes, 'prompt_cache')?.trim() ?? ''
  const question = {
    role: 'user',
    content: [before.preamble, askedPrompt(scene, prompt)].filter((text) => text !== '').join('\n\n'),
    // The port adds the contents.
    ...(files.length === 0 ? {} : { parts: files as unknown as readonly FilePart[] }),
    ...(cache === 'prompt' ? { cache: true } : {}),
  } satisfies ModelMessage
  const offers = yield* offered(scene)
  if ('problem' in offers) return failed(prompt, offers.problem)
  const system = systemOf(scene)
  const first = { role: 'system' as const, content: system, ...(cache === '' ? {} : { cache: true as const }) }
  const messages = [...(system === '' ? [] : [first]), ...before.messages, question]
  const came = yield* converse(scene, { ...settings, messages }, offers)
  if ('error' in came) return unanswered(prompt, came.error)
  if ('problem' in came) return { ...failed(prompt, came.problem), ...(came.turns === undefined ? {} : { resume: 'next' }) }
  // A backend of a host may answer with an outcome: it counts as it is.
  const given = outcomeIn(came.reply)
  if (given !== undefined) return { ...given, context_updates: { ...told(scene, prompt), ...given.context_updates }, resume: 'last' }
  const { thread } = scene.fidelity
  const outcome = answered(scene, prompt, came)
  return thread === undefined ? outcome : { ...outcome, turn: { thread, messages: [question, ...came.said] } }
}

/** What a model is given beside its prompt: the list that the node names, its conversation, or a preamble. */
function* toldBefore(scene: Scene): Generator<Ask, { readonly preamble: string; readonly messages: readonly ModelMessage[] }, Answer> {
  const { mode, thread, degraded } = scene.fidelity
  const { turns, left } = turnsWithin(mode === 'full' && thread !== undefined ? scene.conversation(thread) : [])
  if (scene.attempt === 1)
    scene.note('fidelity_resolved', {
      node_id: scene.node.id,
      mode,
      ...(thread === undefined ? {} : { thread_id: thread }),
      ...(degraded === undefined ? {} : { degraded }),
      ...(left === 0 ? {} : { turns_left_out: left }),
    })
  const history = historyOf(scene) ?? (turns.length === 0 ? undefined : turns.flat())
  if (history !== undefined) return { preamble: '', messages: history }
  return { preamble: (yield* summed(scene)) ?? preambleOf(scene, scene.fidelity), messages: [] }
}

/** What a host makes of what happened, where it sums up itself; what it cannot do is done here. */
function* summed(scene: Scene): Generator<Ask, string | undefined, Answer> {
  const { mode } = scene.fidelity
  if (scene.charter.summarises !== true) return undefined
  const settled = yield* perform('summary', preambleFacts(scene))
  return typeof settled.ok === 'string' && settled.ok !== '' ? settled.ok.slice(0, preambleLength(mode)).toWellFormed() : undefined
}

function told(scene: Scene, prompt: string): JsonObject {
  return { last_prompt: prompt, 'context.previous_outcome': scene.text('outcome') }
}

function unanswered(prompt: string, { code, message, verdict }: FaultData): Outcome {
  const reason = `LLM call failed: ${message}`
  return verdict === 'retry' ? failure(reason, { ...without(prompt), code, resume: 'last' }) : refusal(reason, { ...without(prompt), code })
}

function failed(prompt: string, problem: string): Outcome {
  return failure(problem, without(prompt))
}

/** Nobody has answered: what was answered before must not pass for it. */
function without(prompt: string): { readonly context_updates: JsonObject } {
  return { context_updates: { last_response: null, last_prompt: prompt } }
}
