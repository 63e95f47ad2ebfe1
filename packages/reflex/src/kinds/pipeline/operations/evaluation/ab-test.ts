import { digest, isObject, type JsonObject } from '../../../../kernel/index.ts'
import { integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { askModel, callTool } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, NodeContext, Settled, Steps } from '../../contract/handler.ts'
import { type Outcome, success } from '../../contract/outcome.ts'
import { expandPrompt, performInBatches, plainAsk, plainRequest, promptValue, replyText } from '../models/plain-request.ts'
import { effectFailed, onResume, resolvePath, requiredText } from '../commands/requirements.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { MODEL, keptIn } from '../../model/capability-uris.ts'
import { authored, prompt, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST } from '../parameters.ts'
import { normalCdf } from './scores.ts'
import { parseJson } from '../../language/parse-json.ts'

/** The code of a missing file. */
const MISSING = 'R4106'
/** The limit of a history in bytes. */
const MOST_HISTORY = 10_000_000
/** The limit of runs of each variant, to bound the cost. */
const MOST_RUNS = 50

const JUDGE = `Two prompts were tried on the same task. Judge the answers that each of them brought: correctness, completeness, clarity.
Answer in exactly these lines:
SCORE_A: a number from 0 to 1
SCORE_B: a number from 0 to 1
WINNER: A or B
REASON: one sentence`

/** Tries two prompts, lets a judge choose the better one, and counts the wins of all runs (reference pipeline 4.3.3). */
const run: Handler = (context) => {
  const a = requiredText(context, 'variant_a')
  if (typeof a !== 'string') return a
  const b = requiredText(context, 'variant_b')
  return typeof b === 'string' ? runTest(context, { a, b }) : b
}

type Variants = Readonly<Record<Variant, string>>

function* runTest(context: NodeContext, variants: Variants): Steps {
  const { attributes, node } = context
  const count = Math.min(MOST_RUNS, Math.max(1, integerOf(attributes, 'count') ?? 1))
  const asks = (['a', 'b'] as const).flatMap((variant) =>
    Array.from({ length: count }, (_, i) =>
      plainAsk(context, { prompt: expandPrompt(context, variants[variant]), part: `variant_${variant}_${i + 1}` }),
    ),
  )
  const settled = yield* performInBatches(asks)
  const answers = { a: settled.slice(0, count), b: settled.slice(count) }
  const unanswered = [answers.a, answers.b].find((all) => all.every(({ error }) => error !== undefined))?.[0]
  if (unanswered?.error !== undefined) return effectFailed(context, unanswered.error)
  const texts = { a: textsOf(answers.a), b: textsOf(answers.b) }
  const judged = yield* askModel(plainRequest(context, { prompt: judgePrompt(context, texts), part: 'judge' }))
  if ('error' in judged) return effectFailed(context, judged.error)
  const verdict = readVerdict(judged.reply.text)
  const counted = yield* countVerdict(context, variants, verdict)
  if ('status' in counted) return counted
  const least = integerOf(attributes, 'min_samples') ?? 20
  const significance = numberOf(attributes, 'significance') ?? 0.05
  const prefix = `prompt_ab.${node.id}`
  const updates = {
    last_response: texts[verdict.winner][0] ?? '',
    [`${prefix}.winner`]: verdict.winner,
    [`${prefix}.score_a`]: verdict.score_a,
    [`${prefix}.score_b`]: verdict.score_b,
    [`${prefix}.history_file`]: counted.file,
    [`${prefix}.cumulative_a_wins`]: counted.wins.a,
    [`${prefix}.cumulative_b_wins`]: counted.wins.b,
    [`${prefix}.promoted`]: (isOn(attributes, 'auto_promote') ? clearWinner(counted.wins, least, significance) : undefined) ?? null,
  }
  return success(updates, { artifacts: stageFiles(texts, judged.reply.text) })
}

/** Returns the answers as files for readers of the run. */
function stageFiles(texts: Readonly<Record<Variant, readonly string[]>>, judgement: string): JsonObject {
  const files = (['a', 'b'] as const).flatMap((variant) =>
    texts[variant].map((text, i): [string, string] => [`variant_${variant}_${i + 1}.md`, text]),
  )
  return Object.fromEntries([...files, ['judge.md', judgement]])
}

function textsOf(settled: readonly Settled[]): readonly string[] {
  return settled.flatMap((answer) => replyText(answer) ?? [])
}

function judgePrompt(context: NodeContext, texts: Readonly<Record<Variant, readonly string[]>>): string {
  const answersText = (variant: Variant): string =>
    texts[variant].map((text, i) => `Answer ${variant.toUpperCase()}${i + 1}:\n${promptValue(text) ?? ''}`).join('\n\n')
  return `${expandPrompt(context, textOf(context.attributes, 'judge_prompt') || JUDGE)}\n\n${answersText('a')}\n\n${answersText('b')}`
}

interface CountedWins {
  readonly wins: WinCounts
  readonly file: string | null
}

