import { isObject } from '../../../../kernel/journal/json.ts'
import { integerOf, isOn, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, Scene, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { readSamples, shuffled } from './eval-samples.ts'
import { effectFailed, placeOf, required } from '../commands/requirements.ts'

/** Bytes of a data set. */
const MOST = 10_000_000
/** Bad lines that are named in a warning. */
const NAMED = 10

/** Reads the samples that an evaluation goes by (reference pipeline 4.7). Lines that are none are passed over, with a warning. */
export const evalDataset: Handler = (scene) => {
  const path = required(scene, 'dataset')
  return typeof path === 'string' ? loads(scene, path.trim()) : path
}

function* loads(scene: Scene, path: string): Steps {
  const { attributes, node } = scene
  const read = yield* callTool('file.read', { path: placeOf(scene, path), limit: MOST })
  if (read.error !== undefined) return effectFailed(scene, read.error)
  const { samples, bad } = readSamples(isObject(read.ok) ? renderText(read.ok['text']) : '')
  const warning =
    bad.length === 0
      ? undefined
      : `${path}: ${bad.length} lines are no samples (${bad.slice(0, NAMED).join(', ')}${bad.length > NAMED ? ', …' : ''})`
  if (warning !== undefined) scene.note('stage_warning', { node_id: node.id, warning })
  const seed = textOf(attributes, 'seed')?.trim() || String(scene.random())
  const ordered = isOn(attributes, 'shuffle') ? shuffled(samples, seed) : samples
  const limit = integerOf(attributes, 'limit')
  const kept = limit === undefined || limit < 0 ? ordered : ordered.slice(0, limit)
  return success(
    {
      'eval.dataset': kept.map((sample) => ({ ...sample })),
      'eval.dataset.count': kept.length,
      'eval.dataset.path': path,
    },
    warning === undefined ? {} : { notes: warning },
  )
}
