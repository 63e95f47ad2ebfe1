import { isObject } from '../../../../kernel/index.ts'
import { integerOf, isOn, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { readSamples, shuffled } from './eval-samples.ts'
import { effectFailed, resolvePath, requiredText } from '../commands/requirements.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri, fileUri } from '../../model/capability-uris.ts'
import { authored, writes } from '../../model/operation-ports.ts'
import { LIMIT } from '../parameters.ts'

/** The limit of a data set in bytes. */
const MOST = 10_000_000
/** The limit of invalid lines that a warning names. */
const MOST_NAMED = 10

/** Reads the samples of an evaluation (reference pipeline 4.7). Invalid lines are ignored with a warning. */
const run: Handler = (context) => {
  const path = requiredText(context, 'dataset')
  return typeof path === 'string' ? loadDataset(context, path.trim()) : path
}

function* loadDataset(context: NodeContext, path: string): Steps {
  const { attributes, node } = context
  const read = yield* callTool('file.read', { path: resolvePath(context, path), limit: MOST })
  if (read.error !== undefined) return effectFailed(context, read.error)
  const { samples, badLines } = readSamples(isObject(read.ok) ? renderText(read.ok['text']) : '')
  const warning =
    badLines.length === 0
      ? undefined
      : `${path}: ${badLines.length} lines are not samples (${badLines.slice(0, MOST_NAMED).join(', ')}${badLines.length > MOST_NAMED ? ', …' : ''})`
  if (warning !== undefined) context.note('stage_warning', { node_id: node.id, warning })
  const seed = textOf(attributes, 'seed')?.trim() || String(context.random())
  const ordered = isOn(attributes, 'shuffle') ? shuffled(samples, seed) : samples
  const limit = integerOf(attributes, 'limit')
  const limited = limit === undefined || limit < 0 ? ordered : ordered.slice(0, limit)
  return success(
    {
      'eval.dataset': limited.map((sample) => ({ ...sample })),
      'eval.dataset.count': limited.length,
      'eval.dataset.path': path,
    },
    warning === undefined ? {} : { notes: warning },
  )
}

export const evalDataset = defineOperation({
  name: 'eval.dataset',
  does: 'Reads the samples of an evaluation.',
  dispatch: [{ type: 'read', by: { source: 'eval_dataset' } }],
  parameters: {
    ...LIMIT,
    dataset: attribute('path', 'The file with the samples, one JSON object per line.', { required: true }),
    shuffle: attribute('bool', 'Shuffles the samples.', { usual: 'false' }),
    seed: attribute('int', 'The seed of the shuffle.'),
  },
  reads: [authored('dataset', 'path_traversal')],
  writes: writes('outside', 'eval.dataset', 'eval.dataset.count', 'eval.dataset.path'),
  repeat: 'read_only',
  needs: (node) => [uri('eval', 'dataset'), fileUri('read', node.text('dataset'))],
  run,
})
