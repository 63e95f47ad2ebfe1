import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { callTool, perform } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { timingOf } from './eval-metrics.ts'
import { allResults, resultsAt, type SampleResult } from './eval-results.ts'
import { effectFailed, requiredText } from '../commands/requirements.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { key, writes } from '../../model/operation-ports.ts'

/** The form of a domain: a name that is safe as a part of a path. */
const DOMAIN = /^[A-Za-z0-9][\w.-]{0,99}$/

/**
 * Stores the results of an evaluation (reference pipeline 4.8): as an entry of the store's ledger `eval/<domain>` for later
 * runs, and as a file `eval/<domain>/<run id>.json` in the run's own folder. Both writes have a key, so that a crash repeats
 * neither.
 */
const run: Handler = (context) => {
  const domain = requiredText(context, 'domain')
  if (typeof domain !== 'string') return domain
  if (!DOMAIN.test(domain.trim())) return refusal(`${context.node.id}: ${JSON.stringify(domain)} is not a valid name of a domain`)
  const results = resultsOf(context)
  if (results.length === 0) return refusal(`${context.node.rawType} ${context.node.id}: there are no results`)
  return persist(context, domain.trim(), results)
}

function* persist(context: NodeContext, domain: string, results: readonly SampleResult[]): Steps {
  const id = `${context.permissions.run}-${context.node.id}-${Math.floor(context.random() * 2 ** 32).toString(16)}`
  const record: JsonObject = {
    run_id: id,
    domain,
    timestamp: new Date(context.now).toISOString(),
    pipeline: context.typed.graph.id,
    run: context.permissions.run,
    model: context.text('eval.model'),
    provider: context.text('eval.provider'),
    sample_count: results.length,
    passed_count: results.filter(({ passed }) => passed).length,
    metrics: metricsOf(context),
    timing: { ...timingOf(results) },
  }
  const appended = yield* perform('ledger', ['append', `eval/${domain}`, record])
  if (appended.error !== undefined) return effectFailed(context, appended.error)
  const text = `${JSON.stringify(record, null, 2)}\n`
  const written = yield* callTool('file.write', { path: `eval/${domain}/${id}.json`, text, in: 'run' })
  if (written.error !== undefined) return effectFailed(context, written.error)
  return success({ 'eval.persist.run_id': id, 'eval.persist.status': 'stored' })
}

function resultsOf(context: NodeContext): readonly SampleResult[] {
  const key = textOf(context.attributes, 'results_key')?.trim() ?? ''
  return key === '' ? [...allResults(context).values()].flat() : resultsAt(context, key)
}

/** Returns the metrics under the named key, else all metrics of the context, each under the name of its node. */
function metricsOf(context: NodeContext): Json {
  const key = textOf(context.attributes, 'metrics_key')?.trim() ?? ''
  if (key !== '') return context.get(`eval.metrics.${key}`) ?? context.get(key) ?? {}
  const found = context.keys().filter((name) => name.startsWith('eval.metrics.') && isObject(context.get(name)))
  return Object.fromEntries(found.map((name) => [name.slice('eval.metrics.'.length), context.get(name) ?? {}]))
}

export const evalPersist = defineOperation({
  name: 'eval.persist',
  does: 'Stores the results of an evaluation in the store and in the folder of the run.',
  dispatch: [
    { type: 'write', by: { target: 'eval', op: 'persist' } },
    { type: 'write', by: { target: 'eval' } },
  ],
  parameters: {
    domain: attribute('text', 'The name under which results are stored.', { required: true }),
    results_key: attribute('key', 'The key with the results.'),
    metrics_key: attribute('key', 'The key with the metrics.'),
  },
  reads: [key('results_key'), key('metrics_key')],
  writes: writes('engine', 'eval.persist.run_id', 'eval.persist.status'),
  repeat: 'side_effecting',
  needs: () => [uri('eval', 'persist')],
  run,
})
