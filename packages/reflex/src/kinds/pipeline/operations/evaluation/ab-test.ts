import { digest } from '../../../../kernel/journal/digest.ts'
import { isObject, type JsonObject } from '../../../../kernel/journal/json.ts'
import { integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { askModel, callTool } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, Scene, Settled, Steps } from '../../contract/handler.ts'
import { type Outcome, success } from '../../contract/outcome.ts'
import { clearWinner, readVerdict, type Variant, type Verdict, type Wins, winsIn } from './ab-test-scores.ts'
import { expandPrompt, performSome, plainAsk, plainRequest, promptValue, replyText } from '../models/plain-request.ts'
import { effectFailed, onResume, placeOf, required } from '../commands/requirements.ts'

/** There is no such file. */
const MISSING = 'R4106'
/** Bytes of a history. */
const MOST_HISTORY = 10_000_000
/** Runs of each variant, more than anybody pays for. */
const MOST_RUNS = 50

const JUDGE = `Two prompts were tried on the same task. Judge the answers that each of them brought: correctness, completeness, clarity.
Answer in exactly these lines:
SCORE_A: a number from 0 to 1
SCORE_B: a number from 0 to 1
WINNER: A or B
REASON: one sentence`

/** Tries two prompts, lets a judge say which was better, and counts over all runs (reference pipeline 4.3.3). */
export const promptAbTest: Handler = (scene) => {
  const a = required(scene, 'variant_a')
  if (typeof a !== 'string') return a
  const b = required(scene, 'variant_b')
  return typeof b === 'string' ? tests(scene, { a, b }) : b
}

type Variants = Readonly<Record<Variant, string>>

function* tests(scene: Scene, variants: Variants): Steps {
  const { attributes, node } = scene
  const count = Math.min(MOST_RUNS, Math.max(1, integerOf(attributes, 'count') ?? 1))
  const asked = (['a', 'b'] as const).flatMap((variant) =>
    Array.from({ length: count }, (_, i) =>
      plainAsk(scene, { prompt: expandPrompt(scene, variants[variant]), part: `variant_${variant}_${i + 1}` }),
    ),
  )
  const settled = yield* performSome(asked)
  const answers = { a: settled.slice(0, count), b: settled.slice(count) }
  const silent = [answers.a, answers.b].find((all) => all.every(({ error }) => error !== undefined))?.[0]
  if (silent?.error !== undefined) return effectFailed(scene, silent.error)
  const said = { a: textsOf(answers.a), b: textsOf(answers.b) }
  const judged = yield* askModel(plainRequest(scene, { prompt: judgePrompt(scene, said), part: 'judge' }))
  if ('error' in judged) return effectFailed(scene, judged.error)
  const verdict = readVerdict(judged.reply.text)
  const counted = yield* counts(scene, variants, verdict)
  if ('status' in counted) return counted
  const least = integerOf(attributes, 'min_samples') ?? 20
  const significance = numberOf(attributes, 'significance') ?? 0.05
  const own = `prompt_ab.${node.id}`
  const updates = {
    last_response: said[verdict.winner][0] ?? '',
    [`${own}.winner`]: verdict.winner,
    [`${own}.score_a`]: verdict.score_a,
    [`${own}.score_b`]: verdict.score_b,
    [`${own}.history_file`]: counted.file,
    [`${own}.cumulative_a_wins`]: counted.wins.a,
    [`${own}.cumulative_b_wins`]: counted.wins.b,
    [`${own}.promoted`]: (isOn(attributes, 'auto_promote') ? clearWinner(counted.wins, least, significance) : undefined) ?? null,
  }
  return success(updates, { artifacts: stageFiles(said, judged.reply.text) })
}

/** What was answered, for who reads the run afterwards. */
function stageFiles(said: Readonly<Record<Variant, readonly string[]>>, judgement: string): JsonObject {
  const files = (['a', 'b'] as const).flatMap((variant) =>
    said[variant].map((text, i): [string, string] => [`variant_${variant}_${i + 1}.md`, text]),
  )
  return Object.fromEntries([...files, ['judge.md', judgement]])
}

function textsOf(settled: readonly Settled[]): readonly string[] {
  return settled.flatMap((answer) => replyText(answer) ?? [])
}

function judgePrompt(scene: Scene, said: Readonly<Record<Variant, readonly string[]>>): string {
  const shown = (variant: Variant): string =>
    said[variant].map((text, i) => `Answer ${variant.toUpperCase()}${i + 1}:\n${promptValue(text) ?? ''}`).join('\n\n')
  return `${expandPrompt(scene, textOf(scene.attributes, 'judge_prompt') || JUDGE)}\n\n${shown('a')}\n\n${shown('b')}`
}

interface Counted {
  readonly wins: Wins
  readonly file: string | null
}

/** Counts the wins of all runs, this one among them, and adds it to the history; without one it stands alone. */
function* counts(scene: Scene, variants: Variants, verdict: Verdict): Generator<Ask, Counted | Outcome, Answer> {
  const file = textOf(scene.attributes, 'persistence')?.trim() ?? ''
  const hashes = { a: digest(variants.a), b: digest(variants.b) }
  const added = (before: Wins): Wins => ({ ...before, [verdict.winner]: before[verdict.winner] + 1 })
  if (file === '') return { wins: added({ a: 0, b: 0 }), file: null }
  const path = placeOf(scene, file)
  const read = yield* callTool('file.read', { path, limit: MOST_HISTORY })
  if (read.error !== undefined && read.error.code !== MISSING) return effectFailed(scene, read.error)
  const wins = added(winsIn(isObject(read.ok) ? renderText(read.ok['text']) : '', hashes))
  const record: JsonObject = {
    timestamp: new Date(scene.now).toISOString(),
    node_id: scene.node.id,
    ...verdict,
    hash_a: hashes.a,
    hash_b: hashes.b,
  }
  const text = `${JSON.stringify(record)}\n`
  const written = yield* callTool('file.write', { path, text, in: 'work', append: true }, onResume(scene))
  return written.error === undefined ? { wins, file } : effectFailed(scene, written.error)
}
