import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { integerOf, isOn, listOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { wordsOf } from './text-index.ts'
import { effectFailed, requiredText, resolvePath } from '../commands/requirements.ts'
import { parseJson } from '../../language/parse-json.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { fileUri, uri } from '../../model/capability-uris.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'
import { STORE_FILE } from '../parameters.ts'

/** The limit of a store file in bytes. */
const MOST = 10_000_000

/** The code of a missing file. */
const FILE_MISSING = 'R4106'

const TOP = 5

/** The shortest word that counts. */
const SHORTEST = 3

/** A line of a store file. */
interface Fact {
  readonly fact: string
  readonly tags: readonly string[]
  readonly at: number
  readonly expires: number
  readonly entry: JsonObject
}

const STRATEGIES = ['recent', 'keyword', 'tag_match']

/** Recalls facts from a file of JSON lines (reference pipeline 4.7, recall_store). A missing file has none. */
const run: Handler = (context) => {
  const path = requiredText(context, 'memory_store')
  if (typeof path !== 'string') return path
  const strategy = textOf(context.attributes, 'strategy')?.trim() || 'recent'
  if (!STRATEGIES.includes(strategy))
    return refusal(`${context.node.id}: strategy must be one of ${STRATEGIES.join(', ')}, not ${JSON.stringify(strategy)}`)
  return recall(context, path.trim(), strategy)
}

function* recall(context: NodeContext, path: string, strategy: string): Steps {
  const settled = yield* callTool('file.read', { path: resolvePath(context, path), limit: MOST })
  if (settled.error !== undefined && settled.error.code !== FILE_MISSING) return effectFailed(context, settled.error)
  const text = settled.error === undefined && isObject(settled.ok) ? renderText(settled.ok['text']) : ''
  const chosen = chooseFacts(context, factsIn(text), strategy)
  const recalled = formatFacts(textOf(context.attributes, 'format')?.trim(), chosen)
  const page = yield* callTool('file.write', { path: `${context.node.id}/recalled.md`, text: `${markdown(chosen)}\n`, in: 'run' })
  if (page.error !== undefined) return effectFailed(context, page.error)
  const prefix = `memory.${context.node.id}`
  return success({
    [textOf(context.attributes, 'result_key')?.trim() || 'recalled_memories']: recalled,
    [`${prefix}.count`]: chosen.length,
    [`${prefix}.strategy`]: strategy,
    [`${prefix}.store_path`]: path,
  })
}

/** Returns the facts of all valid lines. */
function factsIn(text: string): readonly Fact[] {
  return text.split('\n').flatMap((line): Fact[] => {
    const read = parseJson(line)
    if (!isObject(read) || typeof read['fact'] !== 'string') return []
    const tags = isList(read['tags']) ? read['tags'].map((tag) => renderText(tag)) : []
    const expires = timeOf(read['expires_at'])
    return [
      { fact: read['fact'], tags, at: timeOf(read['timestamp']) || 0, expires: Number.isNaN(expires) ? Infinity : expires, entry: read },
    ]
  })
}

function chooseFacts(context: NodeContext, facts: readonly Fact[], strategy: string): readonly Fact[] {
  const { attributes, now } = context
  const wanted = listOf(attributes, 'tags')
  const hasTags = ({ tags }: Fact): boolean =>
    wanted.length === 0 || (strategy === 'tag_match' ? wanted.every((tag) => tags.includes(tag)) : wanted.some((tag) => tags.includes(tag)))
  const usable = facts.filter((fact) => (isOn(attributes, 'include_expired') || fact.expires > now) && hasTags(fact))
  const words = new Set(
    wordsOf(context.text(textOf(attributes, 'query_key')?.trim() || 'last_response')).filter((word) => word.length >= SHORTEST),
  )
  const score = ({ fact }: Fact): number => {
    const lower = fact.toLowerCase()
    return [...words].filter((word) => lower.includes(word)).length
  }
  const scored = usable.map((fact, i) => ({ fact, i, score: strategy === 'keyword' ? score(fact) : 0 }))
  const found = strategy === 'keyword' && words.size > 0 ? scored.filter((one) => one.score > 0) : scored
  found.sort((a, b) => b.score - a.score || b.fact.at - a.fact.at || b.i - a.i)
  return found.slice(0, Math.max(0, integerOf(attributes, 'top_k') ?? TOP)).map(({ fact }) => fact)
}

function formatFacts(format: string | undefined, facts: readonly Fact[]): Json {
  return format === 'json' ? facts.map(({ entry }) => entry) : markdown(facts)
}

function markdown(facts: readonly Fact[]): string {
  return facts.length === 0
    ? 'No memories found.'
    : facts.map(({ fact, tags }) => `- ${fact}${tags.length === 0 ? '' : ` [${tags.join(', ')}]`}`).join('\n')
}

function timeOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
}

export const memoryRecallStore = defineOperation({
  name: 'memory.recall_store',
  does: 'Recalls facts from a file of JSON lines.',
  dispatch: [{ type: 'read', by: { source: 'memory', op: 'recall_store' } }],
  parameters: {
    ...STORE_FILE,
    query_key: attribute('key', 'The value whose words are searched for.', { usual: 'last_response' }),
    strategy: attribute(['recent', 'keyword', 'tag_match'], 'The ranking of memories.', { usual: 'recent' }),
    top_k: attribute('int', 'The number of memories.', { usual: '5' }),
    result_key: attribute('key', 'The key for the memories.', { usual: 'recalled_memories' }),
    format: attribute(['text', 'json'], 'The format of the result.', { usual: 'text', lenient: true }),
    include_expired: attribute('bool', 'Includes expired memories.', { usual: 'false' }),
  },
  reads: [authored('memory_store', 'path_traversal'), key('query_key', 'last_response')],
  writes: [writesAt('outside', 'result_key', 'recalled_memories'), ...writes('outside', 'memory.<id>.')],
  repeat: 'read_only',
  needs: (node) => [uri('memory', 'recall_store'), fileUri('read', node.text('memory_store'))],
  run,
})
