import { digest } from '../../../../kernel/journal/digest.ts'
import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { integerOf, isOn, listOf, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { wordsOf } from '../memory/text-index.ts'
import { effectFailed, onResume, resolvePath, requiredText, requiredValue } from '../commands/requirements.ts'
import { parseJson } from '../../language/parse-json.ts'

/** Bytes of a store that is read. */
const MOST = 10_000_000
/** There is no file of that name. */
const FILE_MISSING = 'R4106'
const TOP = 5
const DAY = 86_400_000
/** Letters of a word that counts. */
const SHORTEST = 3

/** One line of a store. */
interface Fact {
  readonly fact: string
  readonly tags: readonly string[]
  readonly at: number
  readonly expires: number
  readonly entry: JsonObject
}

const STRATEGIES = ['recent', 'keyword', 'tag_match']

/** Recalls facts from a file of JSON lines (reference pipeline 4.7, recall_store). A file that is not there has none. */
export const memoryRecallStore: Handler = (context) => {
  const path = requiredText(context, 'memory_store')
  if (typeof path !== 'string') return path
  const strategy = textOf(context.attributes, 'strategy')?.trim() || 'recent'
  if (!STRATEGIES.includes(strategy))
    return refusal(`${context.node.id}: strategy is ${STRATEGIES.join(', ')}, not ${JSON.stringify(strategy)}`)
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

/** Facts of the lines that can be read; others are left out. */
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

/** Writes a value of the context as one more line of a store (reference pipeline 4.7, store_file). */
export const memoryStoreFile: Handler = (context) => {
  const path = requiredText(context, 'memory_store')
  if (typeof path !== 'string') return path
  const found = requiredValue(context, textOf(context.attributes, 'content_key')?.trim() || 'last_response')
  if ('status' in found) return found
  const days = numberOf(context.attributes, 'ttl_days')
  if (days !== undefined && !(days > 0)) return refusal(`${context.node.id}: ttl_days is a number above 0`)
  return storeFact(context, path.trim(), lineOf(context, renderText(found.value), days))
}

function* storeFact(context: NodeContext, path: string, line: JsonObject): Steps {
  const args = { path: resolvePath(context, path), text: `${JSON.stringify(line)}\n`, in: 'work', append: true }
  const settled = yield* callTool('file.write', args, onResume(context))
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  const prefix = `memory.${context.node.id}`
  return success({
    [`${prefix}.stored`]: true,
    [`${prefix}.memory_id`]: line['id'] ?? '',
    [`${prefix}.store_path`]: path,
  }) satisfies Outcome
}

function lineOf(context: NodeContext, fact: string, days: number | undefined): JsonObject {
  const { attributes, permissions, node, now } = context
  const metadata = listOf(attributes, 'metadata_keys').flatMap((key): [string, Json][] => {
    const value = context.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return {
    id: `mem_${digest(JSON.stringify([permissions.run, node.id, context.visit, now, fact])).slice(0, 16)}`,
    fact,
    tags: listOf(attributes, 'tags'),
    source: textOf(attributes, 'source')?.trim() || node.id,
    pipeline_run: permissions.run,
    timestamp: new Date(now).toISOString(),
    expires_at: days === undefined ? null : new Date(now + days * DAY).toISOString(),
    metadata: Object.fromEntries(metadata),
  }
}

function timeOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
}
