import { isObject, type JsonObject } from '../../../../kernel/index.ts'
import { isOn, listOf, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { effectFailed, onResume, resolvePath, requiredText, requiredValue } from '../commands/requirements.ts'
import { mean, shapeOf, similarity, jaccard, wordsOf } from './scores.ts'
import { parseJson } from '../../language/parse-json.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { keptIn } from '../../model/capability-uris.ts'
import { authored, key, writes, writesAt } from '../../model/operation-ports.ts'

/** The code of a missing file. */
const MISSING = 'R4106'
const ACTIONS: readonly string[] = ['warn', 'fail', 'log']
const THRESHOLD = 0.7
/** The limit of a baseline in bytes. */
const MOST = 16_000_000

interface Baseline {
  readonly text: string
  readonly timestamp: string
}

/** The inputs and settings of a comparison. */
interface Comparison {
  readonly path: string
  readonly current: string
  readonly dimensions: readonly string[]
  readonly threshold: number
  readonly action: string
}

/**
 * Compares a text with the baseline in a file. If there is no file yet, the text becomes the baseline (reference pipeline
 * 4.3.4). After a crash the file is written again under the same key.
 */
const run: Handler = (context) => {
  const { attributes, node } = context
  const path = requiredText(context, 'baseline_path')
  if (typeof path !== 'string') return path
  const found = requiredValue(context, textOf(attributes, 'current_key')?.trim() || 'last_response')
  if ('status' in found) return found
  const named = listOf(attributes, 'dimensions')
  const unknown = named.find((name) => !DIMENSIONS.has(name))
  const known = [...DIMENSIONS.keys()]
  if (unknown !== undefined) return refusal(`${node.id}: dimensions must be a list of ${known.join(', ')}, not ${JSON.stringify(unknown)}`)
  const action = textOf(attributes, 'action')?.trim() || 'warn'
  if (!ACTIONS.includes(action)) return refusal(`${node.id}: action must be one of ${ACTIONS.join(', ')}, not ${JSON.stringify(action)}`)
  return detect(context, {
    path: path.trim(),
    current: renderText(found.value),
    dimensions: named.length === 0 ? known : named,
    threshold: numberOf(attributes, 'threshold') ?? THRESHOLD,
    action,
  })
}

function* detect(context: NodeContext, comparison: Comparison): Steps {
  const { path, current, dimensions, threshold, action } = comparison
  const baseline = yield* readBaseline(context, path)
  if (isOutcome(baseline)) return baseline
  if (baseline === undefined) {
    const failed = yield* writeBaseline(context, path, current)
    return (
      failed ??
      success(driftUpdates(context, comparison, { score: 1, scores: {}, baseline: isoTime(context), actionTaken: 'baseline_created' }))
    )
  }
  const scores = Object.fromEntries(dimensions.map((name) => [name, DIMENSIONS.get(name)?.(baseline.text, current) ?? 0]))
  const score = mean(Object.values(scores))
  const passed = score >= threshold
  const updates = driftUpdates(context, comparison, { score, scores, baseline: baseline.timestamp, actionTaken: passed ? 'none' : action })
  const notes = `${path} has drifted: the score is ${score.toFixed(2)}, below the threshold ${threshold}`
  // A failing text does not become the next baseline.
  if (!passed && action === 'fail') return refusal(`${context.node.id}: ${notes}`, { context_updates: updates })
  if (!passed && action === 'warn') context.note('stage_warning', { node_id: context.node.id, warning: notes })
  const failed = isOn(context.attributes, 'update_baseline') ? yield* writeBaseline(context, path, current) : undefined
  return failed ?? success(updates, passed ? {} : { notes })
}

function* readBaseline(context: NodeContext, path: string): Generator<Ask, Baseline | undefined | Outcome, Answer> {
  const read = yield* callTool('file.read', { path: resolvePath(context, path), limit: MOST })
  if (read.error !== undefined) return read.error.code === MISSING ? undefined : effectFailed(context, read.error)
  const baseline = baselineIn(isObject(read.ok) ? renderText(read.ok['text']) : '')
  return baseline ?? refusal(`${context.node.id}: ${path} is not a baseline, which is a JSON object with a "text"`)
}

function* writeBaseline(context: NodeContext, path: string, current: string): Generator<Ask, Outcome | undefined, Answer> {
  const words = current.split(/\s+/).filter((word) => word !== '').length
  const stats = { length: current.length, word_count: words, line_count: shapeOf(current).lines }
  const text = `${JSON.stringify({ text: current, timestamp: isoTime(context), stats }, null, 2)}\n`
  const written = yield* callTool('file.write', { path: resolvePath(context, path), text, in: 'work' }, onResume(context))
  return written.error === undefined ? undefined : effectFailed(context, written.error)
}

function baselineIn(text: string): Baseline | undefined {
  const value = parseJson(text)
  return isObject(value) && typeof value['text'] === 'string'
    ? { text: value['text'], timestamp: renderText(value['timestamp']) }
    : undefined
}

interface DriftScore {
  readonly score: number
  readonly scores: JsonObject
  readonly baseline: string
  readonly actionTaken: string
}

function driftUpdates(context: NodeContext, { threshold }: Comparison, { score, scores, baseline, actionTaken }: DriftScore): JsonObject {
  const prefix = `drift.${context.node.id}`
  const passed = score >= threshold
  return {
    [textOf(context.attributes, 'result_key')?.trim() || 'drift_report']: {
      overall_score: score,
      threshold,
      passed,
      dimensions: scores,
      baseline_timestamp: baseline,
      timestamp: isoTime(context),
    },
    [`${prefix}.score`]: score,
    [`${prefix}.passed`]: passed,
    [`${prefix}.dimensions`]: scores,
    [`${prefix}.action_taken`]: actionTaken,
  }
}

function isOutcome(value: Baseline | undefined | Outcome): value is Outcome {
  return value !== undefined && 'status' in value
}

function isoTime({ now }: NodeContext): string {
  return new Date(now).toISOString()
}

export const driftDetect = defineOperation({
  name: 'drift_detect',
  does: 'Compares a text with a baseline in a file.',
  dispatch: [{ type: 'compute', by: { purpose: 'drift_detect' } }],
  parameters: {
    baseline_path: attribute('path', 'The file to compare with.', { required: true }),
    current_key: attribute('key', 'The value to compare.', { usual: 'last_response' }),
    dimensions: attribute({ list: ['length', 'keywords', 'structure', 'format'] }, 'The dimensions to compare.', {
      usual: 'length,keywords,structure,format',
    }),
    threshold: attribute('number', 'The lowest similarity that passes.', { usual: '0.7' }),
    action: attribute(['warn', 'fail', 'log'], 'The action below the threshold.', { usual: 'warn' }),
    update_baseline: attribute('bool', 'The value becomes the new baseline.', { usual: 'false' }),
    result_key: attribute('key', 'The key for the report.', { usual: 'drift_report' }),
  },
  reads: [key('current_key', 'last_response'), authored('baseline_path', 'path_traversal')],
  writes: [writesAt('derived', 'result_key', 'drift_report'), ...writes('derived', 'drift.<id>.')],
  repeat: 'idempotent_with_key',
  needs: (node) => keptIn(node.text('baseline_path') ?? ''),
  run,
})

/** Returns the similarity of two texts in one respect, in [0, 1]; 1 means equal. */
type Dimension = (baseline: string, current: string) => number

/** The dimensions of drift (reference pipeline 4.3.4). */
export const DIMENSIONS: ReadonlyMap<string, Dimension> = new Map<string, Dimension>([
  ['length', (baseline, current) => similarity(baseline.length, current.length)],
  ['keywords', (baseline, current) => jaccard(wordsOf(baseline), wordsOf(current))],
  ['structure', structure],
  ['format', format],
])

function structure(baseline: string, current: string): number {
  const [a, b] = [shapeOf(baseline), shapeOf(current)]
  return mean([similarity(a.lines, b.lines), similarity(a.paragraphs, b.paragraphs), similarity(a.fences, b.fences)])
}

/** Returns the share of headers, lists and code fences that are present in both or in neither. */
function format(baseline: string, current: string): number {
  const [a, b] = [shapeOf(baseline), shapeOf(current)]
  const agree = (['headers', 'items', 'fences'] as const).filter((part) => a[part] > 0 === b[part] > 0)
  return agree.length / 3
}
