import { integerOf, listOf, numberOf, textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { METRICS } from './eval-metrics.ts'
import { nearestUpstream, resultsAt } from './eval-results.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { writes } from '../../model/operation-ports.ts'
import { MEASURED } from '../parameters.ts'

const DEFAULT_METRICS: readonly string[] = ['accuracy', 'mean_score']

/** Computes metrics of an evaluation. The node fails if the first metric is below `threshold` (reference pipeline 4.3.6). Pure. */
const run: Handler = (context) => {
  const { attributes, node } = context
  const named = listOf(attributes, 'metrics')
  const metrics = named.length === 0 ? DEFAULT_METRICS : named
  const unknown = metrics.find((name) => !METRICS.has(name))
  if (unknown !== undefined)
    return refusal(`${node.id}: metrics must be a list of ${[...METRICS.keys()].join(', ')}, not ${JSON.stringify(unknown)}`)
  const source = textOf(attributes, 'source')?.trim() || nearestUpstream(context, 'eval.results.')
  const results = source === undefined ? [] : resultsAt(context, source)
  if (results.length === 0) return refusal(`${node.rawType} ${node.id}: there are no results${source === undefined ? '' : ` of ${source}`}`)
  const k = Math.max(1, integerOf(attributes, 'k') ?? 1)
  const values = metrics.map((name): [string, number] => [name, METRICS.get(name)?.(results, k) ?? 0])
  const updates = { [`eval.metrics.${node.id}`]: Object.fromEntries(values) }
  const [[first, value] = ['', 0]] = values
  const threshold = numberOf(attributes, 'threshold')
  if (threshold === undefined || value >= threshold) return success(updates)
  return refusal(`${node.id}: ${first} is ${value.toFixed(3)}, below the threshold ${threshold}`, { context_updates: updates })
}

export const evalAggregate = defineOperation({
  name: 'eval.aggregate',
  does: 'Computes the metrics of an evaluation.',
  dispatch: [{ type: 'compute', by: { purpose: 'eval_aggregate' } }],
  parameters: {
    ...MEASURED,
  },
  writes: writes('derived', 'eval.metrics.<id>'),
  repeat: 'read_only',
  run,
})
