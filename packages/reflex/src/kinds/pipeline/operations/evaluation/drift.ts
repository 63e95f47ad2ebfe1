import { isObject, type JsonObject } from '../../../../kernel/journal/json.ts'
import { isOn, listOf, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, Scene, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { DIMENSIONS } from './drift-scores.ts'
import { effectFailed, onResume, placeOf, required, requiredValue } from '../commands/requirements.ts'
import { mean, shapeOf } from './scores.ts'
import { jsonIn } from '../../language/json-in.ts'

/** There is no such file. */
const MISSING = 'R4106'
const ACTIONS: readonly string[] = ['warn', 'fail', 'log']
const THRESHOLD = 0.7
/** Bytes of a baseline. */
const MOST = 16_000_000

interface Baseline {
  readonly text: string
  readonly timestamp: string
}

/** What is compared, and how. */
interface Comparison {
  readonly path: string
  readonly current: string
  readonly dimensions: readonly string[]
  readonly threshold: number
  readonly action: string
}

/**
 * Compares a text with the one that a file has kept; where there is no file yet, the text becomes the baseline
 * (reference pipeline 4.3.4). After a crash the file is written again under the same key.
 */
export const driftDetect: Handler = (scene) => {
  const { attributes, node } = scene
  const path = required(scene, 'baseline_path')
  if (typeof path !== 'string') return path
  const found = requiredValue(scene, textOf(attributes, 'current_key')?.trim() || 'last_response')
  if ('status' in found) return found
  const named = listOf(attributes, 'dimensions')
  const unknown = named.find((name) => !DIMENSIONS.has(name))
  const known = [...DIMENSIONS.keys()]
  if (unknown !== undefined) return refusal(`${node.id}: drift is measured in ${known.join(', ')}, not in ${JSON.stringify(unknown)}`)
  const action = textOf(attributes, 'action')?.trim() || 'warn'
  if (!ACTIONS.includes(action)) return refusal(`${node.id}: action knows ${ACTIONS.join(', ')}, not ${JSON.stringify(action)}`)
  return detects(scene, {
    path: path.trim(),
    current: renderText(found.value),
    dimensions: named.length === 0 ? known : named,
    threshold: numberOf(attributes, 'threshold') ?? THRESHOLD,
    action,
  })
}

function* detects(scene: Scene, comparison: Comparison): Steps {
  const { path, current, dimensions, threshold, action } = comparison
  const baseline = yield* readBaseline(scene, path)
  if (isOutcome(baseline)) return baseline
  if (baseline === undefined) {
    const failed = yield* keep(scene, path, current)
    return failed ?? success(reported(scene, comparison, { score: 1, scores: {}, baseline: isoTime(scene), taken: 'baseline_created' }))
  }
  const scores = Object.fromEntries(dimensions.map((name) => [name, DIMENSIONS.get(name)?.(baseline.text, current) ?? 0]))
  const score = mean(Object.values(scores))
  const passed = score >= threshold
  const updates = reported(scene, comparison, { score, scores, baseline: baseline.timestamp, taken: passed ? 'none' : action })
  const notes = `${path} has drifted: ${score.toFixed(2)}, the least is ${threshold}`
  // A text that fails does not become what the next one is compared with.
  if (!passed && action === 'fail') return refusal(`${scene.node.id}: ${notes}`, { context_updates: updates })
  if (!passed && action === 'warn') scene.note('stage_warning', { node_id: scene.node.id, warning: notes })
  const failed = isOn(scene.attributes, 'update_baseline') ? yield* keep(scene, path, current) : undefined
  return failed ?? success(updates, passed ? {} : { notes })
}

function* readBaseline(scene: Scene, path: string): Generator<Ask, Baseline | undefined | Outcome, Answer> {
  const read = yield* callTool('file.read', { path: placeOf(scene, path), limit: MOST })
  if (read.error !== undefined) return read.error.code === MISSING ? undefined : effectFailed(scene, read.error)
  const baseline = baselineIn(isObject(read.ok) ? renderText(read.ok['text']) : '')
  return baseline ?? refusal(`${scene.node.id}: ${path} is no baseline: a JSON object with a text`)
}

function* keep(scene: Scene, path: string, current: string): Generator<Ask, Outcome | undefined, Answer> {
  const words = current.split(/\s+/).filter((word) => word !== '').length
  const stats = { length: current.length, word_count: words, line_count: shapeOf(current).lines }
  const text = `${JSON.stringify({ text: current, timestamp: isoTime(scene), stats }, null, 2)}\n`
  const written = yield* callTool('file.write', { path: placeOf(scene, path), text, in: 'work' }, onResume(scene))
  return written.error === undefined ? undefined : effectFailed(scene, written.error)
}

function baselineIn(text: string): Baseline | undefined {
  const value = jsonIn(text)
  return isObject(value) && typeof value['text'] === 'string'
    ? { text: value['text'], timestamp: renderText(value['timestamp']) }
    : undefined
}

interface Measured {
  readonly score: number
  readonly scores: JsonObject
  readonly baseline: string
  readonly taken: string
}

function reported(scene: Scene, { threshold }: Comparison, { score, scores, baseline, taken }: Measured): JsonObject {
  const own = `drift.${scene.node.id}`
  const passed = score >= threshold
  return {
    [textOf(scene.attributes, 'result_key')?.trim() || 'drift_report']: {
      overall_score: score,
      threshold,
      passed,
      dimensions: scores,
      baseline_timestamp: baseline,
      timestamp: isoTime(scene),
    },
    [`${own}.score`]: score,
    [`${own}.passed`]: passed,
    [`${own}.dimensions`]: scores,
    [`${own}.action_taken`]: taken,
  }
}

function isOutcome(value: Baseline | undefined | Outcome): value is Outcome {
  return value !== undefined && 'status' in value
}

function isoTime({ now }: Scene): string {
  return new Date(now).toISOString()
}
