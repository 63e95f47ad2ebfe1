import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { isOn, textOf } from '../../dot/graph.ts'
import { reachable } from '../../contract/skip.ts'
import { askModel } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { MODEL } from '../../model/capability-uris.ts'
import { context, prompt, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST } from '../parameters.ts'

/** The rank of statuses, the best first (reference pipeline 3.9.6). */
const RANK: Readonly<Record<string, number>> = { success: 0, partial_success: 1, retry: 2, fail: 3, skipped: 4 }

interface Entry {
  readonly id: string
  readonly status: string
  readonly score: number
  readonly text: string
}

/** Joins branches and names the best one. After a plain fan-out it is only a barrier (reference pipeline 3.9.6). */
const run: Handler = (context) => {
  const results = context.get('parallel.results')
  if (results === undefined) return isBarrier(context) ? success() : refusal(`${context.node.id}: no parallel results`)
  const entries = (isList(results) ? results : []).flatMap(entryOf)
  if (entries.length === 0) return refusal(`${context.node.id}: no parallel results`)
  if (entries.every(({ status }) => status === 'fail' || status === 'skipped')) return refusal(`${context.node.id}: every branch failed`)
  const unmet = policyProblem(context, entries)
  if (unmet !== undefined) return refusal(`${context.node.id}: ${unmet}`)
  const prompt = textOf(context.attributes, 'prompt')
  return prompt === undefined ? chosenOutcome(bestOf(entries)) : judgeEntries(context, prompt, entries)
}

/** True if only a plain fan-out leads here; the engine has already joined its paths (reference pipeline 3.9.1). */
function isBarrier({ typed, node: { id } }: NodeContext): boolean {
  const fanOuts = [...typed.nodes.values()].filter(({ node, canonical }) => canonical !== 'parallel' && isOn(node.attributes, 'fan_out'))
  return reachable(
    typed,
    fanOuts.map((node) => node.id),
  ).has(id)
}

function policyProblem({ attributes }: NodeContext, entries: readonly Entry[]): string | undefined {
  const good = entries.filter(({ status }) => (RANK[status] ?? 4) < 2).length
  const policy = textOf(attributes, 'fan_in_policy') ?? 'any'
  const needed = policy === 'all' ? entries.length : policy === 'majority' ? Math.floor(entries.length / 2) + 1 : 1
  return good >= needed ? undefined : `${good} of ${entries.length} branches succeeded; ${policy} needs ${needed}`
}

/** Asks a model for the best branch. If its answer names none, the rank decides. */
function* judgeEntries(context: NodeContext, prompt: string, entries: readonly Entry[]): Steps {
  const list = entries.map(({ id, status, score, text }) => `- ${id} (${status}, score ${score}): ${text.slice(0, 2_000)}`).join('\n')
  const content = `${prompt}\n\nCandidates:\n${list}\n\nAnswer with the id of the best candidate and nothing else.`
  const answer = yield* askModel({ messages: [{ role: 'user', content }], label: context.node.id })
  const reply = 'reply' in answer ? answer.reply.text.trim() : ''
  const best = entries.find(({ id }) => id === reply) ?? entries.find(({ id }) => mentionsId(reply, id))
  return chosenOutcome(best ?? bestOf(entries))
}

/** True if a text contains an id as a whole word. */
function mentionsId(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + id.length)) {
    if (!/\w/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + id.length))) return true
  }
  return false
}

function bestOf(entries: readonly Entry[]): Entry | undefined {
  const order = (a: Entry, b: Entry): number =>
    (RANK[a.status] ?? 4) - (RANK[b.status] ?? 4) || b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  return [...entries].sort(order)[0]
}

function chosenOutcome(best: Entry | undefined): Outcome {
  if (best === undefined) return success()
  const updates: JsonObject = {
    'parallel.fan_in.best_id': best.id,
    'parallel.fan_in.best_outcome': best.status,
    'parallel.fan_in.best_score': best.score,
  }
  return success(updates)
}

function entryOf(value: Json): Entry[] {
  if (!isObject(value) || typeof value['id'] !== 'string') return []
  const { id, status, score, context_updates } = value
  const text = isObject(context_updates) ? context_updates['last_response'] : undefined
  return [
    {
      id,
      status: typeof status === 'string' ? status : 'fail',
      score: typeof score === 'number' ? score : 0,
      text: typeof text === 'string' ? text : '',
    },
  ]
}

export const fanIn = defineOperation({
  name: 'fan_in',
  does: 'Joins branches and names the best of them.',
  types: ['parallel.fan_in'],
  shape: 'tripleoctagon',
  dispatch: [{ type: 'fan_in' }],
  parameters: {
    ...MODEL_REQUEST,
    fan_in_policy: attribute(['any', 'all', 'majority'], 'The number of branches that must have succeeded.', { usual: 'any' }),
  },
  reads: [context('parallel.results'), prompt('prompt')],
  writes: writes('inputs', 'parallel.fan_in.best_id', 'parallel.fan_in.best_outcome', 'parallel.fan_in.best_score'),
  repeat: 'idempotent',
  needs: (node) => (node.text('prompt') === undefined ? [] : [MODEL]),
  repeats: (node) => (node.has('prompt') ? 'idempotent_with_key' : undefined),
  run,
})