/** Counts the wins of all runs, including this one, and adds it to the history. Without a history only this run counts. */
function* countVerdict(context: NodeContext, variants: Variants, verdict: Verdict): Generator<Ask, CountedWins | Outcome, Answer> {
  const file = textOf(context.attributes, 'persistence')?.trim() ?? ''
  const hashes = { a: digest(variants.a), b: digest(variants.b) }
  const withVerdict = (before: WinCounts): WinCounts => ({ ...before, [verdict.winner]: before[verdict.winner] + 1 })
  if (file === '') return { wins: withVerdict({ a: 0, b: 0 }), file: null }
  const path = resolvePath(context, file)
  const read = yield* callTool('file.read', { path, limit: MOST_HISTORY })
  if (read.error !== undefined && read.error.code !== MISSING) return effectFailed(context, read.error)
  const wins = withVerdict(countWins(isObject(read.ok) ? renderText(read.ok['text']) : '', hashes))
  const record: JsonObject = {
    timestamp: new Date(context.now).toISOString(),
    node_id: context.node.id,
    ...verdict,
    hash_a: hashes.a,
    hash_b: hashes.b,
  }
  const text = `${JSON.stringify(record)}\n`
  const written = yield* callTool('file.write', { path, text, in: 'work', append: true }, onResume(context))
  return written.error === undefined ? { wins, file } : effectFailed(context, written.error)
}

export const promptAbTest = defineOperation({
  name: 'prompt.ab_test',
  does: 'Runs two prompts and lets a model judge which is better.',
  dispatch: [{ type: 'compute', by: { purpose: 'ab_test' } }],
  parameters: {
    ...MODEL_REQUEST,
    variant_a: attribute('text', 'The first prompt.', { required: true }),
    variant_b: attribute('text', 'The second prompt.', { required: true }),
    count: attribute('int', 'The number of runs of each prompt.', { usual: '1' }),
    judge_prompt: attribute('text', 'The prompt of the judge.'),
    persistence: attribute('path', 'The file for the results of all runs.'),
    auto_promote: attribute('bool', 'Promotes a clear winner.', { usual: 'false' }),
    min_samples: attribute('int', 'The number of results before a promotion.', { usual: '20' }),
    significance: attribute('number', 'The significance that a winner needs.', { usual: '0.05' }),
  },
  reads: [prompt('variant_a'), prompt('variant_b'), prompt('judge_prompt'), authored('persistence', 'path_traversal')],
  writes: writes('model', 'last_response', 'prompt_ab.<id>.'),
  repeat: 'idempotent_with_key',
  needs: (node) => [MODEL, ...keptIn(node.text('persistence'))],
  run,
})

type Variant = 'a' | 'b'

/** The judgement of two variants. */
interface Verdict {
  readonly winner: Variant
  /** In [0, 1]. */
  readonly score_a: number
  readonly score_b: number
}

/**
 * Reads the lines of a judge: `SCORE_A:`, `SCORE_B:`, `WINNER:`. A missing score is 0.5. Without a winner the higher score wins,
 * and a wins a tie (reference pipeline 4.3.3).
 */
export function readVerdict(reply: string): Verdict {
  const line = (name: string): string =>
    new RegExp(`^[ \\t*_#>-]{0,20}${name}[ \\t*_]{0,20}:[ \\t*_]{0,20}(.*)$`, 'im').exec(reply)?.[1]?.trim() ?? ''
  const [score_a, score_b] = [score(line('SCORE_A')), score(line('SCORE_B'))]
  const [, named] = /^(?:variant\s+)?([ab])\b/i.exec(line('WINNER')) ?? []
  const winner = named === undefined ? (score_b > score_a ? 'b' : 'a') : named.toLowerCase() === 'b' ? 'b' : 'a'
  return { winner, score_a, score_b }
}

function score(text: string): number {
  const [number] = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(text) ?? []
  return number === undefined ? 0.5 : Math.min(1, Number(number))
}

/** The number of wins of each variant. */
type WinCounts = Readonly<Record<Variant, number>>

/**
 * Counts the wins in a history of one JSON object per line. Only tests of the same two texts count, because a changed variant is
 * a different one. Invalid lines are ignored.
 */
export function countWins(history: string, hashes: Readonly<Record<Variant, string>>): WinCounts {
  const wins = { a: 0, b: 0 }
  for (const line of history.split('\n')) {
    const record = parseJson(line)
    if (!isObject(record) || record['hash_a'] !== hashes.a || record['hash_b'] !== hashes.b) continue
    if (record['winner'] === 'a' || record['winner'] === 'b') wins[record['winner']]++
  }
  return wins
}

/**
 * Returns the variant that leads significantly, by a one-sided z test: z = (p − 0.5) / √(0.25 / n), with p the leader's share of
 * n wins. Undefined below `minSamples`, or if the probability of such a lead by chance is `significance` or more.
 */
export function clearWinner({ a, b }: WinCounts, minSamples: number, significance: number): Variant | undefined {
  const n = a + b
  if (n === 0 || n < minSamples || a === b) return undefined
  const z = (Math.max(a, b) / n - 0.5) / Math.sqrt(0.25 / n)
  return 1 - normalCdf(z) < significance ? (a > b ? 'a' : 'b') : undefined
}
